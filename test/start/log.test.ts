import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const log = join(import.meta.dirname, "../../src/start/log.ts");

/** What three processes log into one pipe, whose reader begins when it has long been full. */
async function logTogether(): Promise<readonly string[]> {
  const program = `
    import { createLogs } from ${JSON.stringify(log)};
    const { log, exit } = createLogs("info", { isShared: true });
    for (let line = 0; line < 1_000; line += 1) log.info({ of: "x".repeat(400) });
    exit(0);`;
  const one = `"$0" --input-type=module --eval "$1"`;
  const script = `(${one} & ${one} & ${one} & wait) 2>&1 | (sleep 0.5; cat)`;
  const args = ["-c", script, process.execPath, program];
  const { stdout } = await promisify(execFile)("bash", args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split("\n").filter((line) => line !== "");
}

function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

test("lines of processes that share a log stay whole while its reader is slow", async () => {
  const lines = await logTogether();
  expect(lines.filter((line) => !isWhole(line))).toEqual([]);
  // More than the pipe holds; a process may have to go before the reader has come.
  expect(lines.length).toBeGreaterThan(100);
});
