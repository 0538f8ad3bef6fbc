import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { cannotListen } from "../config/cannot-listen.ts";
import { type Config, ConfigError } from "../config/config.ts";
import type { Reading } from "../metrics/registry.ts";
import { portLimits } from "../port/limits.ts";
import { type HeldPort, holdPort } from "../port/listen.ts";
import { createProcessMetrics, type ProcessMetrics, sumMetrics } from "./process-metrics.ts";
import type { Running } from "./serve.ts";

/** When a process that has ended is followed by another, and how long it has to end. */
export const supervisorLimits = {
  /** Milliseconds before the first new start; each further one waits twice as long. */
  restartMinMs: 100,
  restartMaxMs: 30_000,
  /** Milliseconds after which a process counts as one that runs, so that the pauses begin anew. */
  steadyMs: 60_000,
  /** Milliseconds that a process that is told to stop has besides the grace of its calls. */
  stopMarginMs: 15_000,
} as const;

/** The milliseconds to wait after so many ends in a row before another process is started. */
export function restartPauseMs(ends: number): number {
  const { restartMinMs, restartMaxMs } = supervisorLimits;
  return Math.min(restartMinMs * 2 ** (ends - 1), restartMaxMs);
}

/** How many processes ended in a row, with one more that had run for so many milliseconds. */
export function endsInARow(before: number, ranMs: number): number {
  return ranMs < supervisorLimits.steadyMs ? before + 1 : 1;
}

/** The command of the processes that are started here. */
export const supervisedCommand = "supervised";

/** The flag of the one of them that checks the log while it is served. */
export const auditsFlag = "audits";

/** The flag of processes that are handed a listening socket, and its descriptor in them. */
export const socketFlag = "socket";
export const handedDown = 4;

/** What one of the processes has found wrong with the log, which all have to know. */
export interface Fault {
  readonly fault: string;
}

/** What one of the processes is asked for: its metrics, or the end of its drain. */
export interface Asked {
  readonly asked: "metrics" | "hurry";
}

/** What a process says of itself when it takes calls. */
type Listening = Pick<Running, "url" | "issuer" | "welcome" | "begun">;

/**
 * What a process of the service tells the one that started it: first that it listens, or why not.
 */
export type Report =
  | Listening
  | { readonly refusal: string }
  | Fault
  | { readonly metrics: readonly Reading[] };

interface SuperviseOptions {
  /** What only the first start of a process gets, which decides for all. */
  readonly decisions?: readonly string[];
  /** The descriptor of a listening socket that all of them share, in place of the port. */
  readonly socket?: number | undefined;
}

/**
 * Serves from several processes that share the port, each of them whole. The port is taken first;
 * the first process then does all that is done once, for example the first start, before the others
 * begin. From then on one that ends is replaced, after a pause that grows where that happens
 * again. Rejects as `serve` does, and then no process is left.
 */
export async function supervise(
  config: Config,
  flags: readonly string[],
  log: Logger,
  { decisions = [], socket }: SuperviseOptions = {},
): Promise<Running> {
  const held = await (socket === undefined ? hold(config) : passedOn);
  const where = [...held.flags, `--processes=${config.processes}`];
  const stopping = new AbortController();
  const processes = new Set<ServiceProcess>();
  const metrics = sumMetrics();
  let known: Fault | undefined;
  const tellAll = (fault: Fault) => {
    known = fault;
    for (const one of processes) one.tell(fault);
  };
  const start = (own: readonly string[] = []) => {
    const one = startProcess([...flags, ...where, ...own], tellAll, socket);
    processes.add(one);
    metrics.add(one.metrics);
    one.ended.then(() => {
      processes.delete(one);
      metrics.remove(one.metrics);
    });
    if (known !== undefined) one.tell(known);
    return one;
  };
  const audits = [`--${auditsFlag}`];
  const kill = () => {
    for (const one of processes) one.kill("SIGKILL");
  };
  // However this process ends, none of the others outlives it.
  process.on("exit", kill);

  const begin = async () => {
    const first = start([...audits, ...decisions]);
    const listening = await first.listening;
    await held.release();
    const others = Array.from({ length: config.processes - 1 }, () => start());
    await Promise.all(others.map((one) => one.listening));
    return { listening, all: [first, ...others] };
  };
  const { listening, all } = await begin().catch(async (error: unknown) => {
    kill();
    await Promise.all([held.release(), held.free(), ...[...processes].map((one) => one.ended)]);
    throw error;
  });
  const kept = all.map((one, index) => {
    const another = () => start(index === 0 ? audits : []);
    return keep(one, { start: another, log, stopping: stopping.signal });
  });
  process.on("SIGHUP", () => {
    for (const one of processes) one.renewCertificate();
  });
  const stop = () => {
    stopping.abort();
    for (const one of processes) one.kill("SIGTERM");
  };
  return {
    ...listening,
    renewCertificate: undefined,
    lost: undefined,
    measure: metrics.read,
    drain: async (isEnough) => {
      if (config.drainMs === 0) return;
      stop();
      const ms = config.drainMs + portLimits.lingerMs;
      await sleep(ms, undefined, { signal: isEnough }).catch(() => {});
    },
    close: async () => {
      stop();
      // A second signal could be lost beside the first, which may still wait there.
      for (const one of processes) one.tell({ asked: "hurry" });
      const late = setTimeout(kill, config.stopGraceMs + supervisorLimits.stopMarginMs);
      await Promise.all(kept);
      clearTimeout(late);
      await held.free();
    },
  };
}

/** What all processes listen on, as long as it is held for them. */
interface Held extends Pick<HeldPort, "release" | "free"> {
  /** What tells them of it. */
  readonly flags: readonly string[];
}

async function hold(config: Config): Promise<Held> {
  const held = await holdPort(config.host, config.port).catch((cause: unknown) => {
    throw cannotListen(config, cause);
  });
  const { address, port } = held.address;
  return { ...held, flags: [`--host=${address}`, `--port=${port}`] };
}

/** A socket that is handed on: the program that made it keeps it. */
const passedOn: Held = {
  flags: [`--${socketFlag}`],
  release: async () => {},
  free: async () => {},
};

/** A process of the service, as the one that started it sees it. */
interface ServiceProcess {
  readonly pid: number | undefined;
  /** Resolves when it takes calls; rejects with what it was refused with, or how it ended. */
  readonly listening: Promise<Listening>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  kill(signal: NodeJS.Signals): void;
  readonly metrics: ProcessMetrics;
  /** Tells it what was found wrong with the log, or asks it for something, once it takes calls. */
  tell(told: Fault | Asked): void;
  /** Has it read its certificate again, once it takes calls. */
  renewCertificate(): void;
}

interface KeepOptions {
  readonly start: () => ServiceProcess;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** Follows a process that ends by another, until the service stops and the last one has ended. */
async function keep(given: ServiceProcess, { start, log, stopping }: KeepOptions): Promise<void> {
  let current = given;
  for (let ends = 0; ; ) {
    const sinceMs = performance.now();
    const end = await current.ended;
    if (stopping.aborted) return;
    ends = endsInARow(ends, performance.now() - sinceMs);
    const pauseMs = restartPauseMs(ends);
    const fields = { process: current.pid, ...end, pauseMs };
    if (end.code === 0) log.info(fields, "a process has ended and is replaced");
    else log.error(fields, "a process has ended and is replaced");
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    current = start();
    const { pid, listening } = current;
    listening.then(
      () => log.info({ process: pid }, "a process has taken the place of one that ended"),
      (err) => log.error({ process: pid, err }, "a process could not be started"),
    );
  }
}

const main = new URL("../main.js", import.meta.url);

function startProcess(
  args: readonly string[],
  takeFault: (fault: Fault) => void,
  socket: number | undefined,
): ServiceProcess {
  const child: ChildProcess = fork(main, [supervisedCommand, ...args], {
    // The last one is `handedDown`.
    stdio: ["ignore", "inherit", "inherit", "ipc", ...(socket === undefined ? [] : [socket])],
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<Listening>();
  // Who only waits for the end learns of it there.
  listening.catch(() => {});
  const onceListening = (act: () => void) => void listening.then(act, () => {});
  const send = (told: Fault | Asked) => onceListening(() => child.connected && child.send(told));
  const metrics = createProcessMetrics(() => send({ asked: "metrics" }));
  child.on("message", (report: Report) => {
    if ("fault" in report) takeFault(report);
    else if ("metrics" in report) metrics.take(report.metrics);
    else if ("refusal" in report) reject(new ConfigError(report.refusal));
    else resolve(report);
  });
  const ended = once(child, "exit").then(
    ([code, signal]) => {
      reject(new Error(`a process of the service ended with ${code ?? signal} as it started`));
      return { code, signal };
    },
    (error: NodeJS.ErrnoException) => {
      reject(new Error(`a process of the service could not be started: ${error.code}`));
      return { code: null, signal: null };
    },
  );
  return {
    pid: child.pid,
    listening,
    ended,
    kill: (signal) => void child.kill(signal),
    metrics,
    tell: send,
    renewCertificate: () => onceListening(() => child.kill("SIGHUP")),
  };
}
