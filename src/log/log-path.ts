import { join, resolve } from "node:path";

/** The file of the event log in the data directory. */
export function logIn(dataDir: string): string {
  return join(resolve(dataDir), "iam.db");
}

/** Where a copy of a log lies that is not done. */
export function draftIn(dataDir: string): string {
  return `${logIn(dataDir)}.copying`;
}
