import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeDisk } from "../disk/disk.ts";
import { createRandom } from "../gateway/native/random.ts";
import { endProcesses } from "../harness/process.ts";
import { failDisk } from "./disk-rounds.ts";
import { loseErasures } from "./erasure-images.ts";
import { runErasures } from "./erasures.ts";
import type { Problem } from "./ledger.ts";
import { type LoginsOptions, type LoginsResult, runLogins } from "./logins.ts";
import { losePower } from "./losses.ts";
import { postgresKinds, runOnPostgres } from "./postgres/rounds.ts";
import { database, masterKey, startServerIn } from "./postgres/scene.ts";
import { type Recording, readRecording, record } from "./recording.ts";
import { runRemovals } from "./removals.ts";
import { runRoleRemovals } from "./role-removals.ts";
import { createSeries, end, kill, type Series } from "./series.ts";

/** What a job does: rounds that end by a kill, of some kinds in one operation, or images. */
export const fileKinds = [
  ...(["images", "disk", "kills", "logins"] as const),
  ...(["erasures", "erasure-images", "removals", "role-removals"] as const),
] as const;

/** What jobs do with PostgreSQL. */
export const databaseKinds = [...postgresKinds, "logins", "role-removals"] as const;

/** All that jobs do. */
export const jobKinds = [...fileKinds, ...postgresKinds] as const;

/** A piece of work on one data directory, or on one server. */
export interface Job {
  readonly kind: (typeof jobKinds)[number];
  readonly seed: number;
  /** The numbers of its rounds or images. */
  readonly numbers: readonly number[];
  readonly compiler: string;
  /** Where it works, on a disk, and where images lie, in memory if there is room. */
  readonly directory: string;
  readonly imageDirectory: string;
  /** The copy of the project that serves; left out, this one. */
  readonly project?: string;
  /** How often a recording starts the service, and the answers for which it does. */
  readonly runs: number;
  readonly answers: number;
  /** A recording that is there already, by its directory. */
  readonly recording?: string;
  /** Whether the log of a service that people log in to, or that loses a role, is in a database. */
  readonly onPostgres?: boolean;
  /** How many hold a role that is removed. */
  readonly holders?: number;
  /** Ends with the first problem. */
  readonly endsEarly?: boolean;
}

/** What came of a job. */
export interface Result {
  /** Rounds or images. */
  readonly done: number;
  /** Calls that were acknowledged in it, and of these ones that a standby never had. */
  readonly acknowledged: number;
  readonly forgiven: number;
  readonly problems: readonly Found[];
  /** What is kept for one who looks into them. */
  readonly kept: string | undefined;
}

/** A problem, and the number of the round or image that showed it. */
export interface Found extends Problem {
  readonly number: number;
}

/** Does a job in a directory of its own, which stays where something was wrong. */
export async function runJob(job: Job): Promise<Result> {
  await mkdir(job.directory, { recursive: true });
  const directory = await mkdtemp(join(job.directory, `${job.kind}-`));
  const result = await runKind(job, directory).catch((error: Error) => ({
    ...{ done: 0, acknowledged: 0, forgiven: 0 },
    problems: toProblems(error).map((one) => ({ ...one, number: job.numbers[0] ?? 0 })),
  }));
  await endProcesses();
  if (result.problems.length > 0 && !job.endsEarly) {
    return { ...result, kept: job.recording ?? directory };
  }
  await rm(directory, { recursive: true });
  return { ...result, kept: undefined };
}

type Outcome = Omit<Result, "kept">;

async function runKind(job: Job, directory: string): Promise<Outcome> {
  const { kind, seed, numbers, project, onPostgres = false } = job;
  if (kind === "images") return runImages(job, directory);
  if (kind === "disk" || kind === "kills") return runRounds(job, directory);
  const options = { directory, seed, ...(project ? { project } : {}) };
  if (kind === "erasure-images") return runErasureImages(job, directory);
  if (kind === "erasures" || kind === "removals") {
    const runAll = kind === "erasures" ? runErasures : runRemovals;
    return {
      forgiven: 0,
      ...(await runAll(numbers, { ...options, dataDir: join(directory, "data") })),
    };
  }
  const { holders = 0 } = job;
  const place = { ...options, onPostgres };
  if (kind === "logins") return runIn(place, (own) => runLogins(numbers, own));
  if (kind === "role-removals") {
    return runIn(place, (own) => runRoleRemovals(numbers, { ...own, holders }));
  }
  return runOnPostgres(kind, numbers, options);
}

async function runRounds(job: Job, directory: string): Promise<Outcome> {
  const { kind, seed, numbers, compiler, project } = job;
  const random = createRandom(seed);
  const dataDir = join(directory, "data");
  const disk = kind === "disk" ? await makeDisk(compiler, directory) : undefined;
  const options = { dataDir, random, ...(disk ? { env: disk.env } : {}) };
  const series = createSeries({ ...options, ...(project ? { project } : {}) });
  const problems: Found[] = [];
  let done = 0;
  for (const number of numbers) {
    const judge = async () => {
      const found = await (disk === undefined ? kill(series) : failDisk(series, disk));
      return number === numbers.at(-1) ? [...found, ...(await end(series))] : found;
    };
    const found = await judge().catch(toProblems);
    await endProcesses();
    problems.push(...found.map((problem) => ({ ...problem, number })));
    done += 1;
    // A directory that is not what it should be is of no use for another round.
    if (problems.length > 0) break;
  }
  return { done, acknowledged: acknowledgedIn(series), forgiven: 0, problems };
}

/** Runs rounds of a service on a file, or on a database of its own. */
async function runIn(
  { directory, onPostgres, ...options }: LoginsPlace,
  run: (options: LoginsOptions) => Promise<LoginsResult>,
): Promise<Outcome> {
  const server = onPostgres ? await startServerIn(directory) : undefined;
  const settings = server && {
    env: { IAM_DATABASE_URL: server.url(database), IAM_MASTER_KEY: masterKey },
  };
  try {
    const dataDir = join(directory, "data");
    return { forgiven: 0, ...(await run({ ...options, ...settings, dataDir })) };
  } finally {
    await server?.kill();
  }
}

interface LoginsPlace {
  readonly directory: string;
  readonly seed: number;
  readonly project?: string;
  readonly onPostgres: boolean;
}

async function runImages(job: Job, directory: string): Promise<Outcome> {
  const { seed, numbers, recording: path, imageDirectory } = job;
  const recording = await (path ? readRecording(path) : recorded(job, directory));
  const number = numbers[0] ?? 0;
  const problems: Found[] = recording.problems.map((problem) => ({ ...problem, number }));
  await mkdir(imageDirectory, { recursive: true });
  const images = await mkdtemp(join(imageDirectory, "iam-images-"));
  let done = 0;
  try {
    for await (const loss of losePower(recording, { seed, images: numbers, directory: images })) {
      done += 1;
      problems.push(...loss.problems.map((problem) => ({ ...problem, number: loss.image })));
      if (job.endsEarly && problems.length > 0) break;
    }
  } finally {
    await rm(images, { recursive: true, force: true });
  }
  return { done, acknowledged: acknowledgedIn(recording), forgiven: 0, problems };
}

async function runErasureImages(job: Job, recordedIn: string): Promise<Outcome> {
  const { seed, numbers: images, imageDirectory, compiler, project } = job;
  await mkdir(imageDirectory, { recursive: true });
  const directory = await mkdtemp(join(imageDirectory, "iam-images-"));
  const options = { recordedIn, directory, compiler, seed, images };
  const problems: Found[] = [];
  let done = 0;
  for await (const loss of loseErasures({ ...options, ...(project ? { project } : {}) })) {
    done += 1;
    problems.push(...loss.problems.map((problem) => ({ ...problem, number: loss.image })));
    if (job.endsEarly && problems.length > 0) break;
  }
  await rm(directory, { recursive: true, force: true });
  return { done, acknowledged: 0, forgiven: 0, problems };
}

function recorded(job: Job, directory: string): Promise<Recording> {
  const { seed, compiler, runs, answers, project } = job;
  const random = createRandom(seed);
  return record({ directory, compiler, random, runs, answers, ...(project ? { project } : {}) });
}

function toProblems({ message }: Error): readonly Problem[] {
  return [{ kind: "damaged", text: message }];
}

function acknowledgedIn({ calls }: Pick<Series | Recording, "calls">): number {
  return calls.filter(({ outcome }) => outcome.kind === "acknowledged").length;
}
