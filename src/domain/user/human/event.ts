import type { NameClaim } from "../../name.ts";
import type { Nothing } from "../../noun.ts";
import { type LoginEvent, loginEvents } from "../login/state.ts";
import type { Via } from "../made.ts";

/** The events of a person. Codes and secrets in payloads are sealed by the keyring or hashed. */
export type HumanEvent =
  | { readonly type: "user.human.added"; readonly payload: HumanAdded }
  | {
      readonly type: "user.human.email.changed";
      readonly payload: { readonly email: string } & Via;
    }
  | { readonly type: "user.human.email.verified"; readonly payload: Nothing }
  | { readonly type: "user.human.initialization.code.added"; readonly payload: InitializationCode }
  | { readonly type: "user.human.initialization.code.sent"; readonly payload: Delivery }
  | { readonly type: "user.human.initialization.code.failed"; readonly payload: Delivery }
  | { readonly type: "user.human.phone.changed"; readonly payload: { readonly phone: string } }
  | { readonly type: "user.human.phone.removed"; readonly payload: Nothing }
  | { readonly type: "user.human.phone.verified"; readonly payload: Nothing }
  | { readonly type: "user.human.phone.verification.failed"; readonly payload: Nothing }
  | { readonly type: "user.human.phone.code.added"; readonly payload: PhoneCode }
  | { readonly type: "user.human.phone.code.sent"; readonly payload: Delivery }
  | { readonly type: "user.human.phone.code.failed"; readonly payload: Delivery }
  | { readonly type: "user.human.externalidp.added"; readonly payload: ExternalIDP & Via }
  | {
      readonly type: "user.human.otp.added" | "user.human.otp.sealed";
      readonly payload: { readonly secret: string };
    }
  | {
      readonly type: "user.human.passwordless.initialization.code.added";
      readonly payload: PasswordlessCode & Via;
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
  | { readonly type: "user.human.password.changed"; readonly payload: NewPassword }
  | { readonly type: "user.human.password.rehashed"; readonly payload: NewPassword }
  | { readonly type: "user.human.password.reset"; readonly payload: NewPassword }
  | { readonly type: "user.human.password.code.added"; readonly payload: Required<SealedCode> }
  | { readonly type: "user.human.password.code.sent"; readonly payload: Delivery }
  | { readonly type: "user.human.password.code.failed"; readonly payload: Delivery }
  | LoginEvent;

/** The happening behind each event of a person: see `Noun.events`. */
export const humanEvents: { readonly [type in HumanEvent["type"]]: string } = {
  "user.human.added": "A person was created",
  "user.human.email.changed": "The person got another e-mail address; it is not verified",
  "user.human.email.verified": "The e-mail address was verified",
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
  "user.human.externalidp.added": "An account at an identity provider was linked",
  "user.human.otp.added": "The secret of an authenticator app was stored, sealed",
  "user.human.otp.sealed": "The secret was sealed again with another master key",
  "user.human.passwordless.initialization.code.added":
    "A link to register a passkey was created; its hash is stored",
  "user.human.passwordless.initialization.failed": "A wrong code for a passkey link was tried",
  "user.human.passwordless.token.added": "A passkey was registered: id and public key",
  "user.human.initialization.failed": "A wrong code for the account was tried",
  "user.human.initialized": "The person took over the account",
  "user.human.password.changed":
    "The person got another password; its hash is stored, and the consents of the person ended",
  "user.human.password.rehashed": "The same password was hashed again with current parameters",
  "user.human.password.code.added":
    "Somebody requested a mail to reset the password; its code was created and sealed",
  "user.human.password.code.sent": "The mail with the code was sent",
  "user.human.password.code.failed": "Sending the mail was given up",
  "user.human.password.reset":
    "The password was reset with that code; sessions, tokens and locks ended",
  ...loginEvents,
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
export interface HumanAdded extends Profile, NameClaim, Via {
  readonly userName: string;
  readonly email: string;
  /** As E.164. */
  readonly phone?: string;
  /** A PHC string or a hash in Modular Crypt Format. */
  readonly passwordHash?: string;
  readonly passwordChangeRequired: boolean;
}

/** What is kept of a password: a PHC string or a hash in Modular Crypt Format. */
interface NewPassword {
  readonly passwordHash: string;
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

/** The end of the message for the code event at a position (decimal). */
export interface Delivery {
  readonly position: string;
  /** When the time of the code is over that began with this (Unix milliseconds). */
  readonly expirationMs?: number;
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
