// Shows that nothing that was acknowledged is lost: kills the service in the middle of its work,
// lets the power fail, and lets the disk fail, as often as asked for. Run it with "make crash".
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { withChildren } from "../bench/child.ts";
import { type Job, jobKinds, type Result } from "./crash/jobs.ts";
import type { LaneAnswers } from "./crash/lane.ts";
import { problemKinds } from "./crash/ledger.ts";
import { type Plant, plants } from "./crash/plants.ts";
import { findCompiler } from "./disk/disk.ts";
import { inMemory } from "./harness/memory.ts";
import { plant } from "./harness/plant.ts";

const usage = `Usage: make crash [ARGS="[flags]"]

Kills the service, lets its power and its disk fail, and looks for what it acknowledged. Ends with 1
where that is lost, or not as it was answered; what shows it is then kept, and named.

  --rounds N       how often the service is killed [20]
  --images N       how often the power fails [50]
  --disk-rounds N  how often the disk fails [a tenth of the rounds]
  --seed N         chooses all that is random but the time that things take [another each time]
  --image K        makes this one image only, of a new recording or of one that was kept:
  --recording DIR  what was kept of an image that showed something
  --lanes N        how many work at the same time [one for each core]
  --dir DIR        where the data lies while it runs, on a disk [${tmpdir()}]
  --faults         plants faults in copies of the service and shows what finds each`;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    images: { type: "string", default: "50" },
    "disk-rounds": { type: "string" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    image: { type: "string" },
    recording: { type: "string" },
    lanes: { type: "string", default: String(availableParallelism()) },
    dir: { type: "string", default: tmpdir() },
    faults: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Rounds on one directory, and images of one recording. */
const together = { kills: 25, disk: 10, images: 100 } as const;
/** A recording ends the service in the middle, and has as many answers before that as after it. */
const recording = { runs: 2, answers: 400 } as const;
/** Rounds and images in which a planted fault has to be found. */
const faultNumbers = { kills: 25, disk: 40, images: 100 } as const;

if (flags.help) print(usage);
else await main().catch(fail);

async function main(): Promise<void> {
  const compiler = findCompiler();
  if (compiler === undefined) throw new Error("It takes Linux and a C compiler: install gcc.");
  await mkdir(flags.dir, { recursive: true });
  const directory = await mkdtemp(join(resolve(flags.dir), "iam-crash-"));
  process.on("SIGINT", () => {
    rmSync(directory, { recursive: true, force: true });
    process.exit(130);
  });
  const seed = numberOf("seed", flags.seed);
  print(`seed ${seed}`);
  const imageDirectory = inMemory();
  const jobOf = (kind: Job["kind"], first: number, numbers: readonly number[]): Job => ({
    ...{ kind, numbers, compiler, directory, imageDirectory, ...recording },
    // Each directory has a seed of its own, whatever else there is.
    seed: (seed + first * jobKinds.length + jobKinds.indexOf(kind)) % 2 ** 31,
  });
  const kept = flags.faults
    ? await runFaults(jobOf, directory)
    : await runAll(flags.image === undefined ? jobsOf(jobOf) : [imageOf(jobOf)]);
  if (!kept) await rm(directory, { recursive: true, force: true });
}

type JobOf = (kind: Job["kind"], first: number, numbers: readonly number[]) => Job;

/** All that is asked for, in pieces. */
function jobsOf(jobOf: JobOf): readonly Job[] {
  const rounds = numberOf("rounds", flags.rounds);
  const counts = {
    images: numberOf("images", flags.images),
    disk: numberOf("disk-rounds", flags["disk-rounds"] ?? String(Math.ceil(rounds / 10))),
    kills: rounds,
  };
  return jobKinds.flatMap((kind) => {
    const all = Array.from({ length: counts[kind] }, (_, number) => number);
    const firsts = all.filter((number) => number % together[kind] === 0);
    return firsts.map((first) => jobOf(kind, first, all.slice(first, first + together[kind])));
  });
}

/** The one image that is asked for. */
function imageOf(jobOf: JobOf): Job {
  const image = numberOf("image", flags.image ?? "");
  const first = image - (image % together.images);
  const job = jobOf("images", first, [image]);
  return flags.recording === undefined ? job : { ...job, recording: resolve(flags.recording) };
}

/** Does the jobs, says what came of them, and answers whether anything was kept. */
async function runAll(jobs: readonly Job[]): Promise<boolean> {
  const results = await inLanes(jobs, async (job, run) => {
    const result = await run(job);
    print(lineOf(job, result));
    return { job, ...result };
  });
  const of = (kind: Job["kind"]) => {
    const own = results.filter(({ job }) => job.kind === kind);
    const sum = (value: (result: Result) => number) =>
      own.reduce((all, result) => all + value(result), 0);
    return {
      done: sum(({ done }) => done),
      acknowledged: sum(({ acknowledged }) => acknowledged),
      lost: sum(({ problems }) => problems.filter((one) => one.kind === "lost").length),
      // An image that lacks one event lacks many.
      bad: sum(({ problems }) => new Set(problems.map(({ number }) => number)).size),
    };
  };
  const problems = results.flatMap((result) => result.problems);
  for (const kind of problemKinds) {
    print(`${kind.padEnd(8)} ${problems.filter((one) => one.kind === kind).length}`);
  }
  const [kills, disk, images] = [of("kills"), of("disk"), of("images")];
  print(`${disk.done} disk rounds, ${disk.acknowledged} acknowledged, ${disk.lost} lost.`);
  print(
    `${kills.done} rounds, ${kills.acknowledged} acknowledged, ${kills.lost} lost; ` +
      `${images.done} images, ${images.bad} lost.`,
  );
  if (problems.length > 0) process.exitCode = 1;
  return problems.length > 0;
}

function lineOf({ kind, numbers, seed }: Job, { done, acknowledged, problems, kept }: Result) {
  const what = { kills: "kills", disk: "disk rounds", images: "images" }[kind];
  const range = `${what} ${numbers[0]} to ${(numbers[0] ?? 0) + done - 1} (${seed})`;
  const first = problems[0]?.number;
  const again = `--seed ${flags.seed} --image ${first} --recording ${kept}`;
  return [
    `${range}: ${acknowledged} acknowledged, ${problems.length} problems`,
    ...problems.slice(0, 20).map(({ number, kind: of, text }) => `  ${number}: ${of}: ${text}`),
    ...(kept === undefined ? [] : [`  kept in ${kept}`]),
    ...(kind === "images" && first !== undefined ? [`  make crash ARGS="${again}"`] : []),
  ].join("\n");
}

/** Plants each fault and says what finds it; answers that nothing is kept. */
async function runFaults(jobOf: JobOf, directory: string): Promise<boolean> {
  const found = await inLanes(plants, async (fault: Plant, run) => {
    const project = join(directory, fault.name.replaceAll(" ", "-"));
    await plant(project, fault);
    const { foundBy } = fault;
    const numbers = Array.from({ length: faultNumbers[foundBy] }, (_, number) => number);
    const job = { ...jobOf(foundBy, plants.indexOf(fault), numbers), project, endsEarly: true };
    const { done, problems } = await run(job);
    const [first] = problems;
    const what = { kills: "round", disk: "disk round", images: "image" }[foundBy];
    const text = first ? `found by ${what} ${done}: ${first.kind}: ${first.text}` : "NOT FOUND";
    print(`${fault.name} → ${text}`);
    return first !== undefined;
  });
  const missed = found.filter((isFound) => !isFound).length;
  print(`${plants.length} faults, ${missed === 0 ? "all found" : `${missed} not found`}.`);
  if (missed > 0) process.exitCode = 1;
  return false;
}

/** Hands the items out to processes that each do one job at a time. */
async function inLanes<Item, Value>(
  items: readonly Item[],
  work: (item: Item, run: (job: Job) => Promise<Result>) => Promise<Value>,
): Promise<readonly Value[]> {
  return await withChildren(async (start) => {
    const queue = items.values();
    const values: Value[] = [];
    const count = Math.min(numberOf("lanes", flags.lanes), items.length);
    const lanes = Array.from({ length: count }, async () => {
      const lane = start<LaneAnswers>("../test/crash/lane.ts");
      for (const item of queue) values.push(await work(item, (job) => lane.ask("run", job)));
    });
    await Promise.all(lanes);
    return values;
  });
}

function numberOf(flag: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${flag} is a number, not ${text}`);
  return Number(text);
}

function fail(error: Error): void {
  print(error.message);
  process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
