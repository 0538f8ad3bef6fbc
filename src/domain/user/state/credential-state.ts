import type { Claim, Envelope } from "../../../event.ts";
import { linksTo } from "../../idp.ts";
import { type EmailRequest, type EmailRequestEvent, evolveEmailRequest } from "./email-request.ts";
import { evolveFactor, type FactorEvent, type Held, isOfFactor, withoutCodes } from "./factor.ts";
import {
  evolveHuman,
  type Person,
  type PersonEvent,
  withEndedInitialization,
} from "./human-state.ts";
import { endLinks, withoutMailed } from "./passkey-link.ts";
import { withoutPasswordCode } from "./password.ts";

/** The events of what a person gets in with. Codes and secrets in payloads are sealed or hashed. */
export type CredentialEvent = FactorEvent | EmailRequestEvent;

/** A person with what it gets in with, as the events leave it. */
export interface CredentialState extends Person, Held {
  /** Another address that the person has asked for; what is in use until it is proven stays. */
  readonly emailRequest?: EmailRequest;
}

/** The state after such an event, or after one of the person by itself. */
export function evolveCredential<State extends CredentialState>(
  human: State,
  event: (CredentialEvent | PersonEvent) & Envelope,
): State {
  if (isOfFactor(event)) {
    const after = evolveFactor(human, event);
    // What stands in for codes of an app goes with it.
    return event.type === "user.human.otp.removed" ? withoutCodes(after) : after;
  }
  switch (event.type) {
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

/** The same person, who gets in by no link of before, or by none of a mail. */
export function withEndedLinks<State extends CredentialState>(
  human: State,
  which: "all" | "mailed" = "all",
): State {
  const left = which === "all" ? withEndedInitialization(human) : human;
  return { ...withoutPasswordCode(left), passwordless: endLinks(left.passwordless, which) };
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
