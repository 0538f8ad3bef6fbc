import type { RecordedEvent } from "../../event.ts";
import { accept } from "../decision.ts";
import type { UserDecision } from "./acting.ts";
import type { HumanEvent, SealedCode } from "./human-event.ts";
import type { UserState } from "./user.ts";

/** An event whose code a person has to be sent. */
export type CodeEvent = Extract<HumanEvent, { readonly payload: SealedCode }>;

/** The types of the events whose codes each channel delivers. */
export const codeTypes: {
  readonly [channel in Destination["channel"]]: readonly CodeEvent["type"][];
} = {
  email: ["user.human.initialization.code.added"],
  sms: ["user.human.phone.code.added"],
};

/** Reads a recorded event as a code event; throws a TypeError where it is none. */
export function readCodeEvent({ type, payload }: RecordedEvent): CodeEvent {
  switch (type) {
    case "user.human.initialization.code.added":
    case "user.human.phone.code.added":
      return { type, payload: JSON.parse(payload) };
    default:
      throw new TypeError(`there is no code in the event ${type}`);
  }
}

/** The address that a code goes to, and until when the code is of use. */
export interface Destination extends SealedCode {
  readonly channel: "email" | "sms";
  /** The address or the phone number (E.164). */
  readonly to: string;
}

/**
 * Finds the address that the code of an event goes to, as the user is now; undefined when another
 * code took the place of this one, or when there is nobody any more who could use it.
 */
export function findDestination(
  user: UserState | undefined,
  event: CodeEvent,
): Destination | undefined {
  const { email, phone, initialization } = user?.human ?? {};
  const { code, expirationMs } = event.payload;
  // Each time it is sealed, a code becomes another text, so equal texts are the same event's.
  if (event.type === "user.human.phone.code.added") {
    if (phone?.code?.code !== code) return undefined;
    return { channel: "sms", to: phone.number, code, expirationMs };
  }
  if (email === undefined || initialization?.code !== code) return undefined;
  return { channel: "email", to: email, code, expirationMs };
}

/** The end of a message: sent, or given up for a problem that names no address and no code. */
export type Fate =
  | { readonly kind: "sent" }
  | { readonly kind: "failed"; readonly problem: string };

/** Records what became of the message of the code event at a position. */
export function recordDelivery(
  user: UserState | undefined,
  { type, position }: { readonly type: CodeEvent["type"]; readonly position: bigint },
  fate: Fate,
): UserDecision {
  if (user?.human === undefined) return accept({});
  const at = { position: String(position) };
  const isPhone = type === "user.human.phone.code.added";
  if (fate.kind === "sent") {
    return accept({
      user: [
        {
          type: isPhone ? "user.human.phone.code.sent" : "user.human.initialization.code.sent",
          payload: at,
        },
      ],
    });
  }
  return accept({
    user: [
      {
        type: isPhone ? "user.human.phone.code.failed" : "user.human.initialization.code.failed",
        payload: { ...at, problem: fate.problem },
      },
    ],
  });
}
