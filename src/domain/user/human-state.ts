import type { Claim, Envelope } from "../../event.ts";
import { linksTo } from "../idp.ts";
import { mustExist, type Nothing, unknownEvent } from "../noun.ts";

/** The events of a person. Codes and secrets in payloads are sealed by the keyring or hashed. */
export type HumanEvent =
  | { readonly type: "user.human.added"; readonly payload: HumanAdded }
  | { readonly type: "user.human.email.verified"; readonly payload: Nothing }
  | { readonly type: "user.human.initialization.code.added"; readonly payload: SealedCode }
  | { readonly type: "user.human.initialization.code.sent"; readonly payload: Delivery }
  | { readonly type: "user.human.initialization.code.failed"; readonly payload: Delivery }
  | { readonly type: "user.human.phone.changed"; readonly payload: { readonly phone: string } }
  | { readonly type: "user.human.phone.removed"; readonly payload: Nothing }
  | { readonly type: "user.human.phone.verified"; readonly payload: Nothing }
  | { readonly type: "user.human.phone.verification.failed"; readonly payload: Nothing }
  | { readonly type: "user.human.phone.code.added"; readonly payload: PhoneCode }
  | { readonly type: "user.human.phone.code.sent"; readonly payload: Delivery }
  | { readonly type: "user.human.phone.code.failed"; readonly payload: Delivery }
  | { readonly type: "user.human.externalidp.added"; readonly payload: ExternalIDP }
  | { readonly type: "user.human.otp.added"; readonly payload: { readonly secret: string } }
  | {
      readonly type: "user.human.passwordless.initialization.code.added";
      readonly payload: PasswordlessCode;
    }
  | {
      readonly type: "user.human.passwordless.initialization.failed";
      readonly payload: Pick<PasswordlessCode, "codeId">;
    }
  | {
      readonly type: "user.human.passwordless.token.added";
      readonly payload: Passkey & Pick<PasswordlessCode, "codeId">;
    }
  | {
      readonly type: "user.human.initialization.failed" | "user.human.initialized";
      readonly payload: Nothing;
    }
  | {
      readonly type: "user.human.password.changed";
      readonly payload: { readonly passwordHash: string };
    };

/** The happening behind each event of a person: see `Noun.events`. */
export const humanEvents: { readonly [type in HumanEvent["type"]]: string } = {
  "user.human.added": "A person was created",
  "user.human.email.verified": "The e-mail address counts as verified",
  "user.human.initialization.code.added": "A code to initialize the account was made, sealed",
  "user.human.initialization.code.sent": "The mail with it was handed over",
  "user.human.initialization.code.failed": "The mail with it was given up",
  "user.human.phone.changed": "The person got a phone number, or another one",
  "user.human.phone.removed": "The phone number was taken away",
  "user.human.phone.verified": "The phone number counts as verified",
  "user.human.phone.verification.failed": "A wrong code was tried",
  "user.human.phone.code.added": "A code to verify the phone number was made, sealed",
  "user.human.phone.code.sent": "The message with it was handed over",
  "user.human.phone.code.failed": "The message with it was given up",
  "user.human.externalidp.added": "An account at an identity provider was linked",
  "user.human.otp.added": "The secret of an authenticator app was stored, sealed",
  "user.human.passwordless.initialization.code.added":
    "A link to register a passkey was made; its hash is kept",
  "user.human.passwordless.initialization.failed": "A wrong code for a passkey link was tried",
  "user.human.passwordless.token.added": "A passkey was registered: id and public key",
  "user.human.initialization.failed": "A wrong code for the account was tried",
  "user.human.initialized": "The person took the account over",
  "user.human.password.changed": "The person got another password, of which a hash is kept",
};

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
export interface HumanAdded extends Profile {
  readonly userName: string;
  readonly email: string;
  /** As E.164. */
  readonly phone?: string;
  /** A PHC string or a hash in Modular Crypt Format. */
  readonly passwordHash?: string;
  readonly passwordChangeRequired: boolean;
}

/** A code that was made to be sent; `expirationMs` is in Unix milliseconds. */
export interface SealedCode {
  readonly code: string;
  readonly expirationMs: number;
}

/** A code for a phone number, and whether the service sends it or only answers it. */
export type PhoneCode = SealedCode & { readonly send: boolean };

/** The end of the message for the code event at a position (decimal). */
export interface Delivery {
  readonly position: string;
  /** Why it was given up; absent where it was sent. */
  readonly problem?: string;
}

/** An account at an identity provider that a person is linked to. */
export interface ExternalIDP {
  readonly idpId: string;
  readonly externalUserId: string;
  readonly displayName: string;
}

/** The right to register a passkey, for whoever has the link; only a hash of its code is kept. */
export interface PasswordlessCode {
  readonly codeId: string;
  readonly codeHash: string;
  readonly expirationMs: number;
}

/** A passkey (WebAuthn credential): its id and public key (COSE), both as base64url. */
export interface Passkey {
  readonly credentialId: string;
  readonly publicKey: string;
  /** How often the authenticator says that it was used, against copies of it. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** By which the person knows it again; it may be empty. */
  readonly name: string;
}

/** The user who made something: the actor of the event that it began with. */
export interface Made {
  readonly maker: string;
}

/** The wrong tries of a code, which is good for `codeFailuresMax` of them. */
interface Missed {
  readonly failures: number;
}

/** The human part of a user, as its events leave it. */
export interface HumanState extends Profile {
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly phone?: PhoneState;
  /**
   * When the latest phone code was made (Unix milliseconds), pending or not, for whichever number:
   * to remove the phone must not be a way to have codes sent faster.
   */
  readonly phoneCodeMs?: number;
  readonly passwordHash?: string;
  readonly passwordMaker?: string;
  /** When the password was set last (Unix milliseconds). */
  readonly passwordChangedMs?: number;
  readonly passwordChangeRequired: boolean;
  /** Until the person has taken the account over, whether or not the code is still good. */
  readonly initialization?: SealedCode & Missed & Made;
  readonly otpSecret?: string;
  readonly externalIDPs: readonly (ExternalIDP & Made)[];
  readonly passwordless: readonly (PasswordlessCode & Missed & Made)[];
  /** Each made by who made the link by which it was registered: whoever had it may have. */
  readonly passkeys: readonly (Passkey & Made)[];
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

/** Milliseconds for which codes and links are good after they were recorded. */
export const codeLifetimesMs = {
  initialization: 72 * 60 * 60 * 1_000,
  phone: 60 * 60 * 1_000,
  passwordless: 60 * 60 * 1_000,
} as const;

/** The state of a person after an event. */
export function evolveHuman(
  state: HumanState | undefined,
  event: HumanEvent & Envelope,
): HumanState {
  const { actor: maker } = event;
  if (event.type === "user.human.added") return newHuman(event.payload, event);
  const human = mustExist(state);
  switch (event.type) {
    case "user.human.email.verified":
      return { ...human, isEmailVerified: true };
    case "user.human.initialization.code.added":
      return { ...human, initialization: { ...event.payload, failures: 0, maker } };
    case "user.human.initialization.failed":
      return { ...human, initialization: countMiss(mustExist(human.initialization)) };
    case "user.human.initialized": {
      const { initialization: _used, ...rest } = human;
      return rest;
    }
    case "user.human.password.changed": {
      const { passwordHash } = event.payload;
      const changed = { passwordHash, passwordMaker: maker, passwordChangedMs: event.timeMs };
      return { ...human, ...changed, passwordChangeRequired: false };
    }
    case "user.human.otp.added":
      return { ...human, otpSecret: event.payload.secret };
    case "user.human.externalidp.added":
      return { ...human, externalIDPs: [...human.externalIDPs, { ...event.payload, maker }] };
    case "user.human.passwordless.initialization.code.added":
      return {
        ...human,
        passwordless: [...human.passwordless, { ...event.payload, failures: 0, maker }],
      };
    case "user.human.passwordless.initialization.failed": {
      const { codeId } = event.payload;
      const passwordless = human.passwordless.map((code) =>
        code.codeId === codeId ? countMiss(code) : code,
      );
      return { ...human, passwordless };
    }
    case "user.human.passwordless.token.added": {
      const { codeId, ...passkey } = event.payload;
      const link = human.passwordless.find((code) => code.codeId === codeId);
      const passwordless = human.passwordless.filter((code) => code !== link);
      const passkeys = [...human.passkeys, { ...passkey, maker: link?.maker ?? maker }];
      return { ...human, passwordless, passkeys };
    }
    case "user.human.initialization.code.sent":
    case "user.human.initialization.code.failed":
    case "user.human.phone.code.sent":
    case "user.human.phone.code.failed":
      return human;
    case "user.human.phone.removed": {
      const { phone: _removed, ...rest } = human;
      return rest;
    }
    case "user.human.phone.changed":
      return { ...human, phone: { number: event.payload.phone, isVerified: false } };
    case "user.human.phone.code.added": {
      const phone = { ...mustExist(human.phone), code: { ...event.payload, failures: 0 } };
      return { ...human, phone, phoneCodeMs: event.timeMs };
    }
    case "user.human.phone.verified":
      return { ...human, phone: { ...withoutCode(human.phone), isVerified: true } };
    case "user.human.phone.verification.failed":
      return { ...human, phone: countPhoneMiss(mustExist(human.phone)) };
    default:
      return unknownEvent(event);
  }
}

function countMiss<Code extends Missed>(code: Code): Code {
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

function withoutCode(state: PhoneState | undefined): PhoneState {
  const { code: _used, ...phone } = mustExist(state);
  return phone;
}

/** The claims of a person: an account at a provider logs one person in, and so does a passkey. */
export function humanClaims({ externalIDPs, passkeys }: HumanState): readonly Claim[] {
  return [
    ...externalIDPs.map(({ idpId, externalUserId }) => ({
      ...linksTo(idpId),
      value: externalUserId,
    })),
    ...passkeys.map(({ credentialId: value }) => ({ kind: "user.passkey", scope: "", value })),
  ];
}

function newHuman(
  { userName: _name, phone, ...given }: HumanAdded,
  { actor, timeMs }: Envelope,
): HumanState {
  return {
    ...given,
    isEmailVerified: false,
    externalIDPs: [],
    passwordless: [],
    passkeys: [],
    ...(phone === undefined ? {} : { phone: { number: phone, isVerified: false } }),
    ...(given.passwordHash === undefined
      ? {}
      : { passwordMaker: actor, passwordChangedMs: timeMs }),
  };
}
