import { type Factor, factors } from "../state/factor.ts";
import { isCode } from "./rules.ts";

/** How sure a login is of who somebody is (OpenID Connect Core 1.0, `acr`), the surest first. */
export const acrs = {
  /** A passkey, or a code beside a password or an account elsewhere. */
  mfa: "urn:iam:acr:mfa",
  /** A factor. */
  pwd: "urn:iam:acr:pwd",
} as const;

/** Whether what was shown is two factors. */
export function isMultiFactor(shown: readonly Factor[]): boolean {
  const comes = shown.map((factor) => factors[factor].comes);
  return comes.includes("alone") || (comes.includes("first") && shown.some(isCode));
}

/**
 * The class of a login with these: the surest, of those that an application must have if it names
 * some. Undefined where it names none that the login has.
 */
export function acrOf(
  shown: readonly Factor[],
  wanted: readonly string[] | undefined,
): string | undefined {
  const had: readonly string[] = isMultiFactor(shown) ? [acrs.mfa, acrs.pwd] : [acrs.pwd];
  return had.find((acr) => wanted === undefined || wanted.includes(acr));
}
