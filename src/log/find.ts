import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { logInFile } from "./in-file.ts";
import type { LogPlace } from "./place.ts";

/** What settings say of where the log lies: in the data directory, unless a database is named. */
export type Where = Pick<Config, "dataDir" | "databaseUrl">;

/** Where the settings say that the log lies. */
export async function findLog({ dataDir, databaseUrl }: Where): Promise<LogPlace> {
  if (databaseUrl === "") return logInFile(resolve(dataDir));
  // Who has a file needs nothing of it.
  const { logInDatabase } = await import("./in-database.ts");
  return logInDatabase(databaseUrl);
}
