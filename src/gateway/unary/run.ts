import { create, type Message } from "@bufbuild/protobuf";
import { rejectionFor } from "../../domain/decision.ts";
import { hasTooManyElements } from "../elements.ts";
import { explain, failure } from "../errors.ts";
import { checkFields } from "../fields.ts";
import { mayHaveLongNumbers } from "../json-number.ts";
import { leastBytesOf } from "../limits.ts";
import { receive } from "./body.ts";
import { type CallOptions, createCall, type UnaryCall } from "./call.ts";
import type { Exchange } from "./exchange.ts";
import { goLongWay } from "./long-way.ts";
import type { Target } from "./target.ts";

/** Runs the call that a request makes; answers false, and does nothing, where it is unusual. */
export type Runner = (exchange: Exchange, target: Target) => boolean;

export function createRunner(options: CallOptions): Runner {
  return (exchange, target) => {
    const { timeoutField, timeoutMs } = target.form;
    const timeout = exchange.headers[timeoutField];
    const ms = timeout === undefined ? Infinity : timeoutMs(String(timeout));
    if (ms === undefined || ms <= 0) return false;
    const announced = Number(exchange.headers["content-length"] ?? 0);
    if (announced > sizesOf(target, options).bytesMax) return false;
    const call = createCall(exchange, target, options);
    if (call === undefined) return false;
    call.limit(ms, () => failure(rejectionFor("DEADLINE_EXCEEDED")));
    void run(call, options);
    return true;
  };
}

/** One call from the gate to its answer. Never rejects. */
async function run(call: UnaryCall, options: CallOptions): Promise<void> {
  const { exchange, target, context, rule } = call;
  const { method, handle } = target.unary;
  const { values } = context;
  const request = { header: { get: (name: string) => fieldOf(exchange, name) }, values };
  /** Judges the caller on the row; left out while it is the gate itself that refuses. */
  let judge: (() => Promise<void>) | undefined;
  try {
    await options.quickGate.enter(request, rule);
    judge = () => options.gate.enter(request, rule);
    if (call.isOver()) return;
    const message = await messageOf(call, options);
    if (message === undefined || call.isOver()) return;
    const checking = checkFields(method.input, message);
    if (checking !== undefined) await checking;
    judge = undefined;
    await options.quickGate.confirm({ ...request, message }, rule);
    judge = () => options.gate.confirm({ ...request, message }, rule);
    if (call.isOver()) return;
    const output = create(method.output, await handle(message, context));
    await call.answer(target.form.encode(method, output));
  } catch (thrown) {
    // A caller without the right is told nothing else.
    const denied = await judge?.().catch((refusal: unknown) => refusal);
    const { requestId } = call;
    const { encoding } = target.form;
    await call.refuse(explain(denied ?? thrown, { requestId, encoding }, options.log));
  }
}

/** The message of a call; undefined where somebody else answers it, because it is unusual. */
async function messageOf(call: UnaryCall, options: CallOptions): Promise<Message | undefined> {
  const { exchange, target, lease } = call;
  const { form, rest, unary } = target;
  const { input } = unary.method;
  if (rest !== undefined && !rest.route.hasBody) {
    return withPathFields(create(input), target);
  }
  const { requestTimeoutMs } = options.limits;
  const done = call.limit(requestTimeoutMs, () => {
    const message = `The request was not sent completely within ${requestTimeoutMs} ms.`;
    return failure({ reason: "REQUEST_TIMEOUT", message });
  });
  const received = await receive(exchange.body, sizesOf(target, options), lease);
  done();
  if (call.isOver()) return undefined;
  const bytes = received.isWhole ? form.open(received.bytes) : undefined;
  const message = bytes && decode(target, bytes);
  if (message !== undefined) return withPathFields(message, target);
  call.leave();
  await goLongWay(exchange, target, received, call, options.ownFields);
  return undefined;
}

/** Bytes of a body with one message, as it is framed: the most, and what it counts as at least. */
function sizesOf({ form, unary: { method } }: Target, { rules, limits }: CallOptions) {
  const isOpen = rules.of(method).kind === "open";
  const messageBytesMax = isOpen ? limits.openBodyBytesMax : limits.bodyBytesMax;
  return { bytesMax: messageBytesMax + form.frameBytes, leastBytes: leastBytesOf(limits) };
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

/** Values of the path override those of the body. */
function withPathFields(message: Message, { rest, unary }: Target): Message {
  if (rest === undefined) return message;
  for (const { name, localName } of unary.method.input.fields) {
    const value = rest.pathFields[name];
    if (value !== undefined) Object.assign(message, { [localName]: value });
  }
  return message;
}

function fieldOf({ headers }: Exchange, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : String(value);
}
