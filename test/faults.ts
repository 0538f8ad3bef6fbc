// Plants faults in copies of the stores and of what stands around them, one at a time, and
// prints which case finds each. A fault that survives is a hole in the suite: close it with a case,
// in test/store/conformance/ when the contract of src/store/store.ts says what was broken. Run it
// with "make faults"; words after "node test/faults.ts" choose the files of test/faults/ that have
// such a name, or else the faults whose names contain one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Fault, mistakeOf } from "./faults/fault.ts";
import { lists, type Part } from "./faults/lists.ts";
import { edited } from "./harness/plant.ts";
// Says where temporary files go: in memory, where there is room.
import "../jest.config.js";

const root = join(import.meta.dirname, "..");
const copied = ["src", "gen", "test", "docs", "package.json", "jest.config.js", "tsconfig.json"];
/** As many as the smallest machine that this is for has cores: more run into timeouts. */
const copiesAtOnce = 2;
const runMs = 240_000;
/** Random requests of a test: what breaks a wire shows within the first thousands. */
const requests = "4000";
/** Milliseconds for one test: what waits for longer waits without an end. */
const testMs = 30_000;
const byTimeout = ", by its timeout";
const byEnd = " as a whole: something was thrown where no case takes it";

const words = process.argv.slice(2);
const isChosen = (list: string, name: string) =>
  words.length === 0 || words.some((word) => (word in lists ? word === list : name.includes(word)));
/** What must find each fault. */
const chosen = new Map(
  Object.entries(lists).flatMap(([list, { faults, ...suite }]) =>
    faults.filter(([name]) => isChosen(list, name)).map((fault) => [fault, suite] as const),
  ),
);
const faults = [...chosen.keys()];
const nameWidth = Math.max(...faults.map(([name]) => name.length));

const workplace = await mkdtemp(join(tmpdir(), "iam-faults-"));
// Servers of databases that are started in a copy run as nobody where the tests run as root.
await chmod(workplace, 0o755);
try {
  const uncaught = await plantAll(await prepare());
  print(`${faults.length} faults, ${uncaught === 0 ? "all caught" : `${uncaught} not caught`}.\n`);
  process.exitCode = uncaught === 0 ? 0 : 1;
} catch (error) {
  print(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await rm(workplace, { recursive: true, force: true });
}

/** Sees to it that every fault applies and that the store passes without one; answers copies. */
async function prepare(): Promise<readonly string[]> {
  if (faults.length === 0) throw new Error("No fault has such a name.");
  const copies = await Promise.all(
    Array.from({ length: copiesAtOnce }, (_, i) => makeCopy(`copy-${i}`)),
  );
  const [copy = ""] = copies;
  await assertApply(copy);
  const all = new Map(
    [...chosen.values()].flatMap(({ parts }) => parts).map((part) => [part.join(" "), part]),
  );
  const queue = all.values();
  const running = copies.map(async (each) => {
    for (const part of queue) {
      const { failed } = await runJest(each, part);
      if (failed.length > 0) throw new Error(`Without a fault these fail:\n${failed.join("\n")}`);
    }
  });
  await Promise.all(running);
  return copies;
}

/** Throws what each of the faults says that does not apply. */
async function assertApply(copy: string): Promise<void> {
  const results = await Promise.allSettled(faults.map((fault) => editsOf(copy, fault)));
  const stale = results.filter((result) => result.status === "rejected");
  if (stale.length > 0) throw new Error(stale.map(({ reason }) => reason.message).join("\n\n"));
}

/** Prints a row for each fault, in their order, and answers how many were not caught. */
async function plantAll(copies: readonly string[]): Promise<number> {
  const rows = faults.map((fault) => ({ fault, ...Promise.withResolvers<Verdict>() }));
  const queue = rows.values();
  const planting = copies.map(async (copy) => {
    for (const { fault, resolve } of queue) resolve(await plant(copy, fault));
  });
  let uncaught = 0;
  const printing = async () => {
    for (const { fault, promise } of rows) {
      const { caught, text } = await promise;
      print(`${fault[0].padEnd(nameWidth)} → ${text}\n`);
      uncaught += caught ? 0 : 1;
    }
  };
  await Promise.all([...planting, printing()]);
  return uncaught;
}

interface Verdict {
  readonly caught: boolean;
  readonly text: string;
}

/** Runs the suite in the copy while the fault is in it. */
async function plant(copy: string, fault: Fault): Promise<Verdict> {
  const edits = await editsOf(copy, fault);
  const { parts = [], named = "", waiting = [] } = chosen.get(fault) ?? {};
  for (const [path, { planted }] of edits) await writeFile(path, planted);
  const outcome = await runSuite(copy, parts, named).catch((error: Error) => error);
  for (const [path, { original }] of edits) await writeFile(path, original);
  // No case is to be credited with an edit that made nonsense of the store.
  if (outcome instanceof Error) return { caught: false, text: `UNKNOWN: ${outcome.message}` };
  if (outcome.passed === 0) return { caught: false, text: "UNKNOWN: No case at all passes." };
  const [first, ...more] = outcome.failed.filter(
    (name) => name.includes(named) || name.endsWith(byEnd),
  );
  if (first === undefined) return { caught: false, text: "SURVIVED" };
  // What is only waited for in vain is named by nobody.
  if (first.endsWith(byTimeout) && !waiting.includes(fault[0]))
    return { caught: false, text: `LATE: ${first}` };
  return {
    caught: true,
    text: `caught by ${first}${more.length > 0 ? ` (+${more.length} more)` : ""}`,
  };
}

interface Edited {
  readonly original: string;
  readonly planted: string;
}

/** The files that the fault edits, by path. */
async function editsOf(copy: string, fault: Fault): Promise<ReadonlyMap<string, Edited>> {
  const files = new Map<string, Edited>();
  for (const [file, planted] of await edited(mistakeOf(fault), copy)) {
    const path = join(copy, file);
    files.set(path, { original: await readFile(path, "utf8"), planted });
  }
  return files;
}

async function makeCopy(name: string): Promise<string> {
  const copy = join(workplace, name);
  for (const path of copied) await cp(join(root, path), join(copy, path), { recursive: true });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  await mkdir(join(copy, "tmp"));
  return copy;
}

interface Outcome {
  /** Full names; those that say what is wrong before those that only waited for too long. */
  readonly failed: readonly string[];
  readonly passed: number;
}

/** Runs the parts of a suite in the copy until one of them has a case that fails. */
async function runSuite(copy: string, parts: readonly Part[], named: string): Promise<Outcome> {
  let outcome: Outcome = { failed: [], passed: 0 };
  for (const part of parts) {
    const { failed, passed } = await runJest(copy, part, { IAM_TEST_UNTIL: named });
    outcome = { failed: [...failed, ...outcome.failed], passed: outcome.passed + passed };
    // A case that only waited in vain says less than one of the next part may. Where none passes,
    // the edit may have made nonsense of all.
    if (failed.some((name) => !name.endsWith(byTimeout)) && outcome.passed > 0) break;
  }
  return outcome;
}

/** Throws unless each of the chosen test files says how it went. */
async function runJest(
  copy: string,
  choice: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const report = join(copy, "report.json");
  await rm(report, { force: true });
  const child = spawn(
    process.execPath,
    [
      join("node_modules", "jest", "bin", "jest.js"),
      ...["--runInBand", "--forceExit", "--watchman=false"],
      ...[`--cacheDirectory=${join(copy, "cache")}`, "--json", `--outputFile=${report}`],
      ...[`--testTimeout=${testMs}`, ...choice],
    ],
    {
      cwd: copy,
      env: {
        ...process.env,
        TMPDIR: join(copy, "tmp"),
        IAM_TEST_ALL: "1",
        IAM_TEST_REQUESTS: requests,
        ...settings,
      },
      stdio: ["ignore", "ignore", "pipe"],
      timeout: runMs,
      killSignal: "SIGKILL",
    },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const [code, signal] = await once(child, "close");
  const json = await readFile(report, "utf8").catch(() => {
    throw new Error(`The run ended by ${signal ?? code} without a report.\n${said}`);
  });
  return outcomeOf(JSON.parse(json));
}

/** What jest writes with --json, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function outcomeOf({ testResults }: Report): Outcome {
  for (const { name, message, assertionResults } of testResults) {
    if (assertionResults.length === 0) throw new Error(`${name} did not run.\n${message}`);
  }
  const cases = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = cases
    .filter(({ status }) => status === "failed")
    .map(({ ancestorTitles, title, failureMessages }) => {
      const late = failureMessages.some((message) => message.includes("Exceeded timeout"));
      return { late, name: [...ancestorTitles, title].join(" › ") + (late ? byTimeout : "") };
    })
    .toSorted((one, other) => Number(one.late) - Number(other.late))
    .map(({ name }) => name);
  const ended = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((one) => one.status !== "failed"),
  );
  failed.push(...ended.map(({ name }) => basename(name) + byEnd));
  return { failed, passed: cases.filter(({ status }) => status === "passed").length };
}

function print(text: string): void {
  process.stdout.write(text);
}
