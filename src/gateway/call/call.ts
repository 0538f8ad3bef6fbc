import { randomUUID } from "node:crypto";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { type ConnectError, type ContextValues, createContextKey } from "@connectrpc/connect";
import type { Call as AdmittedCall } from "../../api/call.ts";
import type { Reason } from "../../reason.ts";
import type { Client } from "./client.ts";
import { reasonOf } from "./errors.ts";
import type { Form } from "./form.ts";
import type { Rule } from "./rule.ts";
import type { Sender } from "./sender.ts";

/** What is known of a request when it arrives, whichever wire is going to answer it. */
export interface Arrival {
  readonly requestId: string;
  readonly startedMs: number;
  /** Values of the path's variables by field name; they override the body. */
  readonly pathFields: { readonly [field: string]: string };
  /** Who sent the request; undefined where the service calls itself, for one that is counted. */
  readonly sender: Sender | undefined;
  /** Where it comes from, for the log. */
  readonly client: Client | undefined;
}

/** One call on its way, on either wire; its steps add to it in turn. */
export interface Call extends Arrival {
  readonly method: DescMethod;
  /** Who may call the method. */
  readonly rule: Rule;
  readonly form: Form;
  readonly header: HeaderFields;
  /** What its handler is told besides the message. */
  readonly values: ContextValues;
  /** The request, as soon as it was read. */
  message?: Message | undefined;
  /** The step of the gate that let the caller in as it was seen last: no row was read for it. */
  seenBy?: "enter" | "confirm" | undefined;
  /** Set once the call is refused, or is going to be. */
  error?: ConnectError;
  /** Whether it holds nothing any more, because it is answered, refused or left. */
  isOver: boolean;
  /** What gives back each thing that it holds. */
  readonly held: (() => void)[];
}

/** Header fields by their names in lower case; null for those that are not there. */
export type HeaderFields = Pick<Headers, "get">;

/** What is known of a request that has just arrived. */
export function arrivalOf(startedMs: number, known: Partial<Omit<Arrival, "startedMs">>): Arrival {
  const { requestId = randomUUID(), pathFields = {}, sender, client } = known;
  return { requestId, startedMs, pathFields, sender, client };
}

/** What of a call tells what it holds. */
type Holder = Pick<Call, "isOver" | "held">;

/** Has something given back when the call is over, and at once where it is. */
export function holdFor(call: Holder, giveBack: () => void): void {
  if (call.isOver) giveBack();
  else call.held.push(giveBack);
}

/** Gives back all that a call holds, which is over by that. */
export function giveBack(call: Holder): void {
  call.isOver = true;
  for (const end of call.held.splice(0)) end();
}

/**
 * What is logged of a call: who did what to whom from where, and never a word of what was sent or
 * answered.
 */
export interface CallLine extends Partial<Client> {
  readonly requestId: string;
  /** `<package>.<Service>/<Method>` */
  readonly method: string;
  readonly dialect: Form["name"];
  /** `OK` or the reason of the refusal. */
  readonly code: string;
  readonly durationMs: number;
  /** Ids, where the gate has found them out. */
  readonly caller: string | undefined;
  readonly organization: string | undefined;
}

/** What is logged of a request that reached no method: not a word of its query or its body. */
export interface RefusalLine extends Partial<Client> {
  readonly requestId: string;
  readonly verb: string | undefined;
  readonly path: string;
  readonly code: Reason | undefined;
}

/** Where such a line goes. */
export interface LogRefusals {
  readonly logRefusal: (line: RefusalLine) => void;
}

/** The line of a call that ends at this time (Unix milliseconds). */
export function lineOf(call: Call, nowMs: number): CallLine {
  const { requestId, method, form, startedMs, client, values, error } = call;
  return {
    requestId,
    method: `${method.parent.typeName}/${method.name}`,
    dialect: form.name,
    code: error === undefined ? "OK" : (reasonOf(error) ?? "INTERNAL"),
    durationMs: nowMs - startedMs,
    ...namesOf(values.get(knownCallKey)),
    ...client,
  };
}

/** What ids look like. A header that names an organization may hold anything else. */
const idForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The ids in the line of a call; undefined where the gate has not found out who calls. */
function namesOf(call: AdmittedCall | undefined): Pick<CallLine, "caller" | "organization"> {
  const organization = call?.organization ?? "";
  return {
    caller: call?.caller.userId,
    organization: idForm.test(organization) ? organization : undefined,
  };
}

/** The key of the call since the gate knows who calls, whether or not it lets the call through. */
export const knownCallKey = createContextKey<AdmittedCall | undefined>(undefined, {
  description: "known call",
});
