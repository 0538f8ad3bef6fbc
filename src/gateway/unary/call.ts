import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { Peer } from "../../port/peer.ts";
import type { Shares } from "../../port/shares.ts";
import { answerFields } from "../answer-fields.ts";
import type { Answers } from "../answers.ts";
import type { Budget, Lease } from "../budget.ts";
import { type CallLine, knownCallKey, namesOf } from "../call-record.ts";
import type { Client, ClientOf } from "../client.ts";
import { canceled, reasonOf } from "../errors.ts";
import type { Gate, Rule, Rules } from "../gate.ts";
import type { GatewayLimits } from "../limits.ts";
import type { SenderOf } from "../sender.ts";
import { UnaryContext } from "./context.ts";
import type { Exchange } from "./exchange.ts";
import type { Packed } from "./form.ts";
import type { Target } from "./target.ts";

/** What all calls of the lane share. */
export interface CallOptions {
  /** The gate that looks at rows, for whatever is refused. */
  readonly gate: Gate;
  readonly quickGate: Gate;
  readonly rules: Rules;
  readonly budget: Budget;
  readonly answers: Answers;
  readonly log: Logger;
  readonly logCall: (line: CallLine) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly newRequestId: () => string;
  /** Further header fields of every answer. */
  readonly ownFields: { readonly [name: string]: string };
  readonly limits: GatewayLimits;
  readonly senderOf: SenderOf;
  readonly clientOf: ClientOf;
  /** Calls of methods that ask for no token. */
  readonly openCalls: Shares;
}

/** A call on its way: it is answered, refused or left to somebody else, once. */
export interface UnaryCall {
  readonly exchange: Exchange;
  readonly target: Target;
  readonly rule: Rule;
  readonly requestId: string;
  readonly startedMs: number;
  readonly context: UnaryContext;
  /** Who sent the request, where the method asks for no token. */
  readonly sender: Peer | undefined;
  readonly client: Client;
  /** Bytes of the body that the call may hold. */
  readonly lease: Lease;
  isOver(): boolean;
  /** Refuses the call if it takes longer than so many milliseconds; the answer calls that off. */
  limit(ms: number, late: () => ConnectError): () => void;
  answer(bytes: Uint8Array): Promise<void>;
  refuse(error: ConnectError): Promise<void>;
  /** Ends the call here without a word, for somebody else to answer it. */
  leave(): void;
}

/** What a timer of Node can wait for, 24 days: with more it rings at once. */
const timerMsMax = 2 ** 31 - 1;

/** Creates the call of a request; undefined where its sender must not make one more. */
export function createCall(
  exchange: Exchange,
  target: Target,
  options: CallOptions,
): UnaryCall | undefined {
  const { unary, form } = target;
  const rule = options.rules.of(unary.method);
  const isOpen = rule.kind === "open";
  const sender = isOpen ? options.senderOf(exchange.body, exchange.headers) : undefined;
  const giveBack = sender && options.openCalls.take(sender);
  if (isOpen && giveBack === undefined) return undefined;
  const { bufferedBytesMax } = options.limits;
  // Callers without a token leave room for those with one.
  const room = isOpen ? bufferedBytesMax / 2 : bufferedBytesMax;
  const lease = options.budget.lease(room);
  const context = new UnaryContext(unary.method, exchange.headers);
  // At the end of a call that was broken off, the connection is gone.
  const client = options.clientOf(exchange.body, exchange.headers);
  const requestId = options.newRequestId();
  const startedMs = options.now();
  const own = { "x-request-id": requestId, ...answerFields, ...options.ownFields };
  const isGzipAccepted = acceptsGzip(exchange.headers[form.acceptField]);
  const timers = new Set<NodeJS.Timeout>();
  let answerLease: Lease | undefined;
  let isOver = false;

  const leave = () => {
    isOver = true;
    for (const timer of timers) clearTimeout(timer);
    lease.end();
    giveBack?.();
  };
  const end = (error?: ConnectError): void => {
    leave();
    if (error !== undefined) context.end(error);
    options.logCall(lineOf(call, error, options.now()));
  };
  const call: UnaryCall = {
    ...{ exchange, target, rule, requestId, startedMs, context, sender, client, lease, leave },
    isOver: () => isOver,
    limit: (ms, late) => {
      if (ms > timerMsMax) return () => {};
      const timer = setTimeout(() => void call.refuse(late()), ms);
      timers.add(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer);
      };
    },
    answer: async (bytes) => {
      // While it is compressed it is there in full.
      answerLease = options.answers.hold(bytes.byteLength);
      const packed = packable(bytes, isGzipAccepted) ?? (await pack(bytes));
      answerLease.hold(packed.bytes.byteLength);
      if (isOver) return;
      end();
      exchange.answer(form.answer(packed, { ...own, ...context.setFields }));
    },
    refuse: async (error) => {
      if (isOver) return;
      end(error);
      const part = form.refusalBytes(error);
      const packed = packable(part, isGzipAccepted) ?? (await pack(part));
      // HTTP/1.1 can only stop a sender by closing; an HTTP/2 stream is reset on its own.
      const stops = exchange.httpVersion === "1.1" && error.code === Code.DeadlineExceeded;
      exchange.answer(form.refuse(error, packed, stops ? { ...own, connection: "close" } : own));
    },
  };
  exchange.onClose((isAnswered) => {
    lease.end();
    answerLease?.end();
    giveBack?.();
    if (!isOver && !isAnswered) end(canceled());
  });
  return call;
}

function lineOf(
  { target: { unary, form }, context, requestId, startedMs, client }: UnaryCall,
  error: ConnectError | undefined,
  nowMs: number,
): CallLine {
  return {
    requestId,
    method: `${unary.method.parent.typeName}/${unary.method.name}`,
    dialect: form.dialect,
    code: error === undefined ? "OK" : (reasonOf(error) ?? "INTERNAL"),
    durationMs: nowMs - startedMs,
    ...namesOf(context.values.get(knownCallKey)),
    ...client,
  };
}

/** Bytes from which on an answer is compressed for callers that read gzip, as Connect does. */
const compressedBytesMin = 1_024;

const compress = promisify(gzip);

/** The bytes as they are sent, where that needs no work. */
function packable(bytes: Uint8Array, isGzipAccepted: boolean): Packed | undefined {
  if (isGzipAccepted && bytes.byteLength >= compressedBytesMin) return undefined;
  return { bytes, isGzipAccepted, isGzip: false };
}

async function pack(bytes: Uint8Array): Promise<Packed> {
  return { bytes: await compress(bytes), isGzipAccepted: true, isGzip: true };
}

function acceptsGzip(accepted: string | readonly string[] | undefined): boolean {
  const given = String(accepted ?? "");
  return given !== "" && given.split(",").some((name) => name.trim() === "gzip");
}
