import { setTimeout as pause } from "node:timers/promises";
import type { Disk } from "../disk/disk.ts";
import type { Call, Problem } from "./ledger.ts";
import { judge, load, type Series } from "./series.ts";

/** Milliseconds in which a service whose disk is well again has to write, on a busy machine. */
const recoveryMs = 20_000;
/** The disk fails for fewer answers than this. */
const answersMax = 100;

/** What the disk does for a while: to each call that writes to such a file, or to some. */
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
  const { random } = series;
  const [call, error, files] = random.pick(faults);
  const service = series.start();
  const over = new AbortController();
  let next = (_call: Call) => {};
  const until = (isDue: (call: Call) => boolean) =>
    new Promise<void>((resolve) => {
      next = (answered) => isDue(answered) && resolve();
    });
  const answers = (count: number) => {
    let left = count;
    return until(() => --left < 0);
  };
  const before = answers(random.below(answersMax));
  const answered = (made: Call) => next(made);
  const loaded = load(series, service, { over: over.signal, answered, goesOn: true });
  await Promise.race([before, loaded]);

  const percent = call === "sync" ? 100 : random.pick([5, 30, 100]);
  await disk.fail(call, error, { percent, files });
  await Promise.race([answers(random.below(answersMax)), service.ended, pause(recoveryMs)]);
  if (call === "sync") await Promise.race([service.ended, pause(recoveryMs)]);
  await disk.mend();
  const asked = series.calls.length;
  const writes = until(
    ({ number, outcome }) => number >= asked && outcome.kind === "acknowledged",
  ).then(() => "writes" as const);
  const ends = service.ended.then(({ code, signal }) => `ended with ${signal ?? code}` as const);
  const late = new AbortController();
  const waits = pause(recoveryMs, "neither wrote nor ended" as const, { signal: late.signal });
  const fate = await Promise.race([writes, ends, waits]);
  late.abort();
  await waits.catch(() => {});

  over.abort();
  service.killGroup("SIGKILL");
  await Promise.all([loaded, service.ended]);
  const expected = call === "sync" ? "ended with 1" : "writes";
  const text = `after ${call} ${error} on ${files} the service ${fate}`;
  const found = await judge(series);
  return fate === expected ? found : [{ kind: "damaged", text }, ...found];
}
