import { type EmailRequestEvent, emailRequestEvents } from "./email-request.ts";
import type { Delivery, SealedCode } from "./human-state.ts";
import type { Via } from "./made.ts";
import type { Passkey } from "./passkey.ts";
import type { BegunLink, MailedLink, PasswordlessCode } from "./passkey-link.ts";

/** The events of what a person gets in with. Codes and secrets in payloads are sealed or hashed. */
export type CredentialEvent =
  | { readonly type: "user.human.externalidp.added"; readonly payload: ExternalIDP & Via }
  | {
      readonly type: "user.human.externalidp.removed";
      readonly payload: ExternalAccount & StayingSessions;
    }
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
      readonly type: "user.human.passwordless.token.renamed";
      readonly payload: Pick<Passkey, "credentialId" | "name">;
    }
  | {
      readonly type: "user.human.passwordless.token.removed";
      readonly payload: Pick<Passkey, "credentialId"> & StayingSessions;
    }
  | { readonly type: "user.human.password.changed"; readonly payload: NewPassword & Via }
  | {
      readonly type: "user.human.password.set";
      readonly payload: NewPassword & { readonly changeRequired: boolean } & Via;
    }
  | { readonly type: "user.human.password.rehashed"; readonly payload: NewPassword }
  | { readonly type: "user.human.password.reset"; readonly payload: NewPassword }
  | { readonly type: "user.human.password.code.added"; readonly payload: Required<SealedCode> }
  | { readonly type: "user.human.password.code.sent"; readonly payload: Delivery }
  | { readonly type: "user.human.password.code.failed"; readonly payload: Delivery }
  | EmailRequestEvent;

/** The happening behind each of them: see `Noun.events`. */
export const credentialEvents: { readonly [type in CredentialEvent["type"]]: string } = {
  "user.human.externalidp.added": "An account at an identity provider was linked",
  "user.human.externalidp.removed":
    "The link to an account at an identity provider was removed; sessions, tokens and known " +
    "browsers ended, except the session of the removal",
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
  "user.human.passwordless.token.renamed": "The person gave a passkey another name",
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
  ...emailRequestEvents,
};

/** Sessions that do not end with others. */
export interface StayingSessions {
  /** Ids; left out, none. */
  readonly sessions?: readonly string[];
}

/** What is kept of a password: a PHC string or a hash in Modular Crypt Format. */
export interface NewPassword {
  readonly passwordHash: string;
}

/** An account at an identity provider: the id that the user has there. */
export interface ExternalAccount {
  readonly idpId: string;
  readonly externalUserId: string;
}

/** An account at an identity provider that a person is linked to, as it is shown. */
export interface ExternalIDP extends ExternalAccount {
  readonly displayName: string;
}
