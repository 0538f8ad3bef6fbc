import { type ContextValues, createContextKey, createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import { readingKey } from "../../api/call.ts";
import { type Arrival, type Call, giveBack } from "../call/call.ts";
import type { Rules } from "../call/rule.ts";
import { formIn } from "../form/forms.ts";
import { createEarlyEnd, type EarlyEnd } from "./early-end.ts";

/**
 * How far a call has come. What goes wrong while the request is read is the caller's mistake, what
 * goes wrong later is ours.
 */
export type Phase = "arriving" | "reading" | "handling" | "answering";

/** A call that Connect's handlers answer. */
export interface ConnectCall extends Call {
  phase: Phase;
  /** Fails with our error as soon as the call cannot be answered well any more. */
  readonly earlyEnd: EarlyEnd;
  /** Aborts when the caller goes, and in any case some time after the answer. */
  readonly gone: AbortSignal;
}

/** What was known of the request of a call when it arrived. */
export const arrivalKey = createContextKey<Arrival | undefined>(undefined, {
  description: "arrival",
});

/** The call that a request became. */
export const connectCallKey = createContextKey<ConnectCall | undefined>(undefined, {
  description: "connect call",
});

/** What goes along with a call of the service itself; one that reads counts no wrong code. */
export function ownValues(arrival: Arrival, isReading: boolean): ContextValues {
  return createContextValues().set(arrivalKey, arrival).set(readingKey, isReading);
}

/** Makes the call of a request, and leaves it in the values that go along. */
export function createConnectCall(
  { method }: UniversalHandler,
  { header, signal: gone, contextValues: values }: UniversalServerRequest,
  rules: Rules,
): ConnectCall {
  const arrival = values?.get(arrivalKey);
  if (values === undefined || arrival === undefined) {
    throw new TypeError("the call came in without its arrival");
  }
  const call: ConnectCall = {
    ...arrival,
    method,
    rule: rules.of(method),
    form: formIn(header),
    header,
    values,
    phase: "arriving",
    earlyEnd: createEarlyEnd(),
    gone,
    isOver: gone.aborted,
    held: [],
  };
  // Where Connect has no answer to be written, this is the only end.
  gone.addEventListener("abort", () => giveBack(call));
  values.set(connectCallKey, call);
  return call;
}
