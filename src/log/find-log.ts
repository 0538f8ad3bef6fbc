import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { logInFile } from "./log-file.ts";
import type { LogPlace } from "./log-place.ts";

/** Where the settings say that the log lies. */
export async function findLog({
  dataDir,
  databaseUrl,
}: Pick<Config, "dataDir" | "databaseUrl">): Promise<LogPlace> {
  if (databaseUrl === "") return logInFile(resolve(dataDir));
  // Who has a file needs nothing of it.
  const { logInDatabase } = await import("./log-database.ts");
  return logInDatabase(databaseUrl);
}
