import type { Claim, Envelope } from "../../../event.ts";
import { linksTo } from "../../idp.ts";
import type { CredentialEvent, ExternalIDP } from "./credential-event.ts";
import { type EmailRequest, evolveEmailRequest } from "./email-request.ts";
import { withAccount, withoutAccount } from "./external-account.ts";
import {
  type Added,
  evolveHuman,
  type Person,
  type PersonEvent,
  type SealedCode,
} from "./human-state.ts";
import { type Made, madeBy, madeThrough } from "./made.ts";
import { type KeptPasskey, withName, withoutPasskey } from "./passkey.ts";
import {
  beginLink,
  countLinkMiss,
  makerOfPasskey,
  type PasskeyLink,
  withLink,
  withoutMailed,
} from "./passkey-link.ts";

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
  /** Another address that the person has asked for; what is in use until it is proven stays. */
  readonly emailRequest?: EmailRequest;
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
    case "user.human.externalidp.added":
      return withAccount(human, { ...event.payload, ...madeBy(event) });
    case "user.human.externalidp.removed":
      return withoutAccount(human, event.payload);
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
    case "user.human.passwordless.initialization.removed":
      return withoutLink(human, event.payload);
    case "user.human.passwordless.token.renamed":
      return withName(human, event.payload);
    case "user.human.passwordless.token.removed":
      return withoutPasskey(human, event.payload);
    case "user.human.password.set":
    case "user.human.password.changed":
    case "user.human.password.reset":
      return withPassword(human, event);
    case "user.human.password.rehashed":
      return { ...human, passwordHash: event.payload.passwordHash };
    case "user.human.password.code.added":
      return { ...human, passwordCode: event.payload };
    case "user.human.password.code.sent":
    case "user.human.password.code.failed":
      return human;
    case "user.human.email.requested":
    case "user.human.email.request.code.sent":
    case "user.human.email.request.code.failed":
    case "user.human.email.request.failed":
    case "user.human.email.request.withdrawn":
      return withEmailRequest(human, evolveEmailRequest(human.emailRequest, event));
    case "user.human.email.changed":
      return evolveHuman(withEmailRequest(withoutMails(human), undefined), event);
    default:
      return evolveHuman(human, event);
  }
}

type PasswordEvent = Extract<
  CredentialEvent,
  { readonly type: `user.human.password.${"set" | "changed" | "reset"}` }
>;

/** The same person with another password. */
function withPassword<State extends CredentialState>(
  human: State,
  event: PasswordEvent & Envelope,
): State {
  const { passwordHash } = event.payload;
  const passwordMade = madeThrough(madeBy(event), ...leadingTo(event.type, human));
  const set = { passwordHash, passwordMade, passwordChangedMs: event.timeMs };
  const passwordChangeRequired = "changeRequired" in event.payload && event.payload.changeRequired;
  return { ...withoutPasswordCode(human), ...set, passwordChangeRequired };
}

/**
 * Who made what another password is chosen by: a mail, the code to initialize the account, or the
 * password of before. An administrator needs none of them.
 */
function leadingTo(
  event: PasswordEvent["type"],
  { emailMade, passwordMade, initialization }: CredentialState,
): readonly (Made | undefined)[] {
  if (event === "user.human.password.set") return [];
  if (event === "user.human.password.reset") return [emailMade];
  // Nobody logs in before that is over.
  if (initialization === undefined) return [passwordMade];
  // A caller who has a code mailed does not see it.
  return [initialization.send === false ? initialization : emailMade];
}

/** The same person without a link by which a passkey may be registered. */
function withoutLink<State extends CredentialState>(
  human: State,
  { codeId }: Pick<PasskeyLink, "codeId">,
): State {
  return { ...human, passwordless: human.passwordless.filter((code) => code.codeId !== codeId) };
}

/** The same person, for whom no mail of before is of use. */
function withoutMails<State extends CredentialState>(human: State): State {
  return { ...withoutPasswordCode(human), passwordless: withoutMailed(human.passwordless) };
}

/** The person with this request for another address, in place of any before. */
function withEmailRequest<State extends CredentialState>(
  human: State,
  emailRequest: EmailRequest | undefined,
): State {
  const { emailRequest: _before, ...rest } = human;
  return { ...rest, ...(emailRequest && { emailRequest }) } as State;
}

/** The same person, who has asked for no address in which others have a hand. */
export function withoutMadeRequest<State extends CredentialState>(human: State): State {
  return human.emailRequest?.via === undefined ? human : withEmailRequest(human, undefined);
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
