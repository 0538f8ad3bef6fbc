import { resolve } from "node:path";
import type { Config } from "./config.ts";
import { logInFile } from "./log-file.ts";
import type { LogPlace } from "./log-place.ts";

/** Where the settings say that the log lies. */
export async function findLog({ dataDir }: Pick<Config, "dataDir">): Promise<LogPlace> {
  return logInFile(resolve(dataDir));
}
