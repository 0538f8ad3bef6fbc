import {
  type Known,
  ownPasswordProblem,
  passwordCharacters,
  passwordProblem,
} from "../../domain/user/credential/password.ts";
import type { WrongPassword } from "../../pages/html/initialization.ts";
import { readPopular } from "../../secrets/passwords/popular.ts";

/** Why a person cannot have a password that it chooses; undefined where it can. */
export async function judgePassword(
  password: string,
  known: Known,
): Promise<WrongPassword | undefined> {
  const { length } = [...password];
  // What no form of a browser has, and no hash takes.
  if (password.includes("\0")) return "length";
  if (length < passwordCharacters.min || length > passwordCharacters.max) return "length";
  const isCommon = passwordProblem(password, await readPopular()) !== undefined;
  return isCommon || ownPasswordProblem(password, known) !== undefined ? "common" : undefined;
}
