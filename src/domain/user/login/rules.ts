import type { Credential } from "../state/credential-name.ts";
import { type Factor, factors, type Held } from "../state/factor.ts";
import type { ShownBefore, ShownCredentials } from "../state/factor-traits.ts";

const all = Object.keys(factors) as readonly Factor[];

/** The factor that a person has to show yet who has shown these; undefined for none. */
export function neededFactor(human: Held, shown: readonly Factor[]): Factor | undefined {
  return shown.some(isCode) ? undefined : all.find((one) => factors[one].isNeeded?.(human));
}

/** Whether it is shown behind a first one, as a one-time code, or in place of one. */
export function isCode(factor: Factor): boolean {
  const { comes } = factors[factor];
  return comes === "second" || comes === "instead";
}

/** Whether what was shown still lets the person in, as far as that is known of it. */
export function isStillShown(
  human: Held,
  shown: ShownBefore & { readonly factors: readonly Factor[] },
): boolean {
  return shown.factors.every((factor) => factors[factor].isStill?.(human, shown) ?? true);
}

/** The authentication methods of a login with these, as RFC 8176 names them. */
export function amrOf(shown: readonly Factor[]): string[] {
  return shown.flatMap((factor) => factors[factor].amr);
}

/** Whether this is a credential that was shown for the session. */
export function isShown(
  credential: Credential,
  session: ShownCredentials & { readonly factors: readonly Factor[] },
): boolean {
  return session.factors.some((factor) => factors[factor].isOf?.(credential, session));
}
