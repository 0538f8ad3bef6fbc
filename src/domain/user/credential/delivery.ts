import type { RecordedEvent } from "../../../event.ts";
import { accept } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import type { CredentialState } from "../state/credential-state.ts";
import type { UserEvent } from "../state/event.ts";
import {
  codeLifetimesMs,
  type Delivery,
  isSpent,
  type Missed,
  type SealedCode,
} from "../state/human-state.ts";
import { findReader, type NoticeAdded } from "../state/notice.ts";
import type { UserState } from "../state/user.ts";

/** An event whose code a person has to be sent. */
export type CodeEvent = Extract<UserEvent, { readonly payload: SealedCode }>;

/** An event by which a person has to be sent a message: its code, or a notice. */
export type AskingEvent = CodeEvent | NoticeAdded;

/** Such an event with its place in the log, and when it was recorded. */
export type RecordedAsking = AskingEvent & Pick<RecordedEvent, "position" | "timeMs">;

/** The address that a message goes to, and until when the message is of use (Unix milliseconds). */
export interface Destination extends Waiting {
  readonly channel: "email" | "sms";
}

interface Waiting {
  /** The address or the phone number (E.164). */
  readonly to: string;
  readonly expirationMs: number;
}

/** The end of a message: sent, or given up for a problem that names no address and no code. */
export type Fate =
  | { readonly kind: "sent" }
  | { readonly kind: "failed"; readonly problem: string };

/** Reads a recorded event that asks for a message; throws a TypeError where it does not. */
export function readAsking({ type, payload, position, timeMs }: RecordedEvent): RecordedAsking {
  if (!Object.hasOwn(kinds, type)) throw new TypeError(`no message is for the event ${type}`);
  return { type, payload: JSON.parse(payload), position, timeMs } as RecordedAsking;
}

/**
 * Finds the address that the message of an event goes to, as the user is now; undefined when
 * another code took the place of its code, when wrong ones have spent it, when what it announces
 * was taken back, or when there is nobody any more who could use it. Who is out of use can use no
 * code, and is told of changes all the same.
 */
export function findDestination(
  user: UserState | undefined,
  { type, payload, timeMs: addedMs }: RecordedAsking,
  nowMs: number,
): Destination | undefined {
  const { channel, find }: Kind<AskingEvent["payload"]> = kinds[type];
  if (user?.isInactive && hasCode(type)) return undefined;
  if ("dueMs" in payload && payload.dueMs !== user?.erasure?.dueMs) return undefined;
  const found = user?.human && find(user.human, payload, { addedMs, nowMs });
  return found && { channel, ...found };
}

/** Whether the message of an event has a code, which opens nothing while its user is out of use. */
export function hasCode(type: AskingEvent["type"]): boolean {
  return type !== "user.human.notice.added";
}

/** Records what became of the message of an event, and from when its code no longer counts. */
export function recordDelivery(
  user: UserState | undefined,
  { type, payload, position }: RecordedAsking,
  fate: Fate,
  nowMs: number,
): UserDecision {
  if (user?.human === undefined) return accept({});
  const { tell, ends }: Kind<AskingEvent["payload"]> = kinds[type];
  const delivery = {
    position: String(position),
    ...tell(user.human, payload, nowMs),
    ...(fate.kind === "failed" ? { problem: fate.problem } : {}),
  };
  return accept({ user: [{ type: ends[fate.kind], payload: delivery } as UserEvent] });
}

/** What is to be known of the messages that events of one type ask for. */
interface Kind<Payload extends object> {
  readonly channel: Destination["channel"];
  /** Where the message goes as the person is now; undefined where it is of no use any more. */
  find(human: CredentialState, payload: Payload, times: Times): Waiting | undefined;
  /** What the event of its end says besides. */
  tell(human: CredentialState, payload: Payload, nowMs: number): Omit<Delivery, "position">;
  /** The events of the ends of the message. */
  readonly ends: { readonly [kind in Fate["kind"]]: DeliveryType };
}

/** When the message was asked for, and the time of now. */
interface Times {
  readonly addedMs: number;
  readonly nowMs: number;
}

type DeliveryType = Extract<UserEvent, { readonly payload: Delivery }>["type"];

const kinds: { readonly [Event in AskingEvent as Event["type"]]: Kind<Event["payload"]> } = {
  "user.human.initialization.code.added": kindOfCode({
    pendingOf: ({ initialization }) => initialization,
    lifetimeMs: codeLifetimesMs.initialization,
    ends: {
      sent: "user.human.initialization.code.sent",
      failed: "user.human.initialization.code.failed",
    },
  }),
  "user.human.email.code.added": kindOfCode({
    pendingOf: ({ emailCode }) => emailCode,
    lifetimeMs: codeLifetimesMs.email,
    ends: { sent: "user.human.email.code.sent", failed: "user.human.email.code.failed" },
  }),
  "user.human.email.requested": kindOfCode({
    addressOf: ({ emailRequest }) => emailRequest?.email,
    pendingOf: ({ emailRequest }) => emailRequest,
    lifetimeMs: codeLifetimesMs.email,
    ends: {
      sent: "user.human.email.request.code.sent",
      failed: "user.human.email.request.code.failed",
    },
  }),
  "user.human.password.code.added": kindOfCode({
    pendingOf: ({ passwordCode }) => passwordCode,
    lifetimeMs: codeLifetimesMs.password,
    ends: { sent: "user.human.password.code.sent", failed: "user.human.password.code.failed" },
  }),
  "user.human.passwordless.link.added": kindOfCode({
    pendingOf: ({ passwordless }, { code }) => passwordless.find((link) => link.code === code),
    lifetimeMs: codeLifetimesMs.passwordless,
    ends: {
      sent: "user.human.passwordless.link.sent",
      failed: "user.human.passwordless.link.failed",
    },
  }),
  "user.human.phone.code.added": kindOfCode({
    channel: "sms",
    addressOf: ({ phone }) => phone?.number,
    pendingOf: ({ phone }) => phone?.code,
    lifetimeMs: codeLifetimesMs.phone,
    ends: { sent: "user.human.phone.code.sent", failed: "user.human.phone.code.failed" },
  }),
  "user.human.notice.added": {
    channel: "email",
    find: (human, notice, { addedMs }) => findReader(human, notice, addedMs),
    tell: () => ({}),
    ends: { sent: "user.human.notice.sent", failed: "user.human.notice.failed" },
  },
};

/** The types of the events whose messages each channel delivers. */
export const messageTypes: {
  readonly [channel in Destination["channel"]]: readonly AskingEvent["type"][];
} = { email: typesOf("email"), sms: typesOf("sms") };

function typesOf(channel: Destination["channel"]): readonly AskingEvent["type"][] {
  const types = Object.keys(kinds) as AskingEvent["type"][];
  return types.filter((type) => kinds[type].channel === channel);
}

/** What is to be known of the codes of an event, which are mailed unless the channel is another. */
interface CodeKind extends Pick<Kind<SealedCode>, "ends">, Partial<Pick<Kind<object>, "channel">> {
  readonly addressOf?: (human: CredentialState) => string | undefined;
  /** The code of that kind that still counts; where there may be several, the same one. */
  readonly pendingOf: (
    human: CredentialState,
    asked: SealedCode,
  ) => (Partial<SealedCode> & Partial<Missed>) | undefined;
  readonly lifetimeMs: number;
}

/**
 * A kind whose messages are of use while their code counts. The time of a code that is mailed
 * begins when the mail has left, however long that had to wait.
 */
function kindOfCode({
  channel = "email",
  addressOf = ({ email }) => email,
  pendingOf,
  lifetimeMs,
  ends,
}: CodeKind): Kind<SealedCode> {
  // Each time it is sealed, a code becomes another text, so equal texts are the same event's.
  const findPending = (human: CredentialState, asked: SealedCode) => {
    const pending = pendingOf(human, asked);
    return pending?.code === asked.code ? pending : undefined;
  };
  return {
    channel,
    ends,
    find(human, asked, { nowMs }) {
      const to = addressOf(human);
      const pending = findPending(human, asked);
      if (to === undefined || pending === undefined) return undefined;
      // Whether its time is over is judged by who knows whether the clock is right.
      const { failures = 0 } = pending;
      if (isSpent({ failures }, nowMs)) return undefined;
      return { to, expirationMs: asked.expirationMs ?? nowMs + lifetimeMs };
    },
    tell(human, asked, nowMs) {
      const pending = findPending(human, asked);
      const begins = pending !== undefined && pending.expirationMs === undefined;
      return {
        ...("codeId" in asked ? { codeId: asked.codeId } : {}),
        ...(begins ? { expirationMs: nowMs + lifetimeMs } : {}),
      };
    },
  };
}
