import type { Claim, Envelope } from "../../../event.ts";
import { linksTo } from "../../idp.ts";
import {
  type Added,
  type Delivery,
  evolveHuman,
  type Person,
  type PersonEvent,
  type SealedCode,
} from "../human/state.ts";
import { type Made, madeBy, madeThrough, type Via } from "../made.ts";
import type { KeptPasskey, Passkey } from "./passkey.ts";
import {
  type BegunLink,
  beginLink,
  countLinkMiss,
  type MailedLink,
  makerOfPasskey,
  type PasskeyLink,
  type PasswordlessCode,
  withLink,
  withoutMailed,
} from "./passkey-link.ts";

/** The events of what a person gets in with. Codes and secrets in payloads are sealed or hashed. */
export type CredentialEvent =
  | { readonly type: "user.human.externalidp.added"; readonly payload: ExternalIDP & Via }
  | {
      readonly type: "user.human.otp.added" | "user.human.otp.sealed";
      readonly payload: { readonly secret: string };
    }
  | { readonly type: "user.human.otp.removed"; readonly payload: StayingSessions }
  | {
      readonly type: "user.human.recovery_codes.set";
      readonly payload: { readonly hashes: readonly string[] } & Via;
    }
  | {
      readonly type: "user.human.recovery_code.used";
      readonly payload: { readonly hash: string };
    }
  | {
      readonly type: "user.human.passwordless.initialization.code.added";
      readonly payload: PasswordlessCode & Via;
    }
  | { readonly type: "user.human.passwordless.link.added"; readonly payload: MailedLink }
  | {
      readonly type: "user.human.passwordless.link.sent" | "user.human.passwordless.link.failed";
      readonly payload: BegunLink;
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
      readonly type: "user.human.passwordless.initialization.removed";
      readonly payload: Pick<PasswordlessCode, "codeId">;
    }
  | {
      readonly type: "user.human.passwordless.token.removed";
      readonly payload: Pick<Passkey, "credentialId"> & StayingSessions;
    }
  | { readonly type: "user.human.password.changed"; readonly payload: NewPassword }
  | {
      readonly type: "user.human.password.set";
      readonly payload: NewPassword & { readonly changeRequired: boolean } & Via;
    }
  | { readonly type: "user.human.password.rehashed"; readonly payload: NewPassword }
  | { readonly type: "user.human.password.reset"; readonly payload: NewPassword }
  | { readonly type: "user.human.password.code.added"; readonly payload: Required<SealedCode> }
  | { readonly type: "user.human.password.code.sent"; readonly payload: Delivery }
  | { readonly type: "user.human.password.code.failed"; readonly payload: Delivery };

/** The happening behind each of them: see `Noun.events`. */
export const credentialEvents: { readonly [type in CredentialEvent["type"]]: string } = {
  "user.human.externalidp.added": "An account at an identity provider was linked",
  "user.human.otp.added": "The secret of an authenticator app was stored, sealed",
  "user.human.otp.sealed": "The secret was sealed again with another master key",
  "user.human.otp.removed":
    "The authenticator app and recovery codes were removed; sessions, tokens and known browsers " +
    "ended, except the session in which the person removed the app",
  "user.human.recovery_codes.set":
    "The person got recovery codes, which replace any earlier ones; their SHA-256 is stored",
  "user.human.recovery_code.used":
    "A recovery code was used in place of a one-time code; it is no longer valid",
  "user.human.passwordless.initialization.code.added":
    "A link to register a passkey was created; its hash is stored",
  "user.human.passwordless.link.added":
    "A link to register a passkey was created for a mail; its code is stored sealed and hashed",
  "user.human.passwordless.link.sent": "The mail with the link was sent; its lifetime begins",
  "user.human.passwordless.link.failed":
    "Sending the mail was given up; the lifetime of the link begins anyway",
  "user.human.passwordless.initialization.failed": "A wrong code for a passkey link was tried",
  "user.human.passwordless.token.added": "A passkey was registered: id and public key",
  "user.human.passwordless.initialization.removed": "A link to register a passkey was removed",
  "user.human.passwordless.token.removed":
    "A passkey was removed; sessions, tokens and known browsers ended, except the session in " +
    "which the person removed it",
  "user.human.password.changed":
    "The person got another password; its hash is stored, and the consents of the person ended",
  "user.human.password.set":
    "An administrator set the password; sessions, tokens, locks and known browsers ended",
  "user.human.password.rehashed": "The same password was hashed again with current parameters",
  "user.human.password.code.added":
    "Somebody requested a mail to reset the password; its code was created and sealed",
  "user.human.password.code.sent": "The mail with the code was sent",
  "user.human.password.code.failed": "Sending the mail was given up",
  "user.human.password.reset":
    "The password was reset with that code; sessions, tokens and locks ended",
};

/** Sessions that do not end with others. */
export interface StayingSessions {
  /** Ids; left out, none. */
  readonly sessions?: readonly string[];
}

/** What is kept of a password: a PHC string or a hash in Modular Crypt Format. */
interface NewPassword {
  readonly passwordHash: string;
}

/** An account at an identity provider that a person is linked to. */
export interface ExternalIDP {
  readonly idpId: string;
  readonly externalUserId: string;
  readonly displayName: string;
}

/** A person with what it gets in with, as the events leave it. */
export interface CredentialState extends Person {
  readonly passwordHash?: string;
  readonly passwordMade?: Made;
  /** When the password was set last (Unix milliseconds). */
  readonly passwordChangedMs?: number;
  readonly passwordChangeRequired: boolean;
  /** The code by which a forgotten password is replaced. */
  readonly passwordCode?: Required<SealedCode>;
  readonly otpSecret?: string;
  /** The SHA-256 of each code that is left to get in without the app, in hexadecimal. */
  readonly recoveryCodes: readonly string[];
  readonly externalIDPs: readonly (ExternalIDP & Made)[];
  readonly passwordless: readonly PasskeyLink[];
  /** Each made by who made the link by which it was registered, unless that was mailed. */
  readonly passkeys: readonly KeptPasskey[];
}

/** What a person gets in with that was just added. */
export function newCredentials(event: Added & Envelope): Omit<CredentialState, keyof Person> {
  const { passwordHash, passwordChangeRequired } = event.payload;
  const made = { passwordMade: madeBy(event), passwordChangedMs: event.timeMs };
  return {
    ...(passwordHash === undefined ? {} : { passwordHash, ...made }),
    passwordChangeRequired,
    recoveryCodes: [],
    externalIDPs: [],
    passwordless: [],
    passkeys: [],
  };
}

/** The state after such an event, or after one of the person by itself. */
export function evolveCredential<State extends CredentialState>(
  human: State,
  event: (CredentialEvent | PersonEvent) & Envelope,
): State {
  switch (event.type) {
    case "user.human.externalidp.added": {
      const externalIDPs = [...human.externalIDPs, { ...event.payload, ...madeBy(event) }];
      return { ...human, externalIDPs };
    }
    case "user.human.otp.added":
    case "user.human.otp.sealed":
      return { ...human, otpSecret: event.payload.secret };
    case "user.human.otp.removed": {
      const { otpSecret: _removed, ...rest } = human;
      return { ...(rest as State), recoveryCodes: [] };
    }
    case "user.human.recovery_codes.set":
      return { ...human, recoveryCodes: event.payload.hashes };
    case "user.human.recovery_code.used": {
      const recoveryCodes = human.recoveryCodes.filter((hash) => hash !== event.payload.hash);
      return { ...human, recoveryCodes };
    }
    case "user.human.passwordless.initialization.code.added":
    case "user.human.passwordless.link.added": {
      const link = { ...event.payload, ...madeBy(event) };
      return { ...human, passwordless: withLink(human.passwordless, link, event) };
    }
    case "user.human.passwordless.link.sent":
    case "user.human.passwordless.link.failed":
      return { ...human, passwordless: beginLink(human.passwordless, event.payload) };
    case "user.human.passwordless.initialization.failed":
      return { ...human, passwordless: countLinkMiss(human.passwordless, event.payload) };
    case "user.human.passwordless.token.added": {
      const { codeId, ...passkey } = event.payload;
      const link = human.passwordless.find((code) => code.codeId === codeId);
      const passwordless = human.passwordless.filter((code) => code !== link);
      const made = { ...makerOfPasskey(event, link, human.emailMade), addedMs: event.timeMs };
      const passkeys = [...human.passkeys, { ...passkey, ...made }];
      return { ...human, passwordless, passkeys };
    }
    case "user.human.passwordless.initialization.removed": {
      const { codeId } = event.payload;
      const passwordless = human.passwordless.filter((code) => code.codeId !== codeId);
      return { ...human, passwordless };
    }
    case "user.human.passwordless.token.removed": {
      const { credentialId } = event.payload;
      const passkeys = human.passkeys.filter((one) => one.credentialId !== credentialId);
      return { ...human, passkeys };
    }
    case "user.human.password.set": {
      const { passwordHash, changeRequired: passwordChangeRequired } = event.payload;
      const made = { passwordMade: madeBy(event), passwordChangedMs: event.timeMs };
      return { ...withoutPasswordCode(human), passwordHash, ...made, passwordChangeRequired };
    }
    case "user.human.password.rehashed":
      return { ...human, passwordHash: event.payload.passwordHash };
    case "user.human.password.code.added":
      return { ...human, passwordCode: event.payload };
    case "user.human.password.code.sent":
    case "user.human.password.code.failed":
      return human;
    case "user.human.password.changed":
    case "user.human.password.reset": {
      const { passwordHash } = event.payload;
      const passwordMade = madeThrough(madeBy(event), ...leadingTo(event.type, human));
      const set = { passwordHash, passwordMade, passwordChangedMs: event.timeMs };
      return { ...withoutPasswordCode(human), ...set, passwordChangeRequired: false };
    }
    case "user.human.email.changed":
      return evolveHuman(withoutMails(human), event);
    default:
      return evolveHuman(human, event);
  }
}

/**
 * Who made what another password is chosen by: a mail, the code to initialize the account, or the
 * password of before.
 */
function leadingTo(
  event: "user.human.password.changed" | "user.human.password.reset",
  { emailMade, passwordMade, initialization }: CredentialState,
): readonly (Made | undefined)[] {
  if (event === "user.human.password.reset") return [emailMade];
  // Nobody logs in before that is over.
  if (initialization === undefined) return [passwordMade];
  // A caller who has a code mailed does not see it.
  return [initialization.send === false ? initialization : emailMade];
}

/** The same person, for whom no mail of before is of use. */
function withoutMails<State extends CredentialState>(human: State): State {
  return { ...withoutPasswordCode(human), passwordless: withoutMailed(human.passwordless) };
}

/** The same person, whose code for another password is no longer valid. */
export function withoutPasswordCode<State extends CredentialState>(human: State): State {
  const { passwordCode: _void, ...rest } = human;
  return rest as State;
}

/** The claims of a person: an account at a provider logs one person in, and so does a passkey. */
export function credentialClaims({ externalIDPs, passkeys }: CredentialState): readonly Claim[] {
  return [
    ...externalIDPs.map(({ idpId, externalUserId }) => ({
      ...linksTo(idpId),
      value: externalUserId,
    })),
    ...passkeys.map(({ credentialId: value }) => ({ kind: "user.passkey", scope: "", value })),
  ];
}
