import type { Envelope } from "../../../event.ts";
import type { NameClaim } from "../../name.ts";
import { type EventsOf, mustExist, type Nothing, unknownEvent } from "../../noun.ts";
import { type Made, madeBy, type Via } from "./made.ts";
import type { NoticeAdded } from "./notice.ts";

/** The events of who a person is and how it is reached. Codes in payloads are sealed. */
export type HumanEvent = EventsOf<Payloads> | NoticeAdded;

interface Payloads {
  readonly "user.human.added": HumanAdded;
  readonly "user.human.profile.changed": Profile;
  readonly "user.human.email.changed": { readonly email: string } & Via;
  readonly "user.human.email.verified": Nothing | SaidVerified;
  readonly "user.human.email.verification.failed": Nothing;
  readonly "user.human.email.code.added": SealedCode;
  readonly "user.human.email.code.sent": Delivery;
  readonly "user.human.email.code.failed": Delivery;
  readonly "user.human.initialization.code.added": InitializationCode;
  readonly "user.human.initialization.code.sent": Delivery;
  readonly "user.human.initialization.code.failed": Delivery;
  readonly "user.human.initialization.failed": Nothing;
  readonly "user.human.initialized": Nothing;
  readonly "user.human.phone.changed": { readonly phone: string };
  readonly "user.human.phone.removed": Nothing;
  readonly "user.human.phone.verified": Nothing | SaidVerified;
  readonly "user.human.phone.verification.failed": Nothing;
  readonly "user.human.phone.code.added": PhoneCode;
  readonly "user.human.phone.code.sent": Delivery;
  readonly "user.human.phone.code.failed": Delivery;
  readonly "user.human.notice.sent": Delivery;
  readonly "user.human.notice.failed": Delivery;
}

/** The happening behind each of them: see `Noun.events`. */
export const humanEvents: { readonly [type in HumanEvent["type"]]: string } = {
  "user.human.added": "A person was created",
  "user.human.profile.changed": "The names of the person were replaced, and language and gender",
  "user.human.email.changed": "The person got another e-mail address; it is not verified",
  "user.human.email.verified": "The e-mail address was verified",
  "user.human.email.verification.failed": "A wrong code for the e-mail address was tried",
  "user.human.email.code.added": "A code to verify the e-mail address was created and sealed",
  "user.human.email.code.sent": "The mail with the code was sent; the lifetime of the code begins",
  "user.human.email.code.failed":
    "Sending the mail was given up; the lifetime of the code begins anyway",
  "user.human.initialization.code.added": "A code to initialize the account was created and sealed",
  "user.human.initialization.code.sent":
    "The mail with the code was sent; the lifetime of the code begins",
  "user.human.initialization.code.failed":
    "Sending the mail was given up; the lifetime of the code begins anyway",
  "user.human.phone.changed": "The person got a phone number, or another one",
  "user.human.phone.removed": "The phone number was removed",
  "user.human.phone.verified": "The phone number was verified",
  "user.human.phone.verification.failed": "A wrong code was tried",
  "user.human.phone.code.added": "A code to verify the phone number was created and sealed",
  "user.human.phone.code.sent": "The SMS with the code was sent",
  "user.human.phone.code.failed": "Sending the SMS was given up",
  "user.human.initialization.failed": "A wrong code for the account was tried",
  "user.human.initialized": "The person took over the account",
  "user.human.notice.added": "A mail was requested that tells the person of a change",
  "user.human.notice.sent": "The mail was sent",
  "user.human.notice.failed": "Sending the mail was given up",
};

/** Which action has said that something is verified. */
export interface SaidVerified {
  readonly action: string;
}

/** The names of a person and what else others see of it. */
export interface Profile {
  readonly firstName: string;
  readonly lastName: string;
  readonly nickName: string;
  /** Never empty: first and last name where nothing was given. */
  readonly displayName: string;
  /** A BCP 47 tag, or empty. */
  readonly preferredLanguage: string;
  readonly gender: "UNSPECIFIED" | "FEMALE" | "MALE" | "DIVERSE";
}

/** A person as it was created. */
export interface HumanAdded extends Profile, NameClaim, Via {
  readonly userName: string;
  readonly email: string;
  /** As E.164. */
  readonly phone?: string;
  /** A PHC string or a hash in Modular Crypt Format. */
  readonly passwordHash?: string;
  readonly passwordChangeRequired: boolean;
}

/** A code that was made to be sent. */
export interface SealedCode {
  readonly code: string;
  /** When its time is over (Unix milliseconds); absent where that begins when its mail has left. */
  readonly expirationMs?: number;
}

/** A code to initialize an account. */
export interface InitializationCode extends SealedCode, Via {
  /** Only where it was answered to its maker, and no mail has it. */
  readonly send?: false;
}

/** A code for a phone number, and whether the service sends it or only answers it. */
export type PhoneCode = Required<SealedCode> & { readonly send: boolean };

/** The end of the message that the event at a position (decimal) asked for. */
export interface Delivery {
  readonly position: string;
  /** When the time of the code is over that began with this (Unix milliseconds). */
  readonly expirationMs?: number;
  /** Why it was given up; absent where it was sent. */
  readonly problem?: string;
}

/** The wrong tries of a code, which ends with `codeFailuresMax` of them. */
export interface Missed {
  readonly failures: number;
}

/** Who a person is and how it is reached, as the events leave it. */
export interface Person extends Profile {
  /** When what others are told of the person was changed last (Unix milliseconds). */
  readonly updatedMs?: number;
  readonly email: string;
  readonly isEmailVerified: boolean;
  /**
   * Who chose the address: this user may have what is sent there, also where a mail has verified
   * it. Left out where a grant has voided that: then no mail goes there.
   */
  readonly emailMade?: Made;
  /** The code that verifies the address, until it is verified or another one. */
  readonly emailCode?: SealedCode & Missed;
  readonly phone?: PhoneState;
  /**
   * When the latest phone code was made (Unix milliseconds), pending or not, for whichever number:
   * to remove the phone must not be a way to have codes sent faster.
   */
  readonly phoneCodeMs?: number;
  /** Until the person has taken the account over, whether or not the code is still valid. */
  readonly initialization?: InitializationCode & Missed & Made;
}

/** The phone number of a person and the code that verifies it. */
export interface PhoneState {
  readonly number: string;
  readonly isVerified: boolean;
  /** The code that is pending, and how often it was missed. */
  readonly code?: PhoneCode & { readonly failures: number };
}

/** Wrong codes after which a pending code is gone. */
export const codeFailuresMax = 5;

/** Whether a code opens nothing any more: its time is over, or it was missed too often. */
export function isSpent(
  { expirationMs, failures = 0 }: Partial<Missed> & { readonly expirationMs?: number },
  nowMs: number,
): boolean {
  return (expirationMs !== undefined && expirationMs <= nowMs) || failures >= codeFailuresMax;
}

/** Milliseconds for which codes and links are valid, those of mails once the mail has left. */
export const codeLifetimesMs = {
  initialization: 72 * 60 * 60 * 1_000,
  email: 24 * 60 * 60 * 1_000,
  phone: 60 * 60 * 1_000,
  password: 60 * 60 * 1_000,
  passwordless: 60 * 60 * 1_000,
} as const;

/** Who a person is that was just added. */
export function newPerson({ payload, ...envelope }: Added & Envelope): Person {
  const { firstName, lastName, nickName, displayName, preferredLanguage, gender, email } = payload;
  const { phone } = payload;
  return {
    ...{ firstName, lastName, nickName, displayName, preferredLanguage, gender, email },
    updatedMs: envelope.timeMs,
    isEmailVerified: false,
    emailMade: madeBy({ payload, ...envelope }),
    ...(phone === undefined ? {} : { phone: { number: phone, isVerified: false } }),
  };
}

/** The event that makes a person. */
export type Added = Extract<HumanEvent, { readonly type: "user.human.added" }>;

/** Those that happen to one that is there. */
export type PersonEvent = Exclude<HumanEvent, Added>;

/** The state of a person after such an event, whatever else is kept of it. */
export function evolveHuman<State extends Person>(
  human: State,
  event: PersonEvent & Envelope,
): State {
  const updatedMs = event.timeMs;
  switch (event.type) {
    case "user.human.profile.changed":
      return { ...human, ...event.payload, updatedMs };
    case "user.human.email.changed": {
      const { email } = event.payload;
      const emailMade = madeBy(event);
      const changed = { email, emailMade, isEmailVerified: false, updatedMs };
      return { ...withoutEmailCode(human), ...changed };
    }
    case "user.human.email.verified":
      return { ...withoutEmailCode(human), isEmailVerified: true, updatedMs };
    case "user.human.email.code.added":
      return { ...human, emailCode: { ...event.payload, failures: 0 } };
    case "user.human.email.verification.failed":
      return { ...human, emailCode: countMiss(mustExist(human.emailCode)) };
    case "user.human.email.code.sent":
    case "user.human.email.code.failed": {
      const { expirationMs } = event.payload;
      if (expirationMs === undefined) return human;
      return { ...human, emailCode: { ...mustExist(human.emailCode), expirationMs } };
    }
    case "user.human.initialization.code.added": {
      const initialization = { ...event.payload, failures: 0, ...madeBy(event) };
      return { ...human, initialization };
    }
    case "user.human.initialization.failed":
      return { ...human, initialization: countMiss(mustExist(human.initialization)) };
    case "user.human.initialized": {
      const { initialization: _used, ...rest } = human;
      return rest as State;
    }
    case "user.human.initialization.code.sent":
    case "user.human.initialization.code.failed": {
      const { expirationMs } = event.payload;
      if (expirationMs === undefined) return human;
      return { ...human, initialization: { ...mustExist(human.initialization), expirationMs } };
    }
    case "user.human.phone.code.sent":
    case "user.human.phone.code.failed":
    case "user.human.notice.added":
    case "user.human.notice.sent":
    case "user.human.notice.failed":
      return human;
    case "user.human.phone.removed": {
      const { phone: _removed, ...rest } = human;
      return { ...rest, updatedMs } as State;
    }
    case "user.human.phone.changed":
      return { ...human, phone: { number: event.payload.phone, isVerified: false }, updatedMs };
    case "user.human.phone.code.added": {
      const phone = { ...mustExist(human.phone), code: { ...event.payload, failures: 0 } };
      return { ...human, phone, phoneCodeMs: event.timeMs };
    }
    case "user.human.phone.verified":
      return { ...human, phone: { ...withoutCode(human.phone), isVerified: true }, updatedMs };
    case "user.human.phone.verification.failed":
      return { ...human, phone: countPhoneMiss(mustExist(human.phone)) };
    default:
      return unknownEvent(event);
  }
}

/** The same code, tried with a wrong one once more. */
export function countMiss<Code extends Missed>(code: Code): Code {
  return { ...code, failures: code.failures + 1 };
}

/** The phone after a wrong code, which ends the pending code where it was one too many. */
function countPhoneMiss(phone: PhoneState): PhoneState {
  const { code } = phone;
  const failures = (code?.failures ?? 0) + 1;
  return code === undefined || failures >= codeFailuresMax
    ? withoutCode(phone)
    : { ...phone, code: { ...code, failures } };
}

/** The same person, whose code for the e-mail address is no longer valid. */
export function withoutEmailCode<State extends Person>(human: State): State {
  const { emailCode: _void, ...rest } = human;
  return rest as State;
}

/** The same person, who may take the account over by another code alone. */
export function withEndedInitialization<State extends Person>(human: State): State {
  if (human.initialization === undefined) return human;
  return { ...human, initialization: { ...human.initialization, failures: codeFailuresMax } };
}

function withoutCode(state: PhoneState | undefined): PhoneState {
  const { code: _used, ...phone } = mustExist(state);
  return phone;
}
