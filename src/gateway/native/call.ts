import { randomUUID } from "node:crypto";
import type { ConnectError } from "@connectrpc/connect";
import { fieldsOf } from "../call/answer-fields.ts";
import type { Lease } from "../call/budget.ts";
import { type Arrival, type Call, holdFor } from "../call/call.ts";
import type { ClientOf } from "../call/client.ts";
import { canceled } from "../call/errors.ts";
import type { Answer, Packed } from "../call/form.ts";
import type { Room } from "../call/limits.ts";
import type { Rule } from "../call/rule.ts";
import type { SenderOf } from "../call/sender.ts";
import { end, type WireOptions } from "../call/steps.ts";
import { isUnreadHere } from "../call/unread.ts";
import { compressions, compressMinBytes } from "../connect/body.ts";
import { timerMsMax } from "../connect/early-end.ts";
import { UnaryContext } from "./context.ts";
import type { Exchange } from "./exchange.ts";
import type { Target } from "./target.ts";

/** What all calls of this wire share. */
export interface CallOptions extends WireOptions {
  /** Further header fields of every answer. */
  readonly ownFields: { readonly [name: string]: string };
  readonly senderOf: SenderOf;
  readonly clientOf: ClientOf;
}

/** A unary call on its way: it is answered, refused or left to somebody else, once. */
export interface UnaryCall extends Call {
  readonly exchange: Exchange;
  readonly target: Target;
  readonly context: UnaryContext;
  readonly room: Room;
  /** Bytes of the body that the call may hold. */
  readonly lease: Lease;
  /** Refuses the call if it takes longer than so many milliseconds; the answer calls that off. */
  limit(ms: number, late: () => ConnectError): () => void;
  answer(bytes: Uint8Array): Promise<void>;
  refuse(error: ConnectError): Promise<void>;
}

/** Creates the call of a request. */
export function createCall(
  exchange: Exchange,
  target: Target,
  { rule, room }: Pick<UnaryCall, "rule" | "room">,
  options: CallOptions,
): UnaryCall {
  const { unary, form } = target;
  const { headers } = exchange;
  const lease = options.budget.lease(room.allBytes);
  const context = new UnaryContext(unary.method, headers);
  const isGzipAccepted = acceptsGzip(headers[form.acceptField]);
  let answerLease: Lease | undefined;
  let isClosed = false;
  let leave = () => {};

  const own = () => ({ ...fieldsOf(call, exchange.httpVersion), ...options.ownFields });
  const fail = (error: ConnectError): void => {
    call.error = error;
    context.end(error);
    end(call, options);
  };
  const send = (answer: Answer) => {
    exchange.answer(answer);
    if (isClosed || !isUnreadHere(call)) return;
    const sender = call.sender ?? options.senderOf(exchange.body, headers);
    leave = options.unread.count(sender, answer.body?.byteLength ?? 0);
  };
  const call: UnaryCall = {
    ...arrivalAt(exchange, target, rule, options),
    method: unary.method,
    header: { get: (name) => fieldOf(exchange, name) },
    values: context.values,
    ...{ rule, form, exchange, target, context, room, lease, isOver: false, held: [lease.end] },
    limit: (ms, late) => {
      if (ms > timerMsMax) return () => {};
      const timer = setTimeout(() => void call.refuse(late()), ms);
      const stop = () => clearTimeout(timer);
      holdFor(call, stop);
      return stop;
    },
    answer: async (bytes) => {
      // What is held from here on is given back when the exchange closes, as it has already.
      if (call.isOver) return;
      // While it is compressed it is there in full.
      if (!isUnreadHere(call)) answerLease = options.answers.hold(bytes.byteLength);
      const packed = packable(bytes, isGzipAccepted) ?? (await pack(bytes));
      answerLease?.hold(packed.bytes.byteLength);
      if (call.isOver) return;
      end(call, options);
      send(form.answer(packed, { ...own(), ...context.setFields }));
    },
    refuse: async (error) => {
      if (call.isOver) return;
      fail(error);
      const part = form.refusalBytes(error);
      const packed = packable(part, isGzipAccepted) ?? (await pack(part));
      send(form.refuse(error, packed, own()));
    },
  };
  exchange.onClose(() => {
    isClosed = true;
    answerLease?.end();
    leave();
    if (!call.isOver) fail(canceled());
  });
  return call;
}

function arrivalAt(
  { body, headers }: Exchange,
  { rest }: Target,
  { kind }: Rule,
  { now, pace, senderOf, clientOf }: CallOptions,
): Arrival {
  return {
    requestId: randomUUID(),
    startedMs: now(),
    pathFields: rest?.pathFields ?? noFields,
    sender: kind === "open" || pace.isOn ? senderOf(body, headers) : undefined,
    // At the end of a call that was broken off, the connection is gone.
    client: clientOf(body, headers),
  };
}

const noFields = {};

function fieldOf({ headers }: Exchange, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : String(value);
}

const [gzip] = compressions;

/** The bytes as they are sent, where that needs no work. */
function packable(bytes: Uint8Array, isGzipAccepted: boolean): Packed | undefined {
  if (isGzipAccepted && bytes.byteLength >= compressMinBytes) return undefined;
  return { bytes, isGzipAccepted, isGzip: false };
}

async function pack(bytes: Uint8Array): Promise<Packed> {
  return { bytes: await gzip.compress(bytes), isGzipAccepted: true, isGzip: true };
}

function acceptsGzip(accepted: string | readonly string[] | undefined): boolean {
  const given = String(accepted ?? "");
  return given !== "" && given.split(",").some((name) => name.trim() === gzip.name);
}
