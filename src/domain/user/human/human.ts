import { isBlank } from "../../../text/visible.ts";
import { accept, type Problem, reject, type Violation } from "../../decision.ts";
import { type Providers, servesOrganization } from "../../idp.ts";
import { claimOf, lineProblem, loginNameProblem, type NameClaim, nameProblem } from "../../name.ts";
import type { Nothing } from "../../noun.ts";
import type { UserDecision } from "../state/acting.ts";
import type { UserEvent } from "../state/event.ts";
import type { ExternalIDP } from "../state/external-account.ts";
import {
  codeLifetimesMs,
  type HumanAdded,
  type Profile,
  type SaidVerified,
} from "../state/human-state.ts";
import type { Via } from "../state/made.ts";
import type { PasswordlessCode } from "../state/passkey-link.ts";
import { emailProblem } from "./email.ts";

/** A person to create, with everything slow or random done already. */
export interface NewHuman extends Via {
  readonly added: Omit<HumanAdded, "passwordHash">;
  readonly externalIDPs: readonly ExternalIDP[];
  readonly organization: string;
  /** A PHC string or a hash in Modular Crypt Format. */
  readonly passwordHash?: string;
  readonly isEmailVerified: boolean;
  readonly isPhoneVerified: boolean;
  /** The actions that say that they are verified, where it is not the caller who says so. */
  readonly emailVerifiedBy?: string;
  readonly phoneVerifiedBy?: string;
  /** The secret of an authenticator app, sealed. */
  readonly otpSecret?: string;
  /** Fresh codes, sealed: those that `codesNeeded` names. Any other is not recorded. */
  readonly initializationCode?: string;
  readonly phoneCode?: string;
  /** Only where a link was asked for. */
  readonly passwordless?: Omit<PasswordlessCode, "expirationMs">;
}

/** Which codes a new person needs; to seal one takes as long as to write the person. */
export function codesNeeded(
  human: Pick<NewHuman, "added" | "isEmailVerified" | "isPhoneVerified" | "passwordHash">,
): { readonly initialization: boolean; readonly phone: boolean } {
  const { added, isEmailVerified, isPhoneVerified, passwordHash } = human;
  return {
    // The person has to confirm the address or to choose a password: both happen behind the mail.
    initialization: !isEmailVerified || passwordHash === undefined,
    phone: added.phone !== undefined && !isPhoneVerified,
  };
}

/** The login name of a new person, without the blanks at its ends, and what it claims. */
export function nameHuman(userName: string): { readonly userName: string } & NameClaim {
  const trimmed = userName.trim();
  return { userName: trimmed, ...claimOf(trimmed) };
}

/** The rule of a language: a tag that `Intl` takes (BCP 47 as UTS 35 has it), or empty. */
export function languageProblem(tag: string): Problem {
  try {
    if (tag !== "") Intl.getCanonicalLocales(tag);
    return undefined;
  } catch {
    return "must be a BCP 47 language tag, for example de or de-CH";
  }
}

type Names = Pick<Profile, "displayName" | "firstName" | "lastName">;

/**
 * Completes the name that others see: first and last name where none is given that shows anything.
 */
export function completeName(names: Names): string {
  return isBlank(names.displayName) ? wholeName(names) : names.displayName;
}

function wholeName({ firstName, lastName }: Names): string {
  return `${firstName} ${lastName}`;
}

/** The rule of a shown name; one that shows nothing is made of the other names. */
export function displayNameProblem(name: string): Problem {
  return isBlank(name) ? undefined : lineProblem(name);
}

/** The most characters of what people say of themselves; those of the contract. */
export const accountCharacters = { name: 200, email: 254, phone: 50, language: 10 } as const;

/** What somebody says of itself who opens an account. */
export interface OwnAccount {
  readonly userName: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** What people say of themselves: its length, and its rule. */
const said = {
  userName: ["name", loginNameProblem],
  email: ["email", emailProblem],
  firstName: ["name", nameProblem],
  lastName: ["name", nameProblem],
  nickName: ["name", lineProblem],
  displayName: ["name", displayNameProblem],
  preferredLanguage: ["language", languageProblem],
} as const;

/** What of that breaks a rule, in the order of the rules. */
export function brokenParts<Given extends { readonly [part in keyof typeof said]?: string }>(
  given: Given,
): readonly (keyof Given & keyof typeof said)[] {
  const parts = Object.keys(said) as (keyof typeof said)[];
  return parts.filter((part): part is keyof Given & keyof typeof said => {
    const [length, problemOf] = said[part];
    const text = given[part];
    if (text === undefined) return false;
    return [...text].length > accountCharacters[length] || problemOf(text) !== undefined;
  });
}

/** Creates a person, unless an identity provider that it is linked to is not there for it. */
export function importHuman(idps: Providers, human: NewHuman, nowMs: number): UserDecision {
  const unusable = human.externalIDPs.find(
    ({ idpId }) => !servesOrganization(idps[`idp-${idpId}`], human.organization),
  );
  return unusable === undefined
    ? accept({ user: createEvents(human, nowMs) })
    : reject("IDP_NOT_USABLE");
}

function createEvents(human: NewHuman, nowMs: number): readonly UserEvent[] {
  const { isEmailVerified, isPhoneVerified, initializationCode, phoneCode } = human;
  const { otpSecret, passwordless, passwordHash } = human;
  const needed = codesNeeded(human);
  const via = human.via === undefined ? {} : { via: human.via };
  const password = passwordHash === undefined ? {} : { passwordHash, ...via };
  const added = { ...human.added, ...password };
  const events: UserEvent[] = [{ type: "user.human.added", payload: added }];
  if (isEmailVerified) {
    events.push({ type: "user.human.email.verified", payload: saidBy(human.emailVerifiedBy) });
  }
  if (needed.initialization && initializationCode !== undefined) {
    const payload = { code: initializationCode };
    events.push({ type: "user.human.initialization.code.added", payload });
  }
  if (added.phone !== undefined && isPhoneVerified) {
    events.push({ type: "user.human.phone.verified", payload: saidBy(human.phoneVerifiedBy) });
  }
  if (needed.phone && phoneCode !== undefined) {
    const expirationMs = nowMs + codeLifetimesMs.phone;
    const payload = { code: phoneCode, expirationMs, send: true };
    events.push({ type: "user.human.phone.code.added", payload });
  }
  if (otpSecret !== undefined) {
    events.push({ type: "user.human.otp.added", payload: { secret: otpSecret } });
  }
  for (const account of human.externalIDPs) {
    events.push({ type: "user.human.externalidp.added", payload: { ...account, ...via } });
  }
  if (passwordless !== undefined) {
    const expirationMs = nowMs + codeLifetimesMs.passwordless;
    const payload = { ...passwordless, expirationMs, ...via };
    events.push({ type: "user.human.passwordless.initialization.code.added", payload });
  }
  return events;
}

function saidBy(action: string | undefined): Nothing | SaidVerified {
  return action === undefined ? {} : { action };
}

/** The broken rules of links: one account given twice is a mistake, also where nobody holds it. */
export function linkViolations(
  field: string,
  links: readonly Pick<ExternalIDP, "idpId" | "externalUserId">[],
): readonly Violation[] {
  const seen = new Set<string>();
  return links.flatMap(({ idpId, externalUserId }, index) => {
    const key = JSON.stringify([idpId, externalUserId]);
    const repeats = seen.has(key);
    seen.add(key);
    const description = "must not repeat an account from earlier in the list";
    return repeats ? [{ field: `${field}[${index}]`, description }] : [];
  });
}
