import { type ConnectError, createContextKey } from "@connectrpc/connect";
import type { Call } from "../api/call.ts";

/**
 * How far a call has come. What goes wrong while the request is read is the caller's mistake, what
 * goes wrong later is ours.
 */
export type Phase = "arriving" | "reading" | "handling" | "answering";

/** What is known about one call on its way; the gateway's parts add to it in turn. */
export interface CallRecord {
  readonly requestId: string;
  readonly startedMs: number;
  /** Values of the path's variables by field name; they override the body. */
  readonly pathFields: { readonly [field: string]: string };
  phase: Phase;
  /** Set once the gate has let the call through. */
  call?: Call;
  /** Set once the call is going to be refused. */
  error?: ConnectError;
}

export const recordKey = createContextKey<CallRecord | undefined>(undefined, {
  description: "record",
});
