import { format } from "node:util";
import { sentenceOf } from "../config/sentence.ts";
import type { ProcessLogs } from "./logger.ts";
import type { Running } from "./serve.ts";

/** Whatever nobody caught ends the process: what it left in memory cannot be trusted. */
export function takeStrayErrors({ log, exit }: Pick<ProcessLogs, "log" | "exit">): void {
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "a defect ends the service");
    exit(1);
  });
  // Libraries that still speak to the console are part of the log.
  console.error = (...words: readonly unknown[]) => log.warn({ words: format(...words) });
}

/**
 * What a terminal sends on Ctrl+C goes to the whole process group, and npm passes its own copy on:
 * both are one wish.
 */
export const sameWishMs = 500;

/**
 * Lets SIGHUP wait, which would end a process that does not take it. Answers what to call when the
 * service runs and takes signals itself: then it gets the one that came meanwhile.
 */
export function holdHangups(): () => void {
  let isDue = false;
  const note = () => {
    isDue = true;
  };
  process.on("SIGHUP", note);
  return () => {
    process.off("SIGHUP", note);
    if (isDue) process.kill(process.pid, "SIGHUP");
  };
}

/**
 * SIGTERM and SIGINT stop the service in good order; SIGHUP has it read its certificate again. A
 * further wish to stop ends the drain, and after that the process at once, unless somebody else
 * sees to that. Where the disk has failed it stops by itself, once what it has to say has left, and
 * ends with 1. Answers what ends the drain, or has it take no time, without a signal.
 */
export function followSignals(
  running: Running,
  { log, exit }: Pick<ProcessLogs, "log" | "exit">,
  { endsAtOnce = true } = {},
): () => void {
  let askedMs: number | undefined;
  let exitCode = 0;
  const drained = new AbortController();
  // Who asks again does not want to wait.
  const hurry = (sinceMs: number) => {
    const nowMs = performance.now();
    if (nowMs - sinceMs < sameWishMs) return;
    if (drained.signal.aborted && endsAtOnce) exit(1);
    askedMs = nowMs;
    drained.abort();
  };
  const stop = async (signal?: string) => {
    if (askedMs !== undefined) return hurry(askedMs);
    askedMs = performance.now();
    log.info({ signal }, "stopping");
    await running.drain(drained.signal);
    drained.abort();
    await running.close();
    log.info("stopped");
    exit(exitCode);
  };
  running.lost?.then(({ message, cause }) => {
    const { code } = cause as NodeJS.ErrnoException;
    log.fatal({ code }, `${message} The service stops; after a restart it reads what was written.`);
    exitCode = 1;
    // It has nothing to give to those who call it still.
    drained.abort();
    if (askedMs === undefined) void stop();
  });
  process.on("SIGTERM", stop).on("SIGINT", stop);
  process.on("SIGHUP", async () => {
    if (running.renewCertificate === undefined) return;
    try {
      await running.renewCertificate();
      log.info("the certificate was renewed");
    } catch (error) {
      log.error(
        { why: sentenceOf(error) },
        "the certificate was not renewed: the previous one stays",
      );
    }
  });
  return () => drained.abort();
}
