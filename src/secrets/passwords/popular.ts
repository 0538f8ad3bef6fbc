import { dictionary } from "@zxcvbn-ts/language-common";
import { foldText } from "../../text/fold.ts";

/** Passwords that many people had, in lower case. */
const passwords = new Set(dictionary["passwords-common"]);

/** Whether a password is among those that are tried first, in whatever case. */
export function isCommon(password: string): boolean {
  return passwords.has(foldText(password));
}
