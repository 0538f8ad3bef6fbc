import { foldText } from "../../text/fold.ts";
import { isBlank } from "../../text/visible.ts";
import type { Reading } from "./human.ts";
import type { Profile } from "./human-event.ts";

/** The fewest and the most characters of a password. */
export const passwordCharacters = { min: 8, max: 256 } as const;

/** What others know of a person, and so try first. */
export type Known = Pick<Profile, "firstName" | "lastName" | "nickName" | "displayName"> & {
  readonly userName: string;
  readonly email: string;
};

/**
 * Looks a password up among those that are tried first: the common ones, as `isCommon` knows them,
 * and what the person is called. Case and white space make no difference.
 */
export function weighPassword(
  password: string,
  known: Known,
  isCommon: (password: string) => boolean,
): Reading {
  if (isBlank(password)) return { ok: false, reason: "must not be blank" };
  if (isCommon(password)) {
    return { ok: false, reason: "must not be one that many people have: it is tried first" };
  }
  const { userName, firstName, lastName, nickName, displayName, email } = known;
  const names = [userName, firstName, lastName, nickName, displayName, email];
  const own = [...names, `${firstName}${lastName}`, `${lastName}${firstName}`, localPart(email)];
  return own.some((name) => toCompare(name) === toCompare(password))
    ? { ok: false, reason: "must not be the name or the e-mail address of the person" }
    : { ok: true };
}

function localPart(email: string): string {
  return email.slice(0, Math.max(email.lastIndexOf("@"), 0));
}

function toCompare(text: string): string {
  return foldText(text).replaceAll(/\s/gu, "");
}
