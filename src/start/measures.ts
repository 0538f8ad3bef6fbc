import type { Config } from "../config/config.ts";
import { lastBackupIn } from "../log/last-backup.ts";
import type { Measures } from "../metrics/measures.ts";
import { readVersion } from "./version.ts";

/** The measures of this process; undefined where the configuration has no port for them. */
export async function measuresFor({
  metricsPort,
  dataDir,
}: Pick<Config, "metricsPort" | "dataDir">): Promise<Measures | undefined> {
  if (metricsPort === undefined) return undefined;
  const { createMeasures } = await import("../metrics/measures.ts");
  const { version } = await readVersion();
  return createMeasures({
    ...{ version, backupMs: () => lastBackupIn(dataDir) },
    ...{ elapsedMs: () => performance.now(), now: () => Date.now() },
  });
}
