import { openSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { AppendsAnswers } from "./appends.ts";
import type { BareAnswers } from "./bare.ts";
import { type StartChild, withChildren } from "./child.ts";
import type { HashesAnswers } from "./hashes.ts";
import { measureHashing } from "./hashing.ts";
import type { LoadAnswers } from "./load.ts";
import { describeMachine } from "./machine.ts";
import { measureMemory } from "./memory.ts";
import { measureProcesses, showProcesses } from "./processes.ts";
import { measureRates } from "./rates.ts";
import { comparison, facts, showHashing, showMemory, showRates, showStarts } from "./report.ts";
import type { Results } from "./results.ts";
import { runSections, type Section } from "./sections.ts";
import type { ServerAnswers } from "./server.ts";
import { type Size, sizeNamed, sizes, sizeUsage } from "./sizes.ts";
import { measureStarts } from "./start.ts";

const usage = `Usage: node bench/bench.ts [--size SIZE] [--json FILE] [--compare FILE] [--dir DIR]

Measures the service and what it is compared with; about six minutes. What a part of it found is
shown and written when the part is done. Ends with 1 where a part failed.

${sizeUsage}
  --json FILE     where the numbers go [bench/out/<time>.json]
  --compare FILE  shows the numbers of an earlier run next to this one's
  --dir DIR       where the data lies while it runs, on a disk [bench/out]`;

const { values: flags } = parseArgs({
  options: {
    size: { type: "string", default: "full" },
    json: { type: "string" },
    compare: { type: "string" },
    dir: { type: "string", default: join(import.meta.dirname, "out") },
    help: { type: "boolean", default: false },
  },
});

/** Bare hashes run in libuv's pool, which has 4 threads however many cores there are. */
const hashesEnv = { UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism())) };

if (flags.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  const size = sizeNamed(flags.size);
  // Read first: a file that is not there should not cost six minutes.
  const before = flags.compare && (JSON.parse(await readFile(flags.compare, "utf8")) as Results);
  await mkdir(flags.dir, { recursive: true });
  const directory = await mkdtemp(join(resolve(flags.dir), "data-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  process.on("SIGINT", () => process.exit(130));

  const machine = await describeMachine(directory, size);
  const empty: Results = { machine, size, rows: [], ratios: {}, startMs: {}, resident: [] };
  const file = flags.json ?? join(flags.dir, `${machine.at.replaceAll(":", "-")}.json`);
  await mkdir(dirname(resolve(file)), { recursive: true });
  const print = (text: string) => console.log(`${text}\n`);
  const keep = (results: Results) => writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);

  print(facts(empty));
  const sections = sectionsOf(directory, sizes[size]);
  const { results, failed } = await runSections(sections, empty, { say, print, keep });
  if (before) print(comparison(before, results));
  print(`written to ${file}`);
  if (failed.length === 0) return;
  print(`without what failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

function sectionsOf(directory: string, size: Size): readonly Section[] {
  return [
    { name: "rates", measure: () => withChildren(rates), show: showRates },
    { name: "hashing of passwords", measure: () => withChildren(hashing), show: showHashing },
    { name: "processes", measure: () => withChildren(processes), show: showProcesses },
    { name: "memory", measure: () => withChildren(memory(false)), show: showMemory },
    { name: "memory, collected", measure: () => withChildren(memory(true)), show: showMemory },
    { name: "start", measure: starts, show: showStarts },
  ];

  async function rates(start: StartChild) {
    const server = await startServer(start);
    const load = start<LoadAnswers>("load.ts");
    const bare = start<BareAnswers>("bare.ts");
    const appends = start<AppendsAnswers>("appends.ts", { args: [directory] });
    return await measureRates({ server, load, bare, appends }, size.pace, say);
  }

  async function hashing(start: StartChild) {
    const server = await startServer(start);
    const load = start<LoadAnswers>("load.ts");
    const importer = start<LoadAnswers>("load.ts");
    const hashes = start<HashesAnswers>("hashes.ts", { env: hashesEnv });
    return await measureHashing({ server, load, importer, hashes }, size, say);
  }

  async function processes(start: StartChild) {
    return await measureProcesses(directory, start<LoadAnswers>("load.ts"), size.pace, say);
  }

  function memory(collect: boolean) {
    return async (start: StartChild) => {
      const server = await startServer(start, collect ? ["--expose-gc"] : []);
      const load = start<LoadAnswers>("load.ts");
      return { resident: [await measureMemory(server, load, size, collect)] };
    };
  }

  async function starts() {
    return { startMs: await measureStarts(directory, size) };
  }

  async function startServer(start: StartChild, nodeArgs: readonly string[] = []) {
    const dataDir = await mkdtemp(join(directory, "server-"));
    const stderr = openSync("/dev/null", "w");
    return start<ServerAnswers>("server.ts", { args: [dataDir], nodeArgs, stderr });
  }
}

/** Progress, which is not part of the result. */
function say(text: string): void {
  process.stderr.write(`… ${text}\n`);
}
