import type { Claim } from "../../event.ts";
import { linksTo } from "../idp.ts";
import { existing, type Nothing, unknownEvent } from "../noun.ts";

/** What happens to a person. Codes and secrets in payloads are sealed by the keyring or hashed. */
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

/** Where the code went: sent by the service, or answered to who asked for it. */
export type PhoneCode = SealedCode & { readonly send: boolean };

/** What became of the message for the code event at a position (decimal). */
export interface Delivery {
  readonly position: string;
  /** Why it was given up; absent where it was sent. */
  readonly problem?: string;
}

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

/** How often a code was missed that is good for no more than `codeFailuresMax` misses. */
interface Missed {
  readonly failures: number;
}

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
  /** When the password was set last (Unix milliseconds). */
  readonly passwordChangedMs?: number;
  readonly passwordChangeRequired: boolean;
  /** Until the person has taken the account over, whether or not the code is still good. */
  readonly initialization?: SealedCode & Missed;
  readonly otpSecret?: string;
  readonly externalIDPs: readonly ExternalIDP[];
  readonly passwordless: readonly (PasswordlessCode & Missed)[];
  readonly passkeys: readonly Passkey[];
}

export interface PhoneState {
  readonly number: string;
  readonly isVerified: boolean;
  /** The code that is pending, and how often it was missed. */
  readonly code?: PhoneCode & { readonly failures: number };
}

/** Wrong codes after which a pending code is gone. */
export const codeFailuresMax = 5;

/** How long codes and links are good for after they were recorded. */
export const codeLifetimesMs = {
  initialization: 72 * 60 * 60 * 1_000,
  phone: 60 * 60 * 1_000,
  passwordless: 60 * 60 * 1_000,
} as const;

export function evolveHuman(
  state: HumanState | undefined,
  event: HumanEvent & { readonly timeMs: number },
): HumanState {
  if (event.type === "user.human.added") return added(event.payload, event.timeMs);
  const human = existing(state);
  switch (event.type) {
    case "user.human.email.verified":
      return { ...human, isEmailVerified: true };
    case "user.human.initialization.code.added":
      return { ...human, initialization: { ...event.payload, failures: 0 } };
    case "user.human.initialization.failed":
      return { ...human, initialization: oneMiss(existing(human.initialization)) };
    case "user.human.initialized": {
      const { initialization: _used, ...rest } = human;
      return rest;
    }
    case "user.human.password.changed": {
      const { passwordHash } = event.payload;
      const changed = { passwordHash, passwordChangedMs: event.timeMs };
      return { ...human, ...changed, passwordChangeRequired: false };
    }
    case "user.human.otp.added":
      return { ...human, otpSecret: event.payload.secret };
    case "user.human.externalidp.added":
      return { ...human, externalIDPs: [...human.externalIDPs, event.payload] };
    case "user.human.passwordless.initialization.code.added":
      return {
        ...human,
        passwordless: [...human.passwordless, { ...event.payload, failures: 0 }],
      };
    case "user.human.passwordless.initialization.failed": {
      const { codeId } = event.payload;
      const passwordless = human.passwordless.map((code) =>
        code.codeId === codeId ? oneMiss(code) : code,
      );
      return { ...human, passwordless };
    }
    case "user.human.passwordless.token.added": {
      const { codeId, ...passkey } = event.payload;
      const passwordless = human.passwordless.filter((code) => code.codeId !== codeId);
      return { ...human, passwordless, passkeys: [...human.passkeys, passkey] };
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
      const phone = { ...existing(human.phone), code: { ...event.payload, failures: 0 } };
      return { ...human, phone, phoneCodeMs: event.timeMs };
    }
    case "user.human.phone.verified":
      return { ...human, phone: { ...withoutCode(human.phone), isVerified: true } };
    case "user.human.phone.verification.failed":
      return { ...human, phone: missed(existing(human.phone)) };
    default:
      return unknownEvent(event);
  }
}

function oneMiss<Code extends Missed>(code: Code): Code {
  return { ...code, failures: code.failures + 1 };
}

/** The phone after a wrong code: the one that is pending lives through so many, and no more. */
function missed(phone: PhoneState): PhoneState {
  const { code } = phone;
  const failures = (code?.failures ?? 0) + 1;
  return code === undefined || failures >= codeFailuresMax
    ? withoutCode(phone)
    : { ...phone, code: { ...code, failures } };
}

function withoutCode(state: PhoneState | undefined): PhoneState {
  const { code: _used, ...phone } = existing(state);
  return phone;
}

/** An account at a provider logs one person in, and so does a passkey. */
export function humanClaims({ externalIDPs, passkeys }: HumanState): readonly Claim[] {
  return [
    ...externalIDPs.map(({ idpId, externalUserId }) => ({
      ...linksTo(idpId),
      value: externalUserId,
    })),
    ...passkeys.map(({ credentialId: value }) => ({ kind: "user.passkey", scope: "", value })),
  ];
}

function added({ userName: _name, phone, ...given }: HumanAdded, timeMs: number): HumanState {
  return {
    ...given,
    isEmailVerified: false,
    externalIDPs: [],
    passwordless: [],
    passkeys: [],
    ...(phone === undefined ? {} : { phone: { number: phone, isVerified: false } }),
    ...(given.passwordHash === undefined ? {} : { passwordChangedMs: timeMs }),
  };
}
