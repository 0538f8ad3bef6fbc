import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Case, gathering } from "./cases.ts";

const directory = join(import.meta.dirname, "../cases");

/** The files of `test/cases/` that hold tables and no tests besides. */
export const tables: readonly string[] = readdirSync(directory).filter(
  (file) =>
    file.endsWith(".test.ts") &&
    file !== "on-postgres.test.ts" &&
    !/^(?:test|describe|few|inFull|(?:before|after)(?:All|Each))\b/m.test(
      readFileSync(join(directory, file), "utf8"),
    ),
);

/** The rows of such files, none of which is run by it. */
export async function gathered(files: readonly string[]): Promise<readonly Case[]> {
  const cases: Case[] = [];
  gathering.cases = cases;
  try {
    // A module of its own each time: a worker that runs the file itself, or has gathered from it
    // before, loads a module once.
    const time = process.hrtime.bigint();
    for (const file of files) await import(`../cases/${file}?gathered=${time}`);
  } finally {
    delete gathering.cases;
  }
  return cases;
}
