// Runs the tests with every check beside them, as "make test" does, or with arguments just the
// tests that they name, and ends with 1 unless all is well. What fails is shown again at the end.
// IAM_TEST_ALL=1 runs the tests in full. Those take long, on machines that do much else: what fails
// in a few files is run once more, alone. Where it passes then, the end says that it is unsteady.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { isFull } from "./harness/extent.ts";

/** Long past any run: what gets there hangs where no limit of a single test reaches. */
const testsMs = (isFull ? 60 : 15) * 60_000;
/** As many files are run again in full. */
const againMax = 5;
/** Time for Jest to name the files that are under way, once it is told to end. */
const lastWordsMs = 1_000;

/** How many seconds each part took, by its name; the checks run beside the tests. */
const took: string[] = [];

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules", ".bin");
const checks: readonly (readonly [command: string, ...args: string[]])[] = [
  // One checker: several would each find the types that they share, beside the tests on two cores.
  [join(bin, "tsc"), "--checkers", "1"],
  [join(bin, "biome"), "check", "--error-on-warnings"],
  [join(bin, "buf"), "lint"],
  [join(bin, "buf"), "breaking", "--against", join("proto", "released.binpb.gz")],
  [process.execPath, join("test", "generated.ts")],
];

const given = process.argv.slice(2);
const failures = [...(await Promise.all([runTests(), given.length > 0 ? [] : runChecks()])).flat()];
process.stderr.write(`Seconds: ${took.join(", ")}\n`);
process.stderr.write(failures.length === 0 ? "Every check passes.\n" : failures.join("\n"));
process.exitCode = failures.length === 0 ? 0 : 1;

/** Runs the tests, and answers what there is to say of those that fail. */
async function runTests(): Promise<readonly string[]> {
  const { code, failed } = await runJest(given);
  if (code === 0) return [];
  if (!isFull || failed.length === 0 || failed.length > againMax) return ["The tests fail.\n"];
  const again = await runJest(["--runInBand", "--runTestsByPath", ...failed]);
  if (again.code !== 0) return ["The tests fail, and again when they are run alone.\n"];
  process.stderr.write(`UNSTEADY: tests failed, and passed alone, in ${failed.join(", ")}\n`);
  return [];
}

/** Runs Jest, and answers its exit code and which files failed. */
async function runJest(
  args: readonly string[],
): Promise<{ readonly code: unknown; readonly failed: readonly string[] }> {
  const sinceMs = performance.now();
  const jest = spawn(process.execPath, [join("node_modules", "jest", "bin", "jest.js"), ...args], {
    cwd: root,
    env: { ...process.env, ...(given.length === 0 && { IAM_TEST_LEAVE_OUT: "1" }) },
    // A group of its own, so that no worker outlives it.
    detached: true,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  let failed: readonly string[] = [];
  jest.on("message", (files) => {
    failed = files as readonly string[];
  });
  const late = setTimeout(() => {
    process.stderr.write(`The tests are not over after ${testsMs / 60_000} minutes.\n`);
    jest.kill("SIGTERM");
    setTimeout(() => endGroup(jest), lastWordsMs);
  }, testsMs);
  const end = (signal: NodeJS.Signals) => {
    endGroup(jest);
    process.kill(process.pid, signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const [code] = await once(jest, "close");
  clearTimeout(late);
  note(["jest", ...args], sinceMs);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
  return { code, failed };
}

/** Runs the checks one after another, and answers what those said that fail. */
async function runChecks(): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const [command, ...args] of checks) {
    const sinceMs = performance.now();
    const check = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [check.stdout, check.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    }
    const [code] = await once(check, "close");
    note([command, ...args], sinceMs);
    if (code !== 0) failed.push(`${[command, ...args].join(" ")} fails:\n${said}`);
  }
  return failed;
}

/** Notes how long the command took that began at that time of the clock of `performance`. */
function note([command = "", ...args]: readonly string[], sinceMs: number): void {
  const seconds = Math.round((performance.now() - sinceMs) / 1_000);
  took.push(`${[basename(command), ...args].join(" ")} ${seconds}`);
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
