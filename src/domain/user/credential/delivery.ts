import type { RecordedEvent } from "../../../event.ts";
import { accept } from "../../decision.ts";
import type { UserDecision } from "../acting.ts";
import type { UserEvent } from "../event.ts";
import { codeLifetimesMs, type Delivery, type SealedCode } from "../human/state.ts";
import type { UserState } from "../user.ts";

/** An event whose code a person has to be sent. */
export type CodeEvent = Extract<UserEvent, { readonly payload: SealedCode }>;

/** The types of the events whose codes each channel delivers. */
export const codeTypes: {
  readonly [channel in Destination["channel"]]: readonly CodeEvent["type"][];
} = {
  email: ["user.human.initialization.code.added", "user.human.password.code.added"],
  sms: ["user.human.phone.code.added"],
};

/** Reads a recorded event as a code event; throws a TypeError where it is none. */
export function readCodeEvent({ type, payload }: RecordedEvent): CodeEvent {
  switch (type) {
    case "user.human.initialization.code.added":
    case "user.human.password.code.added":
    case "user.human.phone.code.added":
      return { type, payload: JSON.parse(payload) };
    default:
      throw new TypeError(`there is no code in the event ${type}`);
  }
}

/** The address that a code goes to, and until when the code is of use. */
export interface Destination extends Required<SealedCode> {
  readonly channel: "email" | "sms";
  /** The address or the phone number (E.164). */
  readonly to: string;
}

/**
 * Finds the address that the code of an event goes to, as the user is now; undefined when another
 * code took the place of this one, or when there is nobody any more who could use it. The time of a
 * code that is mailed begins now, however long the mail had to wait.
 */
export function findDestination(
  user: UserState | undefined,
  event: CodeEvent,
  nowMs: number,
): Destination | undefined {
  const { email, phone, initialization, passwordCode } = user?.human ?? {};
  const { code, expirationMs = beginTime(nowMs) } = event.payload;
  // Each time it is sealed, a code becomes another text, so equal texts are the same event's.
  if (event.type === "user.human.phone.code.added") {
    if (phone?.code?.code !== code) return undefined;
    return { channel: "sms", to: phone.number, code, expirationMs };
  }
  const isOfReset = event.type === "user.human.password.code.added";
  const pending = isOfReset ? passwordCode : initialization;
  if (email === undefined || pending?.code !== code) return undefined;
  return { channel: "email", to: email, code, expirationMs };
}

/** The end of a message: sent, or given up for a problem that names no address and no code. */
export type Fate =
  | { readonly kind: "sent" }
  | { readonly kind: "failed"; readonly problem: string };

/** Records what became of the message of a code event, and from when the code no longer counts. */
export function recordDelivery(
  user: UserState | undefined,
  { type, payload, position }: CodeEvent & { readonly position: bigint },
  fate: Fate,
  nowMs: number,
): UserDecision {
  if (user?.human === undefined) return accept({});
  const { initialization } = user.human;
  const begins = initialization?.code === payload.code && initialization.expirationMs === undefined;
  const problem = fate.kind === "failed" ? { problem: fate.problem } : {};
  const delivery: Delivery = {
    position: String(position),
    ...(begins ? { expirationMs: beginTime(nowMs) } : {}),
    ...problem,
  };
  return accept({ user: [{ type: ends[type][fate.kind], payload: delivery }] });
}

/** The events of the ends of messages, by those that asked for them. */
const ends = {
  "user.human.initialization.code.added": {
    sent: "user.human.initialization.code.sent",
    failed: "user.human.initialization.code.failed",
  },
  "user.human.password.code.added": {
    sent: "user.human.password.code.sent",
    failed: "user.human.password.code.failed",
  },
  "user.human.phone.code.added": {
    sent: "user.human.phone.code.sent",
    failed: "user.human.phone.code.failed",
  },
} as const;

function beginTime(nowMs: number): number {
  return nowMs + codeLifetimesMs.initialization;
}
