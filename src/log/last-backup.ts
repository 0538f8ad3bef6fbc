import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere } from "../file.ts";

/** The file of a data directory that has the time of its last backup. */
export const backupFile = "iam.backup";

/** Notes when a backup of the directory was made (Unix milliseconds). */
export async function noteBackup(dataDir: string, nowMs: number): Promise<void> {
  await writeFile(join(dataDir, backupFile), `${new Date(nowMs).toISOString()}\n`, { mode: 0o600 });
}

/** When the last one was made; undefined where that is not known. */
export async function lastBackupIn(dataDir: string): Promise<number | undefined> {
  const text = await readIfThere(join(dataDir, backupFile)).catch(() => undefined);
  const timeMs = Date.parse(text?.trim() ?? "");
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
