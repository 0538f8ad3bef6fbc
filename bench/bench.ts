import { openSync, rmSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { installPackages } from "../test/harness/packages.ts";
import { measureAttack } from "./action-attack.ts";
import { askedOf, measureTokens } from "./action-tokens.ts";
import { measureActions, showActions } from "./actions.ts";
import type { AppendsAnswers } from "./appends.ts";
import type { BareAnswers } from "./bare.ts";
import { measureBeside, showBeside } from "./beside.ts";
import { measureBytes, showBytes } from "./bytes.ts";
import { measureChain, showChain } from "./chain.ts";
import { type StartChild, withChildren } from "./child.ts";
import { showGrowth, showPeers } from "./compared.ts";
import { measureErasures, showErasures } from "./erase.ts";
import { measureGrants, showGrants } from "./grants/measure.ts";
import { measureGrowth } from "./growth.ts";
import type { HashesAnswers } from "./hashes.ts";
import { measureHashing } from "./hashing.ts";
import type { LoadAnswers } from "./load.ts";
import type { ElsewhereAnswers } from "./login/elsewhere.ts";
import type { FlowAnswers } from "./login/flows.ts";
import type { LibraryAnswers } from "./login/library.ts";
import { measureLogin, showLogin } from "./login/measure.ts";
import { describeMachine } from "./machine.ts";
import { measureMemory } from "./memory.ts";
import { measureMetrics, showMetrics } from "./metrics.ts";
import type { BetterAuthAnswers } from "./peers/better-auth.ts";
import { measurePeers } from "./peers.ts";
import { measurePostgres, showPostgres } from "./postgres/measure.ts";
import { measureRolling, showRolling } from "./postgres/rolling.ts";
import { measureProcesses, showProcesses } from "./processes.ts";
import { measureRates } from "./rates.ts";
import { comparison, facts, showHashing, showMemory, showRates, showStarts } from "./report.ts";
import type { Results } from "./results.ts";
import { runSections, type Section } from "./sections.ts";
import type { ServerAnswers } from "./server.ts";
import { type Size, type SizeName, sizeNamed, sizes, sizeUsage } from "./sizes.ts";
import { measureStarts } from "./start.ts";
import { measureTools, showTools } from "./tools.ts";
import type { WatcherAnswers } from "./watchers.ts";

const usage = `Usage: node bench/bench.ts [--size SIZE] [--only PART]... [--json FILE]
                           [--compare FILE] [--dir DIR]

Measures the service and what it is compared with; about an hour. What a part of it found is
shown and written when the part is done. Ends with 1 where a part failed.

${sizeUsage}
  --only PART     one of the parts that are measured, and others where it is given again: rates,
                  passwords, login, peers, processes, bytes, memory, memory-collected,
                  watchers, start, stores, chain, tools, erase, grants, actions, metrics, postgres,
                  rolling [all]
  --json FILE     where the numbers go [bench/out/<time>.json]
  --compare FILE  shows the numbers of an earlier run next to this one's
  --dir DIR       where the data lies while it runs, on a disk [bench/out]`;

const { values: flags } = parseArgs({
  options: {
    size: { type: "string", default: "full" },
    only: { type: "string", multiple: true },
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
  // Read first: a file that is not there should not cost an hour.
  const before = flags.compare && (JSON.parse(await readFile(flags.compare, "utf8")) as Results);
  await mkdir(flags.dir, { recursive: true });
  const directory = await mkdtemp(join(resolve(flags.dir), "data-"));
  // A server of PostgreSQL runs as another user where this runs as root.
  await chmod(directory, 0o711);
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  process.on("SIGINT", () => process.exit(130));

  const machine = await describeMachine(directory, size);
  const empty = { machine, size, rows: [], ratios: {}, startMs: {}, resident: [], grown: [] };
  const file = flags.json ?? join(flags.dir, `${machine.at.replaceAll(":", "-")}.json`);
  await mkdir(dirname(resolve(file)), { recursive: true });
  const print = (text: string) => console.log(`${text}\n`);
  const keep = (results: Results) => writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);

  const sections = chosen(sectionsOf(directory, size), flags.only);
  print(facts(empty));
  const { results, failed } = await runSections(sections, empty, { say, print, keep });
  if (before) print(comparison(before, results));
  print(`written to ${file}`);
  if (failed.length === 0) return;
  print(`without what failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** The parts that are named, or all; throws a sentence where there is no such part. */
function chosen(sections: readonly Section[], only: readonly string[] | undefined) {
  const names = sections.map(({ name }) => name);
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown === undefined) return sections.filter(({ name }) => only?.includes(name) ?? true);
  throw new Error(`--only is one of ${names.join(", ")}, not ${unknown}`);
}

function sectionsOf(directory: string, name: SizeName): readonly Section[] {
  const size: Size = sizes[name];
  return [
    { name: "rates", measure: () => withChildren(rates), show: showRates },
    { name: "passwords", measure: () => withChildren(hashing), show: showHashing },
    { name: "login", measure: () => withChildren(login), show: showLogin },
    peers(),
    { name: "processes", measure: () => withChildren(processes), show: showProcesses },
    { name: "bytes", measure: () => withChildren(bytes), show: showBytes },
    { name: "memory", measure: () => withChildren(memory(false)), show: showMemory },
    { name: "memory-collected", measure: () => withChildren(memory(true)), show: showMemory },
    { name: "watchers", measure: () => withChildren(beside), show: showBeside },
    { name: "start", measure: starts, show: showStarts },
    { name: "stores", measure: () => withChildren(growth), show: showGrowth },
    { name: "chain", measure: () => withChildren(chain), show: showChain },
    { name: "tools", measure: () => withChildren(tools), show: showTools },
    { name: "erase", measure: () => withChildren(erasures), show: showErasures },
    { name: "grants", measure: () => withChildren(grants), show: showGrants },
    { name: "actions", measure: () => withChildren(actions), show: showActions },
    { name: "metrics", measure: () => withChildren(metrics), show: showMetrics },
    { name: "postgres", measure: () => withChildren(postgres), show: showPostgres },
    { name: "rolling", measure: () => withChildren(rolling), show: showRolling },
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

  async function login(start: StartChild) {
    const server = await startServer(start);
    const library = start<LibraryAnswers>("login/library.ts", {
      // It warns of what is only in memory.
      ...{ env: hashesEnv, stderr: nowhere() },
    });
    const elsewhere = start<ElsewhereAnswers>("login/elsewhere.ts", { stderr: nowhere() });
    const load = start<LoadAnswers>("load.ts");
    const flows = start<FlowAnswers>("login/flows.ts");
    return await measureLogin({ server, library, load, flows, elsewhere }, size.pace, say);
  }

  async function processes(start: StartChild) {
    return await measureProcesses(directory, start<LoadAnswers>("load.ts"), size.pace, say);
  }

  async function beside(start: StartChild) {
    const server = await startServer(start);
    const load = start<LoadAnswers>("load.ts");
    const watchers = start<WatcherAnswers>("watchers.ts");
    return await measureBeside(server, load, watchers, size, say);
  }

  async function bytes(start: StartChild) {
    const server = await startServer(start);
    return await measureBytes(server, start<LoadAnswers>("load.ts"), size, say);
  }

  function memory(collect: boolean) {
    return async (start: StartChild) => {
      const server = await startServer(start, collect ? ["--expose-gc"] : []);
      const load = start<LoadAnswers>("load.ts");
      return { resident: [await measureMemory(server, load, size, collect)] };
    };
  }

  /** Where others cannot be had, the rest is measured without them. */
  function peers(): Section {
    let missing: string | undefined;
    const measure = async (start: StartChild) => {
      const server = await startServer(start);
      const load = start<LoadAnswers>("load.ts");
      const options = { args: [directory], env: hashesEnv };
      const betterAuth = start<BetterAuthAnswers>("peers/better-auth.ts", options);
      return await measurePeers({ server, load, betterAuth }, size.pace, say);
    };
    return {
      name: "peers",
      measure: async () => {
        const folder = join(import.meta.dirname, "peers");
        missing = await installPackages(folder, { mayInstall: name !== "smoke" });
        return missing === undefined ? await withChildren(measure) : {};
      },
      show: (figures) =>
        missing === undefined ? showPeers(figures) : `better-auth is left out: ${missing}`,
    };
  }

  async function growth(start: StartChild) {
    return await measureGrowth(directory, size, onFilled(start));
  }

  async function tools(start: StartChild) {
    return await measureTools(directory, size, onFilled(start));
  }

  async function erasures(start: StartChild) {
    return await measureErasures(directory, size, onFilled(start));
  }

  /** What calls the service on stores that are filled. */
  function onFilled(start: StartChild) {
    const load = start<LoadAnswers>("load.ts");
    const startServer = (dataDir: string, project: string) =>
      start<ServerAnswers>("server.ts", {
        ...{ args: [dataDir, project], nodeArgs: ["--expose-gc"], stderr: nowhere() },
      });
    return { startServer, load, say };
  }

  async function chain(start: StartChild) {
    const without = join(import.meta.dirname, "unchained.ts");
    const chained = await startServer(start);
    const unchained = await startServer(start, ["--import", without]);
    const compared = { chained, unchained, load: start<LoadAnswers>("load.ts") };
    return await measureChain(compared, size, say);
  }

  async function grants(start: StartChild) {
    return await measureGrants(start, directory, size, say);
  }

  async function actions(start: StartChild) {
    const server = await startServer(start);
    const asked = await askedOf({ server, flows: start<FlowAnswers>("login/flows.ts") });
    const attackers = [start<LoadAnswers>("load.ts"), start<LoadAnswers>("load.ts")] as const;
    const tokens = await measureTokens(asked, size.pace, say);
    const logins = await measureAttack({ ...asked, attackers }, size.pace, say);
    const runs = await measureActions(size.pace, say);
    return { rows: [...tokens.rows, ...runs.rows, ...logins.rows], ratios: logins.ratios };
  }

  async function metrics(start: StartChild) {
    return await measureMetrics(directory, start<LoadAnswers>("load.ts"), size.pace, say);
  }

  async function postgres(start: StartChild) {
    return await measurePostgres(start, directory, size, say);
  }

  async function rolling(start: StartChild) {
    return await measureRolling(start, directory, size, say);
  }

  async function starts() {
    return { startMs: await measureStarts(directory, size) };
  }

  async function startServer(start: StartChild, nodeArgs: readonly string[] = []) {
    const dataDir = await mkdtemp(join(directory, "server-"));
    return start<ServerAnswers>("server.ts", { args: [dataDir], nodeArgs, stderr: nowhere() });
  }
}

/** Where the log of a server goes. */
function nowhere(): number {
  return openSync("/dev/null", "w");
}

/** Progress, which is not part of the result. */
function say(text: string): void {
  process.stderr.write(`… ${text}\n`);
}
