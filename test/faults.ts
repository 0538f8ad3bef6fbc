// Plants faults in copies of the SQLite store, one at a time, and prints which case of test/store
// finds each. A fault that survives is a hole in the suite: close it with a case, in
// test/store/conformance/ when the contract of src/store/store.ts says what was broken. Run it with
// "make faults"; words after "node test/faults.ts" choose the faults whose names contain one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { appendFaults } from "./faults/append.ts";
import { chainFaults } from "./faults/chain.ts";
import { commitFaults } from "./faults/commit.ts";
import type { Fault } from "./faults/fault.ts";
import { listFaults } from "./faults/list.ts";
import { messageFaults } from "./faults/message.ts";
import { objectFaults } from "./faults/object.ts";
import { quotaFaults } from "./faults/quota.ts";
import { searchFaults } from "./faults/search.ts";

const root = join(import.meta.dirname, "..");
const storePath = join("src", "store", "sqlite");
const copied = [
  "src",
  join("test", "store"),
  "package.json",
  "jest.config.js",
  "tsconfig.json",
  "test/browser",
  "test/disk",
  "test/runner",
  "test/harness/extent.ts",
  "test/harness/program.ts",
];
/** The suite of the contract is named before the cases that are about SQLite alone. */
const contractFile = "sqlite.test.ts";
/** Many processes and threads take most of the time: they are for what the others let through. */
const slowFiles = "sqlite-(?:process|reader)\\.";
/** A run waits more, for locks and for the disk, than it computes. */
const copiesAtOnce = 4;
const runMs = 150_000;
const caseMs = 10_000;

const words = process.argv.slice(2);
const faults = [
  ...appendFaults,
  ...chainFaults,
  ...objectFaults,
  ...listFaults,
  ...searchFaults,
  ...commitFaults,
  ...messageFaults,
  ...quotaFaults,
].filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
const nameWidth = Math.max(...faults.map(([name]) => name.length));

const workplace = await mkdtemp(join(tmpdir(), "iam-faults-"));
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
  for (const fault of faults) await editsOf(copy, fault);
  const { failed } = await runSuite(copy);
  if (failed.length > 0) throw new Error(`Without a fault these fail:\n${failed.join("\n")}`);
  return copies;
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
  for (const [path, { planted }] of edits) await writeFile(path, planted);
  const outcome = await runSuite(copy).catch((error: Error) => error);
  for (const [path, { original }] of edits) await writeFile(path, original);
  // No case is to be credited with an edit that made nonsense of the store.
  if (outcome instanceof Error) return { caught: false, text: `UNKNOWN: ${outcome.message}` };
  if (outcome.passed === 0) return { caught: false, text: "UNKNOWN: No case at all passes." };
  const [first, ...more] = outcome.failed;
  if (first === undefined) return { caught: false, text: "SURVIVED" };
  return {
    caught: true,
    text: `caught by ${first}${more.length > 0 ? ` (+${more.length} more)` : ""}`,
  };
}

interface Edited {
  readonly original: string;
  readonly planted: string;
}

/** The files that the fault edits, by path. Each text that it replaces must be there once. */
async function editsOf(copy: string, [name, ...edits]: Fault): Promise<Map<string, Edited>> {
  const files = new Map<string, Edited>();
  for (const [file, find, replace] of edits) {
    const path = join(copy, storePath, file);
    const original = files.get(path)?.original ?? (await readFile(path, "utf8"));
    const parts = (files.get(path)?.planted ?? original).split(find);
    if (parts.length !== 2) {
      const count = parts.length - 1;
      throw new Error(`"${name}" no longer applies: ${file} has this ${count} times:\n${find}`);
    }
    files.set(path, { original, planted: parts.join(replace) });
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
  /** Full names, those of the contract first. */
  readonly failed: readonly string[];
  readonly passed: number;
}

/** Runs the suite of the store in the copy until one of its two parts has a case that fails. */
async function runSuite(copy: string): Promise<Outcome> {
  const quick = await runJest(copy, ["test/store", `--testPathIgnorePatterns=${slowFiles}`]);
  if (quick.failed.length > 0) return quick;
  return runJest(copy, [`test/store/${slowFiles}`]);
}

/** Throws unless each of the chosen test files says how it went. */
async function runJest(copy: string, choice: readonly string[]): Promise<Outcome> {
  const report = join(copy, "report.json");
  await rm(report, { force: true });
  const child = spawn(
    process.execPath,
    [
      join("node_modules", "jest", "bin", "jest.js"),
      ...["--runInBand", "--forceExit", "--watchman=false", `--testTimeout=${caseMs}`],
      ...[`--cacheDirectory=${join(copy, "cache")}`, "--json", `--outputFile=${report}`],
      ...choice,
    ],
    {
      cwd: copy,
      env: { ...process.env, TMPDIR: join(copy, "tmp"), IAM_TEST_ALL: "1" },
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
  const isContract = ({ name }: { name: string }) => Number(basename(name) === contractFile);
  const cases = testResults
    .toSorted((one, other) => isContract(other) - isContract(one))
    .flatMap(({ assertionResults }) => assertionResults);
  const failed = cases
    .filter(({ status }) => status === "failed")
    .map(({ ancestorTitles, title, failureMessages }) => {
      const late = failureMessages.some((message) => message.includes("Exceeded timeout"));
      return [...ancestorTitles, late ? `${title}, by its timeout` : title].join(" › ");
    });
  return { failed, passed: cases.filter(({ status }) => status === "passed").length };
}

function print(text: string): void {
  process.stdout.write(text);
}
