import { randomUUID } from "node:crypto";
import {
  type ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
} from "@connectrpc/connect";
import { type Call, readingKey } from "../api/call.ts";
import type { Peer } from "../port/peer.ts";
import type { Client } from "./client.ts";
import { createEarlyEnd, type EarlyEnd } from "./deadline.ts";
import type { Encoding } from "./elements.ts";

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
  /** Who sent the request; undefined where the service calls itself, for one that is counted. */
  readonly sender: Peer | undefined;
  /** Where it comes from, for the log. */
  readonly client: Client | undefined;
  phase: Phase;
  /** How messages of the call are written, as soon as its header was read. */
  encoding: Encoding;
  /** Fails with our error as soon as the call cannot be answered well any more. */
  readonly earlyEnd: EarlyEnd;
  /** Aborts when the caller goes, and in any case some time after the answer. */
  gone?: AbortSignal;
  /** Set once the call is going to be refused. */
  error?: ConnectError;
}

/**
 * What is logged of a call: who did what to whom from where, and never a word of what was sent or
 * answered.
 */
export interface CallLine extends Partial<Client> {
  readonly requestId: string;
  /** `<package>.<Service>/<Method>` */
  readonly method: string;
  readonly dialect: string;
  /** `OK` or the reason of the refusal. */
  readonly code: string;
  readonly durationMs: number;
  /** Ids, where the gate has found them out. */
  readonly caller: string | undefined;
  readonly organization: string | undefined;
}

/** What ids look like. A header that names an organization may hold anything else. */
const idForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The ids in the line of a call; undefined where the gate has not found out who calls. */
export function namesOf(call: Call | undefined): Pick<CallLine, "caller" | "organization"> {
  const organization = call?.organization ?? "";
  return {
    caller: call?.caller.userId,
    organization: idForm.test(organization) ? organization : undefined,
  };
}

export const recordKey = createContextKey<CallRecord | undefined>(undefined, {
  description: "record",
});

/** The key of the call since the gate knows who calls, whether or not it lets the call through. */
export const knownCallKey = createContextKey<Call | undefined>(undefined, {
  description: "known call",
});

/** What a record begins with; the id is one of its own where none is given. */
export interface Arrival {
  readonly requestId?: string;
  readonly pathFields?: CallRecord["pathFields"];
  readonly sender?: Peer | undefined;
  readonly client?: Client | undefined;
}

/** The record of a call that has just arrived. */
export function createCallRecord(
  now: () => number,
  { requestId = randomUUID(), pathFields = {}, sender, client }: Arrival,
): CallRecord {
  const earlyEnd = createEarlyEnd();
  const begun = { phase: "arriving", encoding: "binary" } as const;
  return { requestId, startedMs: now(), pathFields, sender, client, ...begun, earlyEnd };
}

/** What goes along with a call of the service itself; one that reads counts no wrong code. */
export function valuesOf(record: CallRecord, isReading: boolean): ContextValues {
  return createContextValues().set(recordKey, record).set(readingKey, isReading);
}
