// Shows that nothing that was acknowledged is lost: kills the service in the middle of its work,
// lets the power fail, and lets the disk fail, as often as asked for. Run it with "make crash".
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { withChildren } from "../bench/child.ts";
import {
  databaseKinds,
  type Found,
  fileKinds,
  type Job,
  jobKinds,
  type Result,
} from "./crash/jobs.ts";
import type { LaneAnswers } from "./crash/lane.ts";
import { problemKinds } from "./crash/ledger.ts";
import { loginMoments } from "./crash/logins.ts";
import { type Plant, plants } from "./crash/plants.ts";
import { onPostgres, postgresPlants } from "./crash/postgres/plants.ts";
import { cutsAtOnce } from "./crash/postgres/rounds.ts";
import { findCompiler } from "./disk/disk.ts";
import { inMemory } from "./harness/memory.ts";
import { plant } from "./harness/plant.ts";
import { findPostgres } from "./harness/postgres-programs.ts";

const usage = `Usage: make crash [ARGS="[flags]"]

Kills the service, lets its power and its disk fail, and looks for what it acknowledged. Ends with 1
where that is lost, or not as it was answered; what shows it is then kept, and named.

  --rounds N       how often the service is killed [20]
  --images N       how often the power fails [50]
  --disk-rounds N  how often the disk fails [a tenth of the rounds]
  --logins N       how often the service is killed in a login: in each of its steps, and behind
                   each [${loginMoments}, which is once everywhere]
  --erasures N     how often it is killed while it erases a person, or behind that, and how often
                   the power fails meanwhile [50]
  --removals N     how often it is killed while it removes a large organization, or behind that,
                   and once more before all is gone; each takes a minute [2]
  --role-removals N  how often it is killed while it removes one role that many hold, and what
                   is left of that; each takes a minute [10]
  --holders N      how many hold that role [100000]
  --seed N         chooses all that is random but the time that things take [another each time]
  --image K        makes this one image only, of a new recording or of one that was kept:
  --recording DIR  what was kept of an image that showed something
  --postgres       several nodes on one PostgreSQL instead, of which one is killed so many rounds
  --service-rounds N  how often a node that serves is killed, one a second [half of the rounds]
  --server-rounds N  how often PostgreSQL is killed, and how often connections are cut [half of
                   the rounds]
  --cuts N         how many connections are greeted and cut at once [100]
  --stops N        how often a node stands still for 8 seconds, in calls with and without an
                   idempotency key [2]
  --failovers N    how often a standby takes over, a synchronous one and one that is behind [1]
  --lanes N        how many work at the same time [one for each core]
  --dir DIR        where the data lies while it runs, on a disk [${tmpdir()}]
  --faults         plants faults in copies of the service and shows what finds each`;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    images: { type: "string", default: "50" },
    "disk-rounds": { type: "string" },
    logins: { type: "string", default: String(loginMoments) },
    erasures: { type: "string", default: "50" },
    removals: { type: "string", default: "2" },
    "role-removals": { type: "string", default: "10" },
    holders: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    image: { type: "string" },
    recording: { type: "string" },
    postgres: { type: "boolean", default: false },
    "service-rounds": { type: "string" },
    "server-rounds": { type: "string" },
    cuts: { type: "string", default: "100" },
    stops: { type: "string", default: "2" },
    failovers: { type: "string", default: "1" },
    lanes: { type: "string", default: String(availableParallelism()) },
    dir: { type: "string", default: tmpdir() },
    faults: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Rounds on one directory or server, and images of one recording. */
const together = {
  ...{ kills: 25, disk: 10, images: 100, logins: loginMoments, erasures: 25 },
  ...{ "erasure-images": 50, removals: 1, "role-removals": 10 },
  ...{ nodes: 60, service: 60, server: 10, connections: 50, synchronous: 2, asynchronous: 2 },
  ...{ greetings: 100, keyed: 10, unkeyed: 10 },
} as const;
/** A recording ends the service in the middle, and has as many answers before that as after it. */
const recording = { runs: 2, answers: 400 } as const;
/** Rounds and images in which a planted fault has to be found. */
const faultNumbers = {
  ...{ kills: 25, disk: 40, images: 100, logins: loginMoments, erasures: 25 },
  ...{ "erasure-images": 50, removals: 2, "role-removals": 2 },
  ...{ nodes: 10, service: 10, server: 10, connections: 20, synchronous: 1, asynchronous: 1 },
  ...{ greetings: 2, keyed: 5, unkeyed: 5 },
} as const;
/** Of these, some are left after the first append. */
const faultHolders = 1_200;
/** What a job of a kind does. */
const titles = {
  ...{ kills: "kills", disk: "disk rounds", images: "images", logins: "kills in a login" },
  erasures: "kills in an erasure",
  "erasure-images": "images of erasures",
  removals: "kills in a removal",
  "role-removals": "kills in the removal of a role",
  nodes: "kills of a node",
  ...{
    service: "kills of a node that serves",
    server: "kills of PostgreSQL",
    connections: "rounds of cuts",
    greetings: "rounds of cut greetings",
    keyed: "stops in calls with a key",
    unkeyed: "stops in calls without",
  },
  ...{ synchronous: "failovers", asynchronous: "failovers to one that is behind" },
} as const;

if (flags.help) print(usage);
else await main().catch(fail);

async function main(): Promise<void> {
  const compiler = flags.postgres ? "" : findCompiler();
  if (compiler === undefined) throw new Error("It takes Linux and a C compiler: install gcc.");
  if (flags.postgres && findPostgres() === undefined) {
    throw new Error(
      "It takes a server of PostgreSQL: name the folder of one in IAM_TEST_POSTGRES.",
    );
  }
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
    onPostgres: flags.postgres,
    holders: flags.faults ? faultHolders : numberOf("holders", flags.holders),
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
  const half = `${rounds >> 1}`;
  const serverRounds = numberOf("server-rounds", flags["server-rounds"] ?? half);
  const serviceRounds = numberOf("service-rounds", flags["service-rounds"] ?? half);
  const failovers = numberOf("failovers", flags.failovers);
  const stops = numberOf("stops", flags.stops);
  const counts = {
    images: numberOf("images", flags.images),
    disk: numberOf("disk-rounds", flags["disk-rounds"] ?? String(Math.ceil(rounds / 10))),
    ...{ kills: rounds, nodes: rounds, server: serverRounds, connections: serverRounds },
    ...{ service: serviceRounds, synchronous: failovers, asynchronous: failovers },
    greetings: Math.ceil(numberOf("cuts", flags.cuts) / cutsAtOnce),
    ...{ keyed: Math.ceil(stops / 2), unkeyed: Math.floor(stops / 2) },
    logins: numberOf("logins", flags.logins),
    ...{ erasures: numberOf("erasures", flags.erasures) },
    "erasure-images": numberOf("erasures", flags.erasures),
    removals: numberOf("removals", flags.removals),
    "role-removals": numberOf("role-removals", flags["role-removals"]),
  };
  return kindsNow().flatMap((kind) => {
    const all = Array.from({ length: counts[kind] }, (_, number) => number);
    const firsts = all.filter((number) => number % together[kind] === 0);
    return firsts.map((first) => jobOf(kind, first, all.slice(first, first + together[kind])));
  });
}

function kindsNow(): readonly Job["kind"][] {
  return flags.postgres ? databaseKinds : fileKinds;
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
  const problems = results.flatMap((result) => result.problems);
  for (const kind of problemKinds) {
    print(`${kind.padEnd(8)} ${problems.filter((one) => one.kind === kind).length}`);
  }
  for (const kind of kindsNow()) {
    const own = results.filter(({ job }) => job.kind === kind);
    const sum = (value: (result: Result) => number) =>
      own.reduce((all, result) => all + value(result), 0);
    const count = (of: Found["kind"]) =>
      `${sum((result) => result.problems.filter(({ kind }) => kind === of).length)} ${of}`;
    // An image that lacks one event lacks many.
    const bad = sum((result) => new Set(result.problems.map(({ number }) => number)).size);
    const forgiven = sum((result) => result.forgiven);
    const noticed = kind === "asynchronous" ? `, ${forgiven} gone and noticed` : "";
    const [done, acknowledged] = [sum((one) => one.done), sum((one) => one.acknowledged)];
    const told = flags.postgres ? (["twice", "skipped", "repeated"] as const) : [];
    const counts = [`${acknowledged} acknowledged`, count("lost"), ...told.map(count)];
    const what = kind === "images" ? `${bad} lost` : counts.join(", ");
    print(`${done} ${titles[kind]}: ${what}${noticed}.`);
  }
  if (problems.length > 0) process.exitCode = 1;
  return problems.length > 0;
}

function lineOf({ kind, numbers, seed }: Job, { done, acknowledged, problems, kept }: Result) {
  const range = `${titles[kind]} ${numbers[0]} to ${(numbers[0] ?? 0) + done - 1} (${seed})`;
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
  const planted = flags.postgres ? postgresPlants : plants;
  const found = await inLanes(planted, async (fault: Plant, run) => {
    const project = join(directory, fault.name.replaceAll(" ", "-"));
    await plant(project, fault, flags.postgres ? onPostgres : []);
    const { foundBy } = fault;
    const { shows } = fault;
    const numbers = Array.from({ length: faultNumbers[foundBy] }, (_, number) => number);
    const job = { ...jobOf(foundBy, planted.indexOf(fault), numbers), project, endsEarly: true };
    const { done, problems } = await run(job);
    const first = problems.find(({ kind }) => shows === undefined || kind === shows);
    const others = [...new Set(problems.map(({ kind, text: says }) => `${kind}: ${says}`))];
    const text = first
      ? `found after ${done} ${titles[foundBy]}: ${first.kind}: ${first.text}`
      : `NOT FOUND${others.length > 0 ? ` as ${shows}, but ${others.slice(0, 5).join("; ")}` : ""}`;
    print(`${fault.name} → ${text}`);
    return first !== undefined;
  });
  const missed = found.filter((isFound) => !isFound).length;
  print(`${planted.length} faults, ${missed === 0 ? "all found" : `${missed} not found`}.`);
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
