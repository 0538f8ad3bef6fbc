import type { RecordedEvent } from "../../../event.ts";
import { accept } from "../../decision.ts";
import { mustExist } from "../../noun.ts";
import type { UserDecision } from "../acting.ts";
import type { UserEvent } from "../event.ts";
import { codeLifetimesMs, type Delivery, type SealedCode } from "../human/state.ts";
import type { UserState } from "../user.ts";
import type { CredentialState } from "./state.ts";

/** An event whose code a person has to be sent. */
export type CodeEvent = Extract<UserEvent, { readonly payload: SealedCode }>;

/** The types of the events whose codes each channel delivers. */
export const codeTypes: {
  readonly [channel in Destination["channel"]]: readonly CodeEvent["type"][];
} = {
  email: [
    "user.human.initialization.code.added",
    "user.human.email.code.added",
    "user.human.email.requested",
    "user.human.password.code.added",
    "user.human.passwordless.link.added",
  ],
  sms: ["user.human.phone.code.added"],
};

/** Reads a recorded event as a code event; throws a TypeError where it is none. */
export function readCodeEvent({ type, payload }: RecordedEvent): CodeEvent {
  switch (type) {
    case "user.human.initialization.code.added":
    case "user.human.email.code.added":
    case "user.human.email.requested":
    case "user.human.password.code.added":
    case "user.human.passwordless.link.added":
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
  /** Which of several codes of a kind it is; left out, there is one at most. */
  readonly codeId?: string;
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
  const { type, payload } = event;
  const { code, expirationMs = nowMs + kinds[type].lifetimeMs }: SealedCode = payload;
  const human = user?.human;
  // Each time it is sealed, a code becomes another text, so equal texts are the same event's.
  if (human === undefined || kinds[type].pendingOf(human, payload)?.code !== code) return undefined;
  if (type === "user.human.phone.code.added") {
    return { channel: "sms", to: mustExist(human.phone).number, code, expirationMs };
  }
  const { email: to } = type === "user.human.email.requested" ? event.payload : human;
  return { channel: "email", to, code, expirationMs, ...codeIdOf(event) };
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
  const { pendingOf, lifetimeMs, ends } = kinds[type];
  const pending = pendingOf(user.human, payload);
  const begins = pending?.code === payload.code && pending.expirationMs === undefined;
  const problem = fate.kind === "failed" ? { problem: fate.problem } : {};
  const delivery = {
    position: String(position),
    ...codeIdOf({ type, payload } as CodeEvent),
    ...(begins ? { expirationMs: nowMs + lifetimeMs } : {}),
    ...problem,
  };
  return accept({ user: [{ type: ends[fate.kind], payload: delivery } as UserEvent] });
}

function codeIdOf({ payload }: CodeEvent): { readonly codeId?: string } {
  return "codeId" in payload ? { codeId: payload.codeId } : {};
}

/** What is to be known of the codes of an event. */
interface Kind {
  /** The code of that kind that still counts; where there may be several, the same one. */
  readonly pendingOf: (
    human: CredentialState,
    asked: SealedCode,
  ) => Partial<SealedCode> | undefined;
  readonly lifetimeMs: number;
  /** The events of the ends of the message. */
  readonly ends: { readonly [kind in Fate["kind"]]: DeliveryType };
}

type DeliveryType = Extract<UserEvent, { readonly payload: Delivery }>["type"];

const kinds: { readonly [type in CodeEvent["type"]]: Kind } = {
  "user.human.initialization.code.added": {
    pendingOf: ({ initialization }) => initialization,
    lifetimeMs: codeLifetimesMs.initialization,
    ends: {
      sent: "user.human.initialization.code.sent",
      failed: "user.human.initialization.code.failed",
    },
  },
  "user.human.email.code.added": {
    pendingOf: ({ emailCode }) => emailCode,
    lifetimeMs: codeLifetimesMs.email,
    ends: { sent: "user.human.email.code.sent", failed: "user.human.email.code.failed" },
  },
  "user.human.email.requested": {
    pendingOf: ({ emailRequest }) => emailRequest,
    lifetimeMs: codeLifetimesMs.email,
    ends: {
      sent: "user.human.email.request.code.sent",
      failed: "user.human.email.request.code.failed",
    },
  },
  "user.human.password.code.added": {
    pendingOf: ({ passwordCode }) => passwordCode,
    lifetimeMs: codeLifetimesMs.password,
    ends: { sent: "user.human.password.code.sent", failed: "user.human.password.code.failed" },
  },
  "user.human.passwordless.link.added": {
    pendingOf: ({ passwordless }, { code }) => passwordless.find((link) => link.code === code),
    lifetimeMs: codeLifetimesMs.passwordless,
    ends: {
      sent: "user.human.passwordless.link.sent",
      failed: "user.human.passwordless.link.failed",
    },
  },
  "user.human.phone.code.added": {
    pendingOf: ({ phone }) => phone?.code,
    lifetimeMs: codeLifetimesMs.phone,
    ends: { sent: "user.human.phone.code.sent", failed: "user.human.phone.code.failed" },
  },
};
