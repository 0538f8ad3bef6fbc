import { setTimeout as pause } from "node:timers/promises";
import type { Disk } from "../disk/disk.ts";
import type { Call, Problem } from "./ledger.ts";
import { judge, load, type Series } from "./series.ts";

/** Milliseconds in which a busy machine gets done what a round waits for. */
const patienceMs = 20_000;
/** The disk begins to fail, and is well again, after fewer answers than this. */
const answersMax = 100;

/** What the disk may do to calls on files whose names end so. */
const faults = [
  ["write", "ENOSPC", "-wal"],
  ["write", "EDQUOT", "-wal"],
  ["write", "EIO", "-wal"],
  // Of a checkpoint, which can wait.
  ["write", "ENOSPC", "/iam.db"],
  ["write", "EIO", "/iam.db"],
  ["sync", "EIO", "-wal"],
] as const;

/**
 * Lets the disk of the service fail for a while under many writers, and answers what the directory
 * is worth then. Where a write fails the service refuses, and goes on by itself when the disk is
 * well; where the disk does not confirm what it has, the service ends.
 */
export async function failDisk(series: Series, disk: Disk): Promise<readonly Problem[]> {
  const { random, calls } = series;
  const [call, error, files] = random.pick(faults);
  const service = series.start();
  const over = new AbortController();
  let heard = (_call: Call) => {};
  /** Resolves when so many more calls of the kind have been answered. */
  const answers = (count: number, isCounted = (_call: Call) => true) =>
    new Promise<string>((resolve) => {
      let left = count;
      heard = (answered) => {
        left -= isCounted(answered) ? 1 : 0;
        if (left < 0) resolve("goes on");
      };
    });
  const answered = (made: Call) => heard(made);
  const before = answers(random.below(answersMax));
  const loaded = load(series, service, { over: over.signal, answered, goesOn: true });
  await Promise.race([before, loaded]);

  const ended = service.ended.then(({ code, signal }) => `ended with ${signal ?? code}`);
  const isSync = call === "sync";
  await disk.fail(call, error, { files, percent: isSync ? 100 : random.pick([5, 30, 100]) });
  await firstOf([...(isSync ? [] : [answers(random.below(answersMax))]), ended]);
  await disk.mend();
  const asked = calls.length;
  const isNews = ({ number, outcome }: Call) => number >= asked && outcome.kind === "acknowledged";
  const fate = await firstOf([answers(0, isNews), ended]);

  over.abort();
  service.killGroup("SIGKILL");
  await Promise.all([loaded, service.ended]);
  const found = await judge(series);
  if (fate === (isSync ? "ended with 1" : "goes on")) return found;
  return [
    { kind: "damaged", text: `after ${call} ${error} on ${files} the service ${fate}` },
    ...found,
  ];
}

/** What comes first, within all patience. */
async function firstOf(events: readonly Promise<string>[]): Promise<string> {
  const over = new AbortController();
  const late = pause(patienceMs, "hangs", { signal: over.signal });
  try {
    return await Promise.race([...events, late]);
  } finally {
    over.abort();
    await late.catch(() => {});
  }
}
