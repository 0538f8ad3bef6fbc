import type { MappingField } from "./idp-config.ts";
import type { Subject, Verifies } from "./idp-sign-in.ts";
import { lineProblem, nameProblem } from "./name.ts";
import { emailProblem } from "./user/human/email.ts";
import { accountCharacters, completeName, languageProblem } from "./user/human/human.ts";

/**
 * Who somebody is at an identity provider, as it says in one login. What it does not say, or what
 * would break a rule of people here, is empty.
 */
export interface Identity {
  /** By which the provider tells its users apart, for ever. */
  readonly externalUserId: string;
  readonly displayName: string;
  readonly userName: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  /** Whether the provider has said so in this login; never of an empty address. */
  readonly isEmailVerified: boolean;
  /** A BCP 47 language tag. */
  readonly preferredLanguage: string;
}

/** Characters of the id by which a provider tells its users apart, as the contract has them. */
export const externalUserIdCharacters = 200;

/** What a provider says of somebody, by the names of OpenID Connect Core 1.0, 5.1. */
export interface SaidClaims {
  readonly [name: string]: unknown;
}

/** When the provider asked who it is (Unix milliseconds); undefined where it does not say. */
export function askedMsIn({ auth_time: seconds }: SaidClaims): number | undefined {
  return Number.isSafeInteger(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** How claims are read. */
export interface ClaimReading {
  readonly displayNameMapping: MappingField;
  readonly usernameMapping: MappingField;
  readonly verifies: Verifies;
  readonly subject: Subject;
}

/** How claims are read of providers that have no settings for that. */
export const plainReading: ClaimReading = {
  ...{ displayNameMapping: "UNSPECIFIED", usernameMapping: "UNSPECIFIED" },
  ...{ verifies: "CLAIM", subject: "SUB" },
};

/** Reads who somebody is; undefined where the claims do not tell that. */
export function identityOf(
  claims: SaidClaims,
  { displayNameMapping, usernameMapping, verifies, subject }: ClaimReading,
): Identity | undefined {
  const externalUserId = subjectOf(claims, subject);
  if (externalUserId === undefined) return undefined;
  const email = textOf(claims, "email", accountCharacters.email, emailProblem);
  const preferred = nameOf(claims, "preferred_username");
  const names = {
    firstName: nameOf(claims, "given_name"),
    lastName: nameOf(claims, "family_name"),
  };
  const mapped = { PREFERRED_USERNAME: preferred, EMAIL: email } as const;
  const whole = completeName({ ...names, displayName: nameOf(claims, "name") }).trim();
  const shown = displayNameMapping === "UNSPECIFIED" ? whole : mapped[displayNameMapping];
  return {
    ...{ externalUserId, email, ...names },
    displayName: shown || whole,
    userName: usernameMapping === "UNSPECIFIED" ? preferred || email : mapped[usernameMapping],
    isEmailVerified: email !== "" && isVouchedFor(claims, verifies),
    preferredLanguage: textOf(claims, "locale", accountCharacters.language, languageProblem),
  };
}

/** What an account at a provider is called here; never empty. */
export function accountNameOf(
  identity: Pick<Identity, "displayName" | "userName" | "email" | "externalUserId">,
): string {
  const { displayName, userName, email, externalUserId } = identity;
  return displayName || userName || email || externalUserId;
}

/** The id of somebody at a provider; the one of Entra is of its tenant alone. */
function subjectOf({ sub, tid }: SaidClaims, subject: Subject): string | undefined {
  const parts = subject === "TENANT" ? [tid, sub] : [sub];
  if (!parts.every((part) => typeof part === "string" && part !== "")) return undefined;
  // Of two that are joined, the sign in between is in the last one alone.
  if (parts.slice(0, -1).some((part) => String(part).includes(":"))) return undefined;
  const id = parts.join(":");
  const isShown = nameProblem(id) === undefined;
  return isShown && [...id].length <= externalUserIdCharacters ? id : undefined;
}

function isVouchedFor(claims: SaidClaims, verifies: Verifies): boolean {
  if (verifies === "NEVER") return false;
  const said = claims[verifies === "CLAIM" ? "email_verified" : "xms_edov"];
  const isByNumber = verifies === "XMS_EDOV" && (said === 1 || said === "1");
  return said === true || said === "true" || isByNumber;
}

function nameOf(claims: SaidClaims, name: string): string {
  return textOf(claims, name, accountCharacters.name, lineProblem);
}

function textOf(claims: SaidClaims, name: string, ...rule: Rule): string {
  return readText(claims[name], ...rule);
}

type Rule = readonly [most: number, problemOf: (text: string) => string | undefined];

/** What others said, as a text that may stand here; else empty. */
export function readText(said: unknown, ...[most, problemOf]: Rule): string {
  const text = typeof said === "string" ? said.trim() : "";
  return [...text].length <= most && problemOf(text) === undefined ? text : "";
}
