// Simulates several nodes on one log, with all that may befall them, in a time that takes none, and
// looks for what must never be. Run it with "make simulate"; a seed that fails is replayed with
// --seed, and has the same things happen in the same order.
import { parseArgs } from "node:util";
import { simulatePlanted } from "./simulation/planting.ts";
import { plants } from "./simulation/plants.ts";
import { simulate } from "./simulation/run.ts";

const usage = `Usage: make simulate [ARGS="[flags]"]

Simulates nodes on one log while connections are lost, nodes die, another server takes over and
clocks are set, and looks for what is lost, done twice, skipped or told wrongly. Ends with 1 where
it finds any.

  --seeds N    how many simulations [1000]
  --first S    the seed of the first, from which on they are counted [1]
  --seed S     this one alone, with all that happens in it
  --faults     plants faults in copies of the service and shows which seed finds each`;

const { values: flags } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
    faults: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Lines of the trace that are shown of a seed that fails. */
const shownLines = 40;

if (flags.help) print(usage);
else if (flags.faults) await runPlants();
else if (flags.seed !== undefined) await replay(numberOf("seed", flags.seed));
else await runAll(numberOf("first", flags.first), numberOf("seeds", flags.seeds));

async function runAll(first: number, count: number): Promise<void> {
  let [events, acknowledged, deliveries] = [0, 0, 0];
  const startedMs = performance.now();
  for (let seed = first; seed < first + count; seed += 1) {
    const report = await simulate(seed);
    events += report.events;
    acknowledged += report.acknowledged;
    deliveries += report.deliveries;
    if (report.problems.length > 0) {
      const { trace } = await simulate(seed, true);
      for (const line of trace.slice(-shownLines)) print(line);
      for (const problem of report.problems) print(`seed ${seed}: ${problem}`);
      print(`It is replayed with: make simulate ARGS="--seed ${seed}"`);
      process.exitCode = 1;
      return;
    }
  }
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  print(
    `${count} simulations from seed ${first}, ${seconds} s: ${events} events, ` +
      `${acknowledged} acknowledged, ${deliveries} messages on their way, nothing wrong.`,
  );
}

async function replay(seed: number): Promise<void> {
  const { weather, trace, problems } = await simulate(seed, true);
  print(JSON.stringify(weather));
  for (const line of trace) print(line);
  for (const problem of problems) print(`seed ${seed}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

/** Plants each mistake, two at a time, and says which seed finds it. */
async function runPlants(): Promise<void> {
  const queue = plants.values();
  let missed = 0;
  const lane = async () => {
    for (const mistake of queue) {
      const { seed, text } = await simulatePlanted(mistake);
      const found = `found by seed ${seed} of ${mistake.seeds}: ${text.slice(0, 120)}`;
      print(`${mistake.name} → ${seed === undefined ? `NOT FOUND: ${text}` : found}`);
      if (seed === undefined) missed += 1;
    }
  };
  await Promise.all([lane(), lane()]);
  print(`${plants.length} faults, ${missed === 0 ? "all found" : `${missed} not found`}.`);
  if (missed > 0) process.exitCode = 1;
}

function numberOf(flag: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${flag} is a number, not ${text}`);
  return Number(text);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
