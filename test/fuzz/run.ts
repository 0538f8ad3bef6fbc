import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { clientPreface } from "../gateway/frames.ts";
import { type Caller, openCaller, send } from "../gateway/native/wire.ts";
import { judge, judgeBytes, type Verdict } from "./answer.ts";
import { type FuzzPlace, makePlace } from "./place.ts";
import type { FuzzRequest } from "./request.ts";
import { requestAt } from "./requests.ts";

/** The service that is asked. */
export interface FuzzTarget {
  readonly url: string;
  readonly port: number;
  /** The token of an owner of the instance. */
  readonly owner: string;
  /** Bytes of its resident memory; left out where it shares a process. */
  readonly residentBytes?: () => Promise<number>;
}

export interface FuzzOptions {
  readonly seed: number;
  /** The number of the first request. */
  readonly from?: number;
  readonly requests: number;
  /** Calls only methods whose names contain it; numbers then mean other requests. */
  readonly about?: string;
  /** Failures after which it ends. */
  readonly failuresMax?: number;
  /** Told of each failure as it is found, and now and then of how far it is. */
  readonly say?: (line: string) => void;
}

export interface Failure {
  readonly serial: number;
  readonly title: string;
  readonly problem: string;
  readonly request: FuzzRequest;
}

export interface FuzzReport {
  readonly failures: readonly Failure[];
  /** How often requests came to what. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Methods that have answered at least one request without a refusal. */
  readonly methodsAnswered: number;
  /** Resident bytes after so many requests. */
  readonly samples: readonly (readonly [requests: number, bytes: number])[];
}

/** Requests that share a place. */
const placeRequests = 1_000;
/** Requests under way at a time. */
const lanes = 8;
/** Failures after which a run ends, because more would say no more. */
const failuresEnough = 10;
/** Milliseconds in which each request is answered, which is long past the limits of the service. */
const answerMsMax = 20_000;

/** Sends the requests of a seed, from one number on, and judges what comes back. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, from = 0, requests, about = "", failuresMax = failuresEnough } = options;
  const { say = () => {} } = options;
  const failures: Failure[] = [];
  const outcomes = new Map<string, number>();
  const answered = new Set<string>();
  const samples: (readonly [number, number])[] = [];
  const sampleEvery = Math.max(1, Math.floor(requests / 100));
  const placeOf = places(target);
  let next = from;

  const note = ({ serial, request }: Asked, { outcome = "nothing", problem }: Verdict) => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const method = "method" in request ? request.method : undefined;
    if (outcome === "OK" && method) answered.add(`${method.parent.typeName}/${method.name}`);
    if (problem === undefined) return;
    failures.push({ serial, title: request.title, problem, request });
    say(`request ${serial}, ${request.title}: ${problem}`);
  };
  const lane = async () => {
    const caller = openCaller(target);
    try {
      while (next < from + requests && failures.length < failuresMax) {
        const serial = next++;
        const done = serial - from;
        if (target.residentBytes && done % sampleEvery === 0) {
          samples.push([done, await target.residentBytes()]);
        }
        if (done > 0 && done % 100_000 === 0) say(`${done} requests`);
        const request = requestAt(await placeOf(serial), { seed, serial, about });
        note({ serial, request }, await askInTime(caller, request));
      }
    } finally {
      caller.end();
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, requests) }, lane));
  return { failures, outcomes, methodsAnswered: answered.size, samples };
}

interface Asked {
  readonly serial: number;
  readonly request: FuzzRequest;
}

/** The place that a request is about. What is asked of the one before may still be under way. */
function places({ url, owner }: FuzzTarget) {
  const known = new Map<number, Promise<FuzzPlace>>();
  const make = async (round: number): Promise<FuzzPlace> => {
    const place = await makePlace(url, owner, randomUUID());
    const last = await known.get(round - 1);
    const { before: _older, ...before } = last ?? place;
    return { ...place, before };
  };
  return (serial: number): Promise<FuzzPlace> => {
    const round = Math.floor(serial / placeRequests);
    const place = known.get(round) ?? make(round);
    known.set(round, place);
    known.delete(round - 2);
    return place;
  };
}

async function askInTime(caller: Caller, request: FuzzRequest): Promise<Verdict> {
  const late = new AbortController();
  const tooLate = pause(answerMsMax, undefined, late).then(
    () => ({ outcome: "nothing", problem: "it is not answered" }),
    () => ({ outcome: "nothing" }),
  );
  try {
    return await Promise.race([ask(caller, request), tooLate]);
  } finally {
    late.abort();
  }
}

async function ask(caller: Caller, request: FuzzRequest): Promise<Verdict> {
  if ("bytes" in request) return judgeBytes(await sendBytes(caller.port, request));
  try {
    const answer = await send(caller, request.wire);
    return answer === "left" ? { outcome: "left" } : judge(answer, request.wire.verb);
  } catch (error) {
    // Who sends more than is read may find the connection closed before the answer is seen.
    return { outcome: "cut off", ...(isReset(error) ? {} : { problem: String(error) }) };
  }
}

function isReset(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["ECONNRESET", "EPIPE"].includes(code);
}

/** Milliseconds for which an answer to what is no request is awaited. */
const bytesReadMs = 20;

/** Sends bytes on a connection of their own; answers what comes until it ends or goes quiet. */
async function sendBytes(
  port: number,
  { http, bytes }: Extract<FuzzRequest, { readonly bytes: Buffer }>,
): Promise<Buffer> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on("error", () => {}).on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await Promise.race([once(socket, "connect"), closed]);
  socket.write(http === 2 ? Buffer.concat([clientPreface, bytes]) : bytes);
  if (http === 1) socket.end();
  socket.once("end", () => socket.destroy());
  const quiet = setTimeout(() => socket.resetAndDestroy(), bytesReadMs);
  await closed;
  clearTimeout(quiet);
  return Buffer.concat(chunks);
}
