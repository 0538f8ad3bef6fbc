import { foldText } from "../../../text/fold.ts";
import { isBlank } from "../../../text/visible.ts";
import { type Problem, type Refusal, rejectFields } from "../../decision.ts";
import type { Profile } from "../state/human-state.ts";
import type { UserState } from "../state/user.ts";

/** The fewest and the most characters of a password. */
export const passwordCharacters = { min: 8, max: 256 } as const;

/** What is wrong with a password: how long it is, or that it is tried first. */
export type WrongPassword = "length" | "common";

/** Why a person cannot have a password that it chooses; undefined where it can. */
export function judgePassword(
  password: string,
  known: Known,
  isCommon: (password: string) => boolean,
): WrongPassword | undefined {
  if (!isPasswordLong(password)) return "length";
  const problem = passwordProblem(password, isCommon) ?? ownPasswordProblem(password, known);
  return problem === undefined ? undefined : "common";
}

/** Whether a password has as many characters as it must; no hash takes one with a NUL. */
export function isPasswordLong(password: string): boolean {
  const { length } = [...password];
  const { min, max } = passwordCharacters;
  return length >= min && length <= max && !password.includes("\0");
}

/** The refusal of a password that is what the person is called. */
export function refuseOwnPassword(
  { userName, human }: UserState,
  password: string,
): Refusal | undefined {
  const description = human && ownPasswordProblem(password, { userName, ...human });
  return description === undefined ? undefined : rejectFields([{ field: "password", description }]);
}

/** UTF-16 units that two names together and a password have at most: names have 200 characters. */
const comparedUnits = 4 * passwordCharacters.max;

/** What others know of a person, and so try first. */
export type Known = Pick<Profile, "firstName" | "lastName" | "nickName" | "displayName"> & {
  readonly userName: string;
  readonly email: string;
};

/** The rule of a password by itself: it is none of the common ones, as `isCommon` knows them. */
export function passwordProblem(
  password: string,
  isCommon: (password: string) => boolean,
): Problem {
  if (isBlank(password)) return "must not be blank";
  return isCommon(password)
    ? "must not be a common password: attackers try those first"
    : undefined;
}

/**
 * The rule of the password of a person: it is not what the person is called, which is tried first
 * too. Case, white space and punctuation make no difference.
 */
export function ownPasswordProblem(password: string, known: Known): Problem {
  const { userName, firstName, lastName, nickName, displayName, email } = known;
  const names = [userName, firstName, lastName, nickName, displayName, email];
  const own = [...names, `${firstName}${lastName}`, `${lastName}${firstName}`, localPart(email)];
  // What is longer than any of them may be is refused for that, and takes long to compare.
  if (password.length > comparedUnits) return undefined;
  const compared = toCompare(password);
  const isOwn = (name: string) => name.length <= comparedUnits && toCompare(name) === compared;
  return compared !== "" && own.some(isOwn)
    ? "must not be the name or the e-mail address of the person"
    : undefined;
}

function localPart(email: string): string {
  return email.slice(0, Math.max(email.lastIndexOf("@"), 0));
}

function toCompare(text: string): string {
  const plain = foldText(text).replaceAll(/\s/gu, "");
  return plain.replaceAll(/\p{P}/gu, "") || plain;
}
