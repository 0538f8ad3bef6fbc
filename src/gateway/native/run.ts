import { create, type Message } from "@bufbuild/protobuf";
import { rejectionFor } from "../../domain/decision.ts";
import { giveBack } from "../call/call.ts";
import { hasTooManyElements } from "../call/elements.ts";
import { explain, failure, requestTimeout } from "../call/errors.ts";
import { mayHaveLongNumbers } from "../call/json-number.ts";
import { roomOf } from "../call/limits.ts";
import { type Received, receive, takeArrived } from "../call/receive.ts";
import { arriving, handling, take } from "../call/steps.ts";
import { type CallOptions, createCall, type UnaryCall } from "./call.ts";
import type { Exchange } from "./exchange.ts";
import { handOver } from "./hand-over.ts";
import type { Target } from "./target.ts";

/** Runs the call that a request makes; answers false, and does nothing, where it is unusual. */
export type Runner = (exchange: Exchange, target: Target) => boolean;

export function createRunner(options: CallOptions): Runner {
  return (exchange, target) => {
    const { timeoutField, timeoutMs } = target.form;
    const timeout = exchange.headers[timeoutField];
    const ms = timeout === undefined ? Infinity : timeoutMs(String(timeout));
    if (ms === undefined || ms <= 0) return false;
    const rule = options.rules.of(target.unary.method);
    const announced = Number(exchange.headers["content-length"] ?? 0);
    const room = roomOf(rule, options.limits, target.form.frameBytes);
    if (announced > room.messageBytes) return false;
    const call = createCall(exchange, target, { rule, room }, options);
    call.limit(ms, () => failure(rejectionFor("DEADLINE_EXCEEDED")));
    void run(call, options);
    return true;
  };
}

/** One call from its arrival to its answer. Never rejects. */
async function run(call: UnaryCall, options: CallOptions): Promise<void> {
  const { method, handle } = call.target.unary;
  try {
    await take(arriving, call, options);
    if (call.isOver) return;
    call.message = await messageOf(call, options);
    if (call.message === undefined || call.isOver) return;
    await take(handling, call, options);
    if (call.isOver) return;
    const output = create(method.output, await handle(call.message, call.context));
    await call.answer(call.form.encode(method, output));
  } catch (thrown) {
    // A caller who may not call is told nothing else.
    const denied = await options.gate.recheck(call).catch((refusal: unknown) => refusal);
    await call.refuse(explain(denied ?? thrown, call, options.log));
  }
}

/** The message of a call; undefined where somebody else answers it, because it is unusual. */
async function messageOf(call: UnaryCall, options: CallOptions): Promise<Message | undefined> {
  const { exchange, target, lease, room } = call;
  const { form, rest, unary } = target;
  if (rest !== undefined && !rest.route.hasBody) return create(unary.method.input);
  const announced = exchange.headers["content-length"];
  const arrived = takeArrived(exchange.body, announced, room, lease);
  const received = arrived ?? (await receiveInTime(call, options.limits));
  if (call.isOver) return undefined;
  const bytes = received.isWhole ? form.open(received.bytes) : undefined;
  const message = bytes && decode(target, bytes);
  if (message !== undefined) return message;
  giveBack(call);
  await handOver(exchange, target, received, call, options);
  return undefined;
}

async function receiveInTime(
  call: UnaryCall,
  { requestTimeoutMs }: CallOptions["limits"],
): Promise<Received> {
  const done = call.limit(requestTimeoutMs, () => requestTimeout(requestTimeoutMs));
  const received = await receive(call.exchange.body, call.room, call.lease);
  done();
  return received;
}

/** Undefined where the bytes are no such message, or one that may take too long to be read. */
function decode({ form, rest, unary: { method } }: Target, bytes: Buffer): Message | undefined {
  if (hasTooManyElements(form.encoding, method.input, bytes)) return undefined;
  if (form.encoding === "json" && mayHaveLongNumbers(method.input, bytes.byteLength)) {
    return undefined;
  }
  try {
    // On a REST path an empty body is a message without fields.
    if (rest !== undefined && bytes.byteLength === 0) return create(method.input);
    return form.decode(method, bytes);
  } catch {
    return undefined;
  }
}
