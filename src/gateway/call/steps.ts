import type { Shares } from "../../port/shares.ts";
import type { Call } from "./call.ts";
import { checkFields } from "./fields.ts";
import type { Gate } from "./gate.ts";
import { takeOpenCall } from "./sender.ts";

/** What the steps of all calls share. */
export interface StepOptions {
  readonly gate: Gate;
  /** Calls of methods that ask for no token. */
  readonly openCalls: Shares;
  /** Of them, those that stay open as long as their callers want. */
  readonly openStreams: Shares;
}

/** One step of a call. Throws, or rejects with, what the call is refused with. */
type Step = (call: Call, options: StepOptions) => void | Promise<void>;

/** Before the body is read. */
export const arriving: readonly Step[] = [takeShare, enterGate];

/** With each message, before the handler gets it. */
export const handling: readonly Step[] = [fillPath, checkRules, confirmCaller];

/** Takes the steps one after the other. */
export async function take(
  steps: readonly Step[],
  call: Call,
  options: StepOptions,
): Promise<void> {
  for (const step of steps) {
    const going = step(call, options);
    if (going !== undefined) await going;
  }
}

/** Counts a call without a token for its sender. */
function takeShare(call: Call, { openCalls, openStreams }: StepOptions): void {
  const { rule, sender, method } = call;
  if (rule.kind !== "open" || sender === undefined) return;
  call.atEnd(takeOpenCall(sender, openCalls));
  if (method.methodKind !== "unary") call.atEnd(takeOpenCall(sender, openStreams));
}

function enterGate(call: Call, { gate }: StepOptions): Promise<void> {
  return gate.enter(call);
}

/** Values of the path override those of the body. */
function fillPath({ method, message, pathFields }: Call): void {
  for (const name of Object.keys(pathFields)) {
    const field = method.input.fields.find((one) => one.name === name);
    if (field && message) Object.assign(message, { [field.localName]: pathFields[name] });
  }
}

function checkRules({ method, message }: Call): void | Promise<void> {
  return message && checkFields(method.input, message);
}

function confirmCaller(call: Call, { gate }: StepOptions): Promise<void> {
  return gate.confirm(call);
}
