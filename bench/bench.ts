import { openSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { AppendsAnswers } from "./appends.ts";
import type { BareAnswers } from "./bare.ts";
import { startChild } from "./child.ts";
import type { HashesAnswers } from "./hashes.ts";
import { measureHashing } from "./hashing.ts";
import type { LoadAnswers } from "./load.ts";
import { describeMachine } from "./machine.ts";
import { measureMemory } from "./memory.ts";
import { measureRates, type Pace } from "./rates.ts";
import { comparison, report } from "./report.ts";
import type { Resident, Results } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import { measureStarts } from "./start.ts";

const usage = `Usage: node bench/bench.ts [--quick] [--json FILE] [--compare FILE] [--dir DIR]

Measures the service and what it is compared with; about six minutes.

  --quick         short measurements, about a minute, for developing
  --json FILE     where the numbers go [bench/out/<time>.json]
  --compare FILE  shows the numbers of an earlier run next to this one's
  --dir DIR       where the data lies while it runs, on a disk [bench/out]`;

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    compare: { type: "string" },
    dir: { type: "string", default: join(import.meta.dirname, "out") },
    help: { type: "boolean", default: false },
  },
});

const pace: Pace = flags.quick
  ? { repetitions: 2, warmUpMs: 50, measureMs: 400 }
  : { repetitions: 3, warmUpMs: 250, measureMs: 1_500 };
const memoryCalls = flags.quick ? 3_000 : 10_000;
const starts = flags.quick ? 3 : 5;
/** Bare hashes run in libuv's pool, which has 4 threads however many cores there are. */
const hashesEnv = { UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism())) };

if (flags.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  // Read first: a file that is not there should not cost six minutes.
  const before = flags.compare && (JSON.parse(await readFile(flags.compare, "utf8")) as Results);
  await mkdir(flags.dir, { recursive: true });
  const directory = await mkdtemp(join(resolve(flags.dir), "data-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  process.on("SIGINT", () => process.exit(130));

  const results = await measure(directory);
  const file = flags.json ?? join(flags.dir, `${results.machine.at.replaceAll(":", "-")}.json`);
  await mkdir(dirname(resolve(file)), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);
  console.log(report(results));
  if (before) console.log(`\n${comparison(before, results)}`);
  console.log(`\nwritten to ${file}`);
}

async function measure(directory: string): Promise<Results> {
  const machine = await describeMachine(directory);
  const load = startChild<LoadAnswers>("load.ts");
  const rates = await withServer(directory, [], async (server) => {
    const bare = startChild<BareAnswers>("bare.ts");
    const appends = startChild<AppendsAnswers>("appends.ts", { args: [directory] });
    const measured = await measureRates({ server, load, bare, appends }, pace, say);
    await Promise.all([bare.stop(), appends.stop()]);
    return measured;
  });

  say("hashing of passwords");
  const hashing = await withServer(directory, [], async (server) => {
    const hashes = startChild<HashesAnswers>("hashes.ts", { env: hashesEnv });
    const importer = startChild<LoadAnswers>("load.ts");
    const measured = await measureHashing({ server, load, importer, hashes }, pace, say);
    await Promise.all([hashes.stop(), importer.stop()]);
    return measured;
  });

  say("memory");
  const resident: Resident[] = [];
  for (const collect of [false, true]) {
    const nodeArgs = collect ? ["--expose-gc"] : [];
    const options = { calls: memoryCalls, collect };
    resident.push(
      await withServer(directory, nodeArgs, (server) => measureMemory(server, load, options)),
    );
  }
  await load.stop();

  say("start");
  const startMs = await measureStarts(directory, starts);
  return {
    ...{ machine, quick: flags.quick, startMs, resident },
    rows: [...rates.rows, ...hashing.rows],
    ratios: { ...rates.ratios, ...hashing.ratios },
  };
}

async function withServer<T>(
  directory: string,
  nodeArgs: readonly string[],
  use: (server: ReturnType<typeof startChild<ServerAnswers>>) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(directory, "server-"));
  const stderr = openSync("/dev/null", "w");
  const server = startChild<ServerAnswers>("server.ts", { args: [dataDir], nodeArgs, stderr });
  const result = await use(server);
  await server.stop();
  return result;
}

/** Progress, which is not part of the result. */
function say(text: string): void {
  process.stderr.write(`… ${text}\n`);
}
