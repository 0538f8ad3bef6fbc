import { accept, invalid, reject, type Violation } from "../decision.ts";
import { type IDPState, servesOrganization } from "../idp.ts";
import { isBlank, lineViolations, nameViolations } from "../name.ts";
import type { UserDecision } from "./acting.ts";
import { emailViolations } from "./email.ts";
import {
  codeLifetimesMs,
  type ExternalIDP,
  type HumanAdded,
  type HumanEvent,
  type PasswordlessCode,
  type Profile,
} from "./human-state.ts";

/** A person to create, with everything slow or random done already. */
export interface NewHuman {
  readonly organization: string;
  readonly added: HumanAdded;
  readonly isEmailVerified: boolean;
  readonly isPhoneVerified: boolean;
  /** The secret of an authenticator app, sealed. */
  readonly otpSecret?: string;
  readonly externalIDPs: readonly ExternalIDP[];
  /** Fresh codes, sealed; each is recorded only where it is needed. */
  readonly initializationCode: string;
  readonly phoneCode: string;
  /** Only where a link was asked for. */
  readonly passwordless?: Omit<PasswordlessCode, "expirationMs">;
}

/** What can be said about a person without looking anything up. */
export function humanViolations({
  added,
  externalIDPs,
}: Pick<NewHuman, "added" | "externalIDPs">): readonly Violation[] {
  return [
    ...nameViolations("user_name", added.userName),
    ...nameViolations("profile.first_name", added.firstName),
    ...nameViolations("profile.last_name", added.lastName),
    ...lineViolations("profile.nick_name", added.nickName),
    ...shownNameViolations("profile.display_name", added),
    ...emailViolations("email.email", added.email),
    ...linkViolations("idps", externalIDPs),
  ];
}

type Shown = Pick<Profile, "displayName" | "firstName" | "lastName">;

/** The name that others see: first and last name where none is given that shows anything. */
export function shownName(names: Shown): string {
  return isBlank(names.displayName) ? wholeName(names) : names.displayName;
}

function wholeName({ firstName, lastName }: Shown): string {
  return `${firstName} ${lastName}`;
}

/** Where the name is made of the others, those say what is wrong with it. */
function shownNameViolations(field: string, names: Shown): readonly Violation[] {
  const { displayName } = names;
  return displayName === wholeName(names) ? [] : lineViolations(field, displayName);
}

/** The providers that a person is linked to, each by the name of its stream. */
export interface LinkedIDPs {
  readonly [stream: `idp-${string}`]: IDPState | undefined;
}

export function importHuman(idps: LinkedIDPs, human: NewHuman, nowMs: number): UserDecision {
  const violations = humanViolations(human);
  if (violations.length > 0) return invalid(violations);
  const unusable = human.externalIDPs.find(
    ({ idpId }) => !servesOrganization(idps[`idp-${idpId}`], human.organization),
  );
  if (unusable !== undefined) {
    return reject(
      "IDP_NOT_USABLE",
      "An identity provider in idps does not exist or does not serve the organization.",
    );
  }
  return accept({
    user: [{ type: "user.human.added", payload: human.added }, ...rest(human, nowMs)],
  });
}

function rest(human: NewHuman, nowMs: number): readonly HumanEvent[] {
  const { added, isEmailVerified, isPhoneVerified, otpSecret, passwordless } = human;
  const events: HumanEvent[] = [];
  if (isEmailVerified) events.push({ type: "user.human.email.verified", payload: {} });
  // The person has to confirm the address or to choose a password: both happen behind the mail.
  if (!isEmailVerified || added.passwordHash === undefined) {
    events.push({
      type: "user.human.initialization.code.added",
      payload: {
        code: human.initializationCode,
        expirationMs: nowMs + codeLifetimesMs.initialization,
      },
    });
  }
  if (added.phone !== undefined) {
    events.push(
      isPhoneVerified
        ? { type: "user.human.phone.verified", payload: {} }
        : {
            type: "user.human.phone.code.added",
            payload: {
              code: human.phoneCode,
              expirationMs: nowMs + codeLifetimesMs.phone,
              send: true,
            },
          },
    );
  }
  if (otpSecret !== undefined) {
    events.push({ type: "user.human.otp.added", payload: { secret: otpSecret } });
  }
  for (const payload of human.externalIDPs) {
    events.push({ type: "user.human.externalidp.added", payload });
  }
  if (passwordless !== undefined) {
    events.push({
      type: "user.human.passwordless.initialization.code.added",
      payload: { ...passwordless, expirationMs: nowMs + codeLifetimesMs.passwordless },
    });
  }
  return events;
}

/** One account at a provider, given twice, is a mistake whoever holds it. */
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
