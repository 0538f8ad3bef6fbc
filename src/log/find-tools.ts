import { resolve } from "node:path";
import { toolsOfFile } from "./file-tools.ts";
import type { LogTools, Where } from "./log-tools.ts";

/** What works on the log of the settings. */
export async function findTools({ dataDir, databaseUrl }: Where): Promise<LogTools> {
  if (databaseUrl === "") return toolsOfFile(resolve(dataDir));
  // Who has a file needs nothing of it.
  const { toolsOfDatabase } = await import("./database-tools.ts");
  return toolsOfDatabase(databaseUrl);
}
