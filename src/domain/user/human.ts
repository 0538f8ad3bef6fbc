import { isBlank } from "../../text/visible.ts";
import { accept, type Rejection, reject, rejectionOfFields, type Violation } from "../decision.ts";
import { type IDPState, servesOrganization } from "../idp.ts";
import { claimOf, lineViolations, nameViolations } from "../name.ts";
import type { UserDecision } from "./acting.ts";
import { emailViolations } from "./email.ts";
import type {
  ExternalIDP,
  HumanAdded,
  HumanEvent,
  PasswordlessCode,
  Profile,
} from "./human-event.ts";
import { codeLifetimesMs } from "./human-state.ts";
import type { Via } from "./made.ts";
import { phoneViolations } from "./phone.ts";

/** A person as a request describes it, with what libraries have read of it. */
export interface GivenHuman {
  readonly added: Omit<HumanAdded, "phone" | "passwordHash">;
  /** The phone number, if one was given: as E.164, or undefined where the text is none. */
  readonly phone?: { readonly number: string | undefined };
  /** Whether a password that was given can be used: see `weighPassword`. */
  readonly password?: Reading;
  /** Whether a hash of a password that was given can be used. */
  readonly hashedPassword?: Reading;
  /** Whether the secret of an authenticator app that was given can be used. */
  readonly otpCode?: Reading;
  readonly externalIDPs: readonly ExternalIDP[];
}

/** The outcome of reading a value; the reason is told in words that follow the field's name. */
export type Reading = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Marks a person that `checkHuman` let pass; it exists for the compiler alone. */
declare const checked: unique symbol;

/** A person who breaks no rule that can be looked at without a look-up. */
export interface CheckedHuman {
  readonly added: Omit<HumanAdded, "passwordHash">;
  readonly externalIDPs: readonly ExternalIDP[];
  readonly [checked]: true;
}

/** A person to create, with everything slow or random done already. */
export interface NewHuman extends CheckedHuman, Via {
  readonly organization: string;
  /** A PHC string or a hash in Modular Crypt Format. */
  readonly passwordHash?: string;
  readonly isEmailVerified: boolean;
  readonly isPhoneVerified: boolean;
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

/**
 * Checks all rules of a person that need no look-up, before anything slow is done for it: each is
 * checked here and nowhere else.
 */
export function checkHuman(
  given: GivenHuman,
): { readonly human: CheckedHuman } | { readonly rejection: Rejection } {
  const { added, phone, externalIDPs } = given;
  const violations = [
    ...nameViolations("user_name", added.userName),
    ...nameViolations("profile.first_name", added.firstName),
    ...nameViolations("profile.last_name", added.lastName),
    ...lineViolations("profile.nick_name", added.nickName),
    ...shownNameViolations("profile.display_name", added),
    ...emailViolations("email.email", added.email),
    ...linkViolations("idps", externalIDPs),
    ...languageViolations("profile.preferred_language", added.preferredLanguage),
    ...(phone ? phoneViolations("phone.phone", phone.number) : []),
    ...readingViolations("password", given.password),
    ...passwordViolations("hashed_password", given),
    ...readingViolations("otp_code", given.otpCode),
  ];
  if (violations.length > 0) return { rejection: rejectionOfFields(violations) };
  const number = phone?.number;
  const userName = added.userName.trim();
  const named = { ...added, userName, ...claimOf(userName) };
  const human = { added: { ...named, ...(number ? { phone: number } : {}) }, externalIDPs };
  return { human: human as CheckedHuman };
}

/** The broken rules of a language: a tag that `Intl` takes (BCP 47 as UTS 35 has it), or empty. */
export function languageViolations(field: string, tag: string): readonly Violation[] {
  try {
    if (tag !== "") Intl.getCanonicalLocales(tag);
    return [];
  } catch {
    return [{ field, description: "must be a BCP 47 language tag such as de or de-CH" }];
  }
}

function passwordViolations(field: string, { password, hashedPassword }: GivenHuman) {
  if (hashedPassword === undefined || password === undefined) {
    return readingViolations(`${field}.value`, hashedPassword);
  }
  const description = "must be absent where a password is given: send one of the two";
  return [{ field, description }];
}

function readingViolations(field: string, reading: Reading | undefined): readonly Violation[] {
  return reading === undefined || reading.ok ? [] : [{ field, description: reading.reason }];
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

/** The broken rules of a shown name; one that is made of the other names is judged there. */
function shownNameViolations(field: string, names: Names): readonly Violation[] {
  const { displayName } = names;
  return displayName === wholeName(names) ? [] : lineViolations(field, displayName);
}

/** The providers that a person is linked to, each by the name of its stream. */
export interface LinkedIDPs {
  readonly [stream: `idp-${string}`]: IDPState | undefined;
}

/** Creates a person, unless an identity provider that it is linked to is not there for it. */
export function importHuman(idps: LinkedIDPs, human: NewHuman, nowMs: number): UserDecision {
  const unusable = human.externalIDPs.find(
    ({ idpId }) => !servesOrganization(idps[`idp-${idpId}`], human.organization),
  );
  return unusable === undefined
    ? accept({ user: createEvents(human, nowMs) })
    : reject("IDP_NOT_USABLE");
}

function createEvents(human: NewHuman, nowMs: number): readonly HumanEvent[] {
  const { isEmailVerified, isPhoneVerified, initializationCode, phoneCode } = human;
  const { otpSecret, passwordless, passwordHash } = human;
  const needed = codesNeeded(human);
  const via = human.via === undefined ? {} : { via: human.via };
  const password = passwordHash === undefined ? {} : { passwordHash, ...via };
  const added = { ...human.added, ...password };
  const events: HumanEvent[] = [{ type: "user.human.added", payload: added }];
  if (isEmailVerified) events.push({ type: "user.human.email.verified", payload: {} });
  if (needed.initialization && initializationCode !== undefined) {
    const payload = { code: initializationCode };
    events.push({ type: "user.human.initialization.code.added", payload });
  }
  if (added.phone !== undefined && isPhoneVerified) {
    events.push({ type: "user.human.phone.verified", payload: {} });
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

/** The broken rules of links: one account given twice is a mistake, whoever holds it. */
function linkViolations(field: string, links: readonly ExternalIDP[]): readonly Violation[] {
  const seen = new Set<string>();
  return links.flatMap(({ idpId, externalUserId, displayName }, index) => {
    const key = JSON.stringify([idpId, externalUserId]);
    const repeats = seen.has(key);
    seen.add(key);
    const description = "must not repeat an account that stands before it in the list";
    return [
      ...(repeats ? [{ field: `${field}[${index}]`, description }] : []),
      ...lineViolations(`${field}[${index}].display_name`, displayName),
    ];
  });
}
