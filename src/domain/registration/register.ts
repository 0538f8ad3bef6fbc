import { foldText } from "../../text/fold.ts";
import type { Comer } from "../comer.ts";
import { accept, reject } from "../decision.ts";
import { completeName, importHuman, nameHuman } from "../user/human/human.ts";
import type { UserDecision } from "../user/state/acting.ts";
import { credentialsOf } from "../user/state/credential.ts";
import type { UserEvent } from "../user/state/event.ts";
import type { Passkey } from "../user/state/passkey.ts";
import type { UserState } from "../user/state/user.ts";
import { hostOf } from "./domains.ts";
import type { Registrant } from "./pending.ts";

/** What somebody chooses to log in with: one of both. */
export interface ChosenWay {
  /** A PHC string. */
  readonly passwordHash?: string;
  readonly passkey?: Passkey;
}

/** A person who has proven the e-mail address and exists from here on. */
export interface NewRegistered extends ChosenWay, Pick<Registrant, "email"> {
  /** What the person has said, as actions have made it. */
  readonly comer: Comer;
  readonly organization: string;
  /** The id of the registration. */
  readonly registrationId: string;
}

/** Creates the person, without any role. All is made by the person alone. */
export function registerHuman(registered: NewRegistered, nowMs: number): UserDecision {
  const { comer, email, organization, passwordHash } = registered;
  const { userName, firstName, lastName, nickName, gender, phone, phoneVerifiedBy } = comer;
  const names = { firstName, lastName, displayName: comer.displayName };
  const made = importHuman(
    {},
    {
      added: {
        ...nameHuman(userName),
        ...{ ...names, displayName: completeName(names), nickName, gender },
        ...{ email, preferredLanguage: comer.preferredLanguage, passwordChangeRequired: false },
        ...(phone === "" ? {} : { phone }),
      },
      ...(passwordHash === undefined ? {} : { passwordHash }),
      ...{ externalIDPs: [], organization, isEmailVerified: true },
      isPhoneVerified: phoneVerifiedBy !== undefined,
      ...(phoneVerifiedBy === undefined ? {} : { phoneVerifiedBy }),
    },
    nowMs,
  );
  return accept({ user: [...(made.events.user ?? []), ...passkeyOf(registered)] });
}

/**
 * Whether an account with the address waits for its person, who may take it over by proving the
 * address: in use, with no role, and never logged in to. One with roles is for whom its
 * administrator sends the mail.
 */
export function isUnfinished(user: UserState | undefined, email: string): boolean {
  if (user === undefined || user.isInactive || user.memberships.length > 0) return false;
  return user.human?.initialization !== undefined && isSameAddress(user.human.email, email);
}

/**
 * Whether somebody has the address who does not lose the account to who proves it: to whom it is
 * verified, in use or not, or for whom an account waits that has roles or is out of use.
 */
export function isHeld(user: UserState, email: string): boolean {
  const { human } = user;
  if (human === undefined || !isSameAddress(human.email, email)) return false;
  if (isUnfinished(user, email)) return false;
  return human.isEmailVerified || human.initialization !== undefined;
}

/** Case does not count, but some letters that are folded lead to another host: ς and σ. */
function isSameAddress(one: string, other: string): boolean {
  return foldText(one) === foldText(other.trim()) && hostOf(one) === hostOf(other);
}

/** A person who takes over an account that waits for it. */
export interface TakingOver extends ChosenWay, Pick<Registrant, "email"> {
  readonly registrationId: string;
}

/**
 * Gives an account that waits to the person who has proven its address. All that lets somebody in
 * is void that others made: a password, passkeys, links, codes, linked accounts, an app.
 */
export function takeOver(
  user: UserState | undefined,
  taking: TakingOver,
  nowMs: number,
): UserDecision {
  const { email, passwordHash } = taking;
  if (user === undefined || !isUnfinished(user, email)) return reject("CODE_INVALID");
  const voided = credentialsOf(user, nowMs).map(({ kind, id, idpId }) => ({
    kind,
    ...(id === undefined ? {} : { id }),
    ...(idpId === undefined ? {} : { idpId }),
  }));
  const app: readonly UserEvent[] =
    user.human?.otpSecret === undefined ? [] : [{ type: "user.human.otp.removed", payload: {} }];
  const password: readonly UserEvent[] =
    passwordHash === undefined
      ? []
      : [{ type: "user.human.password.changed", payload: { passwordHash } }];
  return accept({
    user: [
      { type: "user.credentials.voided", payload: { voided } },
      ...app,
      { type: "user.human.email.changed", payload: { email } },
      { type: "user.human.email.verified", payload: {} },
      // Before the password, in which whose code it is would have a hand.
      { type: "user.human.initialized", payload: {} },
      ...password,
      ...passkeyOf(taking),
    ],
  });
}

function passkeyOf({
  passkey,
  registrationId: codeId,
}: ChosenWay & { readonly registrationId: string }): readonly UserEvent[] {
  if (passkey === undefined) return [];
  return [{ type: "user.human.passwordless.token.added", payload: { codeId, ...passkey } }];
}
