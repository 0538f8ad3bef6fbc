import { answerParent } from "./child.ts";
import { openGrpc } from "./grpc.ts";
import { openHttp1 } from "./http1.ts";
import type { Lane } from "./lanes.ts";
import { digits, type Template } from "./template.ts";

/** Makes calls from a process of its own, and measures them. */

/** What to send, and until when. */
export interface Run {
  readonly port: number;
  readonly template: Template;
  readonly inFlight: number;
  /** How many connections they share, where the protocol has them share any; else one. */
  readonly connections?: number;
  /** Calls of the first milliseconds are made but not counted. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Calls that are counted at most. */
  readonly callsMax: number;
  /** How many serial numbers there are, from 0, in no order; left out, none comes twice. */
  readonly serials?: number;
}

export interface Measured {
  /** Calls that were counted, and those of the warm-up too. */
  readonly calls: number;
  readonly callsInAll: number;
  /** Calls per second. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
  /** CPU time of this process per wall time: 1 is one core. */
  readonly loadCpu: number;
}

let serial = 0;

/** A prime: steps of it visit each of fewer serial numbers, far from the one before. */
const stride = 7_368_787;

/** Runs once; rejects with the answer to the first call that failed. */
async function run(options: Run): Promise<Measured> {
  const { lanes, close } = await openLanes(options);
  try {
    const warmUp = await drive(lanes, { ...options, forMs: options.warmUpMs });
    const before = process.cpuUsage();
    const { latencies, elapsedMs } = await drive(lanes, { ...options, forMs: options.measureMs });
    const { user, system } = process.cpuUsage(before);
    latencies.sort();
    const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
    return {
      calls: latencies.length,
      callsInAll: warmUp.latencies.length + latencies.length,
      rate: (latencies.length / elapsedMs) * 1000,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      slowestMs: at(1),
      loadCpu: (user + system) / 1000 / elapsedMs,
    };
  } finally {
    close();
  }
}

/** Calls that go on beside what is measured elsewhere. */
let beside: { stop(): Promise<void> } | undefined;

/** Keeps as many calls in flight until `stop`; answers when all of them are on their way. */
async function start(options: Omit<Run, "warmUpMs" | "measureMs">): Promise<void> {
  const { lanes, close } = await openLanes(options);
  const over = new AbortController();
  const driven = drive(lanes, { ...options, forMs: Number.POSITIVE_INFINITY, over: over.signal });
  // One who stops learns of a failure; until then nobody waits for it.
  driven.catch(() => {});
  beside = {
    stop: async () => {
      over.abort();
      try {
        await driven;
      } finally {
        close();
      }
    },
  };
}

/** Ends what `start` began and waits for the last answer; rejects where any call failed. */
async function stop(): Promise<void> {
  await beside?.stop();
}

type Where = Pick<Run, "port" | "template" | "inFlight" | "connections">;

function openLanes({ port, template, inFlight, connections }: Where) {
  const bytes = Buffer.from(template.bytes);
  const open = template.protocol === "grpc" ? openGrpc : openHttp1;
  return open(port, { ...template, bytes }, inFlight, connections);
}

interface Limits extends Pick<Run, "callsMax" | "serials"> {
  readonly forMs: number;
  /** Ends the run before its time. */
  readonly over?: AbortSignal;
}

interface Driven {
  /** Milliseconds of each call. */
  readonly latencies: Float64Array;
  readonly elapsedMs: number;
}

/** Keeps every lane busy until the time or the calls are over; every call begun is counted. */
function drive(
  lanes: readonly Lane[],
  { forMs, callsMax, serials, over }: Limits,
): Promise<Driven> {
  const latencies = new Float64Array(callsMax);
  const started = performance.now();
  let begun = 0;
  let ended = 0;
  return new Promise((resolve, reject) => {
    const finish = () => {
      const elapsedMs = performance.now() - started;
      resolve({ latencies: latencies.subarray(0, ended), elapsedMs });
    };
    if (forMs <= 0) return finish();
    let busy = lanes.length;
    const keepBusy = (lane: Lane) => {
      let sent = 0;
      const next = () => {
        const isOver = over?.aborted || performance.now() - started >= forMs;
        if (begun >= callsMax || isOver) {
          busy -= 1;
          if (busy === 0) finish();
          return;
        }
        begun += 1;
        serial += 1;
        sent = performance.now();
        const number = serials === undefined ? serial : (serial * stride) % serials;
        lane.call(String(number).padStart(digits, "0"), done);
      };
      const done = (problem?: string) => {
        if (problem !== undefined) return reject(new Error(`a call failed: ${problem}`));
        latencies[ended] = performance.now() - sent;
        ended += 1;
        next();
      };
      next();
    };
    for (const lane of lanes) keepBusy(lane);
  });
}

const answers = { run, start, stop };

/** What can be asked of the load generator's process. */
export type LoadAnswers = typeof answers;

answerParent(answers, () => {});
