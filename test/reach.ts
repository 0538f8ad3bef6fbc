// Measures what each file of tests takes and reaches in its short form, and chooses those that
// reach most for their time. It writes the others to test/reach/left-out.txt: "make test" leaves
// them to the long form. Run it with "make reach" when "make test" has become slow. Words after
// "node test/reach.ts" name the files to measure; then nothing is written.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { choose } from "./reach/choose.ts";
import type { Reach } from "./reach/reached.ts";

/** Seconds of processors for all files together. */
const budgetSeconds = 75;
/** A file that takes less is never left out. */
const cheapSeconds = 0.1;
/** Nor are these: they look at more than `src/` does, or attack it. */
const alwaysRun = new RegExp(
  "^test/(?:[a-z]+\\.test|threats/|access/matrix|deploy/files|described/document|" +
    "examples/documents|faults/lists)",
);

const root = join(import.meta.dirname, "..");
const given = process.argv.slice(2);
const reaches = await measure();
const { files, cpuMs, share } = choose(
  reaches,
  budgetSeconds * 1_000,
  (one) => one.cpuMs < cheapSeconds * 1_000 || alwaysRun.test(one.file),
);
const kept = new Set(files);
const leftOut = reaches.map(({ file }) => file).filter((file) => !kept.has(file));
const all = reaches.reduce((sum, { cpuMs: its }) => sum + its, 0);
process.stdout.write(
  `${files.length} of ${reaches.length} files reach ${(share * 100).toFixed(1)} % of what all ` +
    `reach, in ${seconds(cpuMs)} of ${seconds(all)} CPU seconds.\n`,
);
if (given.length === 0) {
  const lines = leftOut.sort().map((file) => `${file}\n`);
  writeFileSync(join(import.meta.dirname, "reach/left-out.txt"), lines.join(""));
}

/** Runs the files, and answers what each reaches. */
async function measure(): Promise<readonly Reach[]> {
  const folder = await mkdtemp(join(tmpdir(), "iam-reach-"));
  try {
    const log = join(folder, "reach.ndjson");
    const jest = spawn(process.execPath, ["node_modules/jest/bin/jest.js", ...given], {
      cwd: root,
      env: { ...process.env, IAM_TEST_REACH: log, IAM_TEST_ALL: "" },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const [code] = await once(jest, "close");
    if (code !== 0) process.stderr.write("Tests fail: what they reach is told in part.\n");
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as Reach);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
