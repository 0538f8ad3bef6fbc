// Runs the tests with every check beside them, as "make test" does, and ends with 1 unless all is
// well. What fails is shown again at the end. IAM_TEST_ALL=1 runs the tests in full.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { isFull } from "./harness/extent.ts";

/** Long past any run: what gets there hangs where no limit of a single test reaches. */
const testsMs = (isFull ? 45 : 15) * 60_000;
/** Time for Jest to name the files that are under way, once it is told to end. */
const lastWordsMs = 1_000;

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules", ".bin");
const checks: readonly (readonly [command: string, ...args: string[]])[] = [
  [join(bin, "tsc")],
  [join(bin, "biome"), "check", "--error-on-warnings"],
  [join(bin, "buf"), "lint"],
  [process.execPath, join("test", "generated.ts")],
];

const jest = spawn(process.execPath, [join("node_modules", "jest", "bin", "jest.js")], {
  cwd: root,
  // A group of its own, so that no worker outlives it.
  detached: true,
  stdio: "inherit",
});
const late = setTimeout(() => {
  process.stderr.write(`The tests are not over after ${testsMs / 60_000} minutes.\n`);
  jest.kill("SIGTERM");
  setTimeout(() => endGroup(jest), lastWordsMs);
}, testsMs);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    endGroup(jest);
    process.kill(process.pid, signal);
  });
}

const tests = once(jest, "close").then(([code]) => {
  clearTimeout(late);
  return code === 0 ? undefined : "The tests fail.\n";
});
const failures = [...(await Promise.all([tests, runChecks()])).flat()].filter(
  (failure) => failure !== undefined,
);
process.stderr.write(failures.length === 0 ? "Every check passes.\n" : failures.join("\n"));
process.exitCode = failures.length === 0 ? 0 : 1;

/** Runs the checks one after another, and answers what those said that fail. */
async function runChecks(): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const [command, ...args] of checks) {
    const check = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [check.stdout, check.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    }
    const [code] = await once(check, "close");
    if (code !== 0) failed.push(`${[command, ...args].join(" ")} fails:\n${said}`);
  }
  return failed;
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
