import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { logIn } from "../../src/log/in-file.ts";
import type { Random } from "../gateway/native/random.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { run } from "../start/command.ts";
import { asksOf } from "./http.ts";
import { type Call, compare, type Problem, type Row, readRows, sentIn } from "./ledger.ts";
import { drive, type Load } from "./load.ts";

/** One data directory, and what is known of it from outside. */
export interface Series {
  readonly dataDir: string;
  readonly random: Random;
  /** Every call that was ever made. */
  readonly calls: Call[];
  /** The log as it was last read. */
  rows: readonly Row[];
  start(): ServiceProcess;
}

/** Where a series lies, and what its service is. */
export interface SeriesOptions {
  readonly dataDir: string;
  readonly random: Random;
  readonly env?: { readonly [name: string]: string };
  /** The copy of the project that serves. */
  readonly project?: string;
}

/** A series whose directory is not there yet. */
export function createSeries({ dataDir, random, ...options }: SeriesOptions): Series {
  const args = ["serve", "--port=0", `--data-dir=${dataDir}`, "--log-level=warn"];
  return { dataDir, random, calls: [], rows: [], start: () => startProcess(args, options) };
}

/** Waits until it serves, and lets many write until the signal, or until it is gone. */
export async function load(
  series: Series,
  service: ServiceProcess,
  options: Pick<Load, "answered" | "over" | "goesOn">,
): Promise<void> {
  const url = await service.listening;
  const token = (await readFile(join(series.dataDir, "admin.token"), "utf8")).trim();
  const { asks, close } = asksOf(url, token);
  await drive({ asks, random: series.random, calls: series.calls, ...options });
  close();
}

/** A round ends after fewer answers than this. */
const answersMax = 200;

/**
 * Kills the service once it has answered some of many, and in every fourth round once more before
 * that, somewhere in its start. Answers what the directory is worth then.
 */
export async function kill(series: Series): Promise<readonly Problem[]> {
  const { random } = series;
  if (random.once(4)) {
    const starting = series.start();
    await Promise.race([pause(random.below(600)), starting.listening]);
    starting.killGroup("SIGKILL");
    await starting.ended;
  }
  const service = series.start();
  const over = new AbortController();
  // So many answers on a machine however busy, and a little longer, in the middle of others.
  let left = random.below(answersMax);
  const due = Promise.withResolvers<void>();
  const answered = () => {
    left -= 1;
    if (left <= 0) due.resolve();
  };
  const loaded = load(series, service, { over: over.signal, answered });
  await Promise.race([due.promise, loaded]);
  await pause(random.below(20));
  service.killGroup("SIGKILL");
  over.abort();
  await Promise.all([loaded, service.ended]);
  return await judge(series);
}

/** Starts it a last time, ends it in good order, and answers what the directory is worth. */
export async function end(series: Series): Promise<readonly Problem[]> {
  const service = series.start();
  await service.listening;
  service.kill("SIGTERM");
  await service.ended;
  return await judge(series);
}

/** Compares what lies in the directory with what is known of it, and has it verified. */
export async function judge(series: Series): Promise<readonly Problem[]> {
  const { dataDir, calls } = series;
  const before = series.rows;
  const damages = await verify(dataDir);
  series.rows = readRows(logIn(dataDir));
  const same = prefixOf(before, series.rows);
  const changed: Problem = { kind: "changed", text: `position ${same + 1} was another event` };
  return [
    ...damages,
    ...(same < before.length ? [changed] : []),
    ...compare(series.rows, calls),
    ...(await missingMessages(dataDir, series.rows)),
  ];
}

/** What `verify` says of a directory, with further settings; nothing where it ends with 0. */
export async function verify(
  dataDir: string,
  env: { readonly [name: string]: string } = {},
): Promise<readonly Problem[]> {
  const { code, stdout, stderr } = await run(["verify", `--data-dir=${dataDir}`], env);
  if (code === 0) return [];
  const lines = `${stdout}${stderr}`.trim().split("\n");
  return lines.map((text) => ({ kind: "damaged", text }));
}

/** How many of the first events are the same. */
export function prefixOf(rows: readonly Row[], others: readonly Row[]): number {
  const keys = Object.keys(rows[0] ?? {}) as (keyof Row)[];
  const first = rows.findIndex((row, i) => keys.some((key) => row[key] !== others[i]?.[key]));
  return first < 0 ? rows.length : first;
}

/** What is recorded as sent lies in the outbox, whole: as it does in that of another directory. */
export async function missingMessages(
  dataDir: string,
  rows: readonly Row[],
  whole = dataDir,
): Promise<readonly Problem[]> {
  const mailsIn = async (directory: string) => {
    const outbox = join(directory, "outbox");
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith(".eml"));
    const paths = new Map(names.map((name) => [name.split(".")[0], join(outbox, name)]));
    return (position: string) =>
      readFile(paths.get(`${position}-code`) ?? "", "utf8").catch(() => undefined);
  };
  const textOf = await mailsIn(dataDir);
  const wholeOf = await mailsIn(whole);
  const missing: Problem[] = [];
  for (const position of sentIn(rows).keys()) {
    const text = await textOf(position);
    if (text !== undefined && text === (await wholeOf(position))) continue;
    const what = `the message of ${position} is recorded as sent, and is not in the outbox`;
    missing.push({ kind: "message", text: what });
  }
  return missing;
}
