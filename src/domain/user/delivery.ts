import type { RecordedEvent } from "../../event.ts";
import { accept } from "../decision.ts";
import type { Settled } from "../noun.ts";
import type { UserDecision } from "./acting.ts";
import type { HumanEvent, SealedCode } from "./human-state.ts";
import type { UserEvent, UserState } from "./user.ts";

/** An event whose code a person has to be sent. */
export type CodeEvent = Extract<HumanEvent, { readonly payload: SealedCode }>;

/** The field of a code event's payload that the message is about. */
const field = "code";

/** What the codes of each channel are asked for by. */
export const codeTypes: {
  readonly [channel in Destination["channel"]]: readonly CodeEvent["type"][];
} = {
  email: ["user.human.initialization.code.added"],
  sms: ["user.human.phone.code.added"],
};

/** What the events of a user ask to have sent: see `Noun.messages`. */
export function messages(event: UserEvent): readonly string[] {
  switch (event.type) {
    case "user.human.initialization.code.added":
      return [field];
    case "user.human.phone.code.added":
      return event.payload.send ? [field] : [];
    default:
      return [];
  }
}

/** What the events of a user say is over: see `Noun.settles`. */
export function settles(event: UserEvent): Settled | undefined {
  switch (event.type) {
    case "user.human.initialization.code.sent":
    case "user.human.initialization.code.failed":
    case "user.human.phone.code.sent":
    case "user.human.phone.code.failed":
      return { position: BigInt(event.payload.position), field };
    default:
      return undefined;
  }
}

/** A recorded event as the code event that it is; throws a TypeError where it is none. */
export function codeEventOf({ type, payload }: RecordedEvent): CodeEvent {
  switch (type) {
    case "user.human.initialization.code.added":
    case "user.human.phone.code.added":
      return { type, payload: JSON.parse(payload) };
    default:
      throw new TypeError(`there is no code in the event ${type}`);
  }
}

/** Where a code is to go and until when it is of use. */
export interface Destination extends SealedCode {
  readonly channel: "email" | "sms";
  /** The address or the phone number (E.164). */
  readonly to: string;
}

/**
 * Where the code of an event is to go, as the user is now; undefined when another code took the
 * place of this one, or when there is nobody any more who could use it.
 */
export function destinationOf(
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

/** What became of a message; problems name no address and no code. */
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
