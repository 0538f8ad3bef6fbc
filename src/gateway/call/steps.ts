import type { DescField } from "@bufbuild/protobuf";
import type { Logger } from "pino";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import { Refused } from "../../api/call.ts";
import { rejectionOfFields } from "../../domain/decision.ts";
import type { Shares } from "../../port/shares.ts";
import type { Answers } from "./answers.ts";
import type { Budget } from "./budget.ts";
import { type Call, type CallLine, giveBack, holdFor, knownCallKey, lineOf } from "./call.ts";
import { checkFields } from "./fields.ts";
import type { Gate } from "./gate.ts";
import type { GatewayLimits } from "./limits.ts";
import { applyMask } from "./mask.ts";
import type { Pace } from "./pace.ts";
import type { Rules } from "./rule.ts";
import { takeOpenCall } from "./sender.ts";
import type { Unread } from "./unread.ts";
import { oneOf } from "./violation-texts.ts";

/** What all calls of a wire share, and their steps. */
export interface WireOptions {
  readonly gate: Gate;
  readonly rules: Rules;
  readonly limits: GatewayLimits;
  readonly log: Logger;
  readonly logCall: (line: CallLine) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** What bodies of all calls together may hold. */
  readonly budget: Budget;
  readonly answers: Answers;
  /** What answers of strangers hold, in place of those. */
  readonly unread: Unread;
  readonly pace: Pace;
  /** Ends when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Calls of methods that ask for no token. */
  readonly openCalls: Shares;
  /** Of them, those that stay open as long as their callers want. */
  readonly openStreams: Shares;
}

/** One step of a call. Throws, or rejects with, what the call is refused with. */
type Step = (call: Call, options: WireOptions) => void | Promise<void>;

/** Before the body is read. */
export const arriving: readonly Step[] = [countAddress, takeShare, enterGate, countCaller];

/** With each message, before the handler gets it. */
export const handling: readonly Step[] = [countMessage, fillPath, checkRules, confirmCaller];

/** Once, when a call is over, however it ends. None of these steps fails or waits. */
const ending: readonly ((call: Call, options: WireOptions) => void)[] = [giveBack, logCall];

/** Takes the steps one after the other. */
export async function take(
  steps: readonly Step[],
  call: Call,
  options: WireOptions,
): Promise<void> {
  for (const step of steps) {
    const going = step(call, options);
    if (going !== undefined) await going;
  }
}

/** Takes the steps of a call that is over; one with an error is refused. */
export function end(call: Call, options: WireOptions): void {
  for (const step of ending) step(call, options);
}

/** Counts a call for its address; that of a balancer may have many callers besides its probes. */
function countAddress({ sender, method }: Call, { pace }: WireOptions): void {
  if (sender !== undefined && method.parent !== Health) pace.countAddress(sender);
}

/** Counts each message of a stream for its address: it may ask for as much as a call does. */
function countMessage(call: Call, options: WireOptions): void {
  const { methodKind } = call.method;
  if (methodKind === "bidi_streaming" || methodKind === "client_streaming")
    countAddress(call, options);
}

/** Counts a call for who makes it: more tokens make nobody faster. */
function countCaller({ sender, values }: Call, { pace }: WireOptions): void {
  const caller = values.get(knownCallKey)?.caller;
  if (sender !== undefined && caller !== undefined) pace.countCaller(sender, caller.userId);
}

/** Counts a call without a token for its sender. */
function takeShare(call: Call, { openCalls, openStreams }: WireOptions): void {
  const { rule, sender, method } = call;
  if (rule.kind !== "open" || sender === undefined) return;
  holdFor(call, takeOpenCall(sender, openCalls));
  if (method.methodKind !== "unary") holdFor(call, takeOpenCall(sender, openStreams));
}

function enterGate(call: Call, { gate }: WireOptions): Promise<void> {
  return gate.enter(call);
}

/** Values of the path override those of the body. */
function fillPath({ method, message, pathFields }: Call): void {
  for (const name of Object.keys(pathFields)) {
    const field = method.input.fields.find((one) => one.name === name);
    const text = pathFields[name];
    if (field === undefined || message === undefined || text === undefined) continue;
    Object.assign(message, { [field.localName]: readPathField(field, text) });
  }
}

/** A value of the path, which names that of an enum or has its number. Throws a refusal. */
function readPathField({ name, enum: named }: DescField, text: string): string | number {
  if (named === undefined) return text;
  const found = named.values.find((one) => one.name === text || String(one.number) === text);
  if (found !== undefined) return found.number;
  throw new Refused(rejectionOfFields([{ field: name, description: oneOf(named) }]));
}

function checkRules({ method, message }: Call): void | Promise<void> {
  return message && checkFields(method.input, message, applyMask(method, message));
}

function confirmCaller(call: Call, { gate }: WireOptions): Promise<void> {
  return gate.confirm(call);
}

function logCall(call: Call, { logCall, now }: WireOptions): void {
  logCall(lineOf(call, now()));
}
