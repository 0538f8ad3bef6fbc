import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A row of docs/threats.md. */
export interface Row {
  /** What happened: the advisories, or a few words. */
  readonly names: readonly string[];
  /** The files of the tests that fail where the defence is taken away. */
  readonly files: readonly string[];
}

const path = join(import.meta.dirname, "../../docs/threats.md");

export const rows: readonly Row[] = readFileSync(path, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:Name|---)/.test(line))
  .map((line) => line.slice(2, -2).split(" | "))
  .map(([name = "", , , tests = ""]) => ({
    names: name.split(/, (?=CVE|GHSA)/),
    files: [...tests.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
  }));
