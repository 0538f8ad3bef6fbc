import type { Credential } from "../state/credential.ts";
import type { CredentialState } from "../state/credential-state.ts";
import { type Factor, factors } from "../state/factor.ts";
import type { NewSession } from "../state/login-event.ts";
import { external } from "./external.ts";
import { otp } from "./otp.ts";
import { passkey } from "./passkey.ts";
import { password } from "./password.ts";
import { recovery } from "./recovery.ts";
import type { FactorRule, ShownBefore } from "./rule.ts";

const rules: { readonly [factor in Factor]: FactorRule } = {
  ...{ password, otp, passkey, recovery, external },
};
const all = Object.keys(factors) as readonly Factor[];

/** The factor that a person has to show yet who has shown these; undefined for none. */
export function neededFactor(human: CredentialState, shown: readonly Factor[]): Factor | undefined {
  return all.find((factor) => rules[factor].needs(human, shown));
}

/** Whether what was shown still lets the person in, as far as that is known of it. */
export function isStillShown(human: CredentialState, shown: ShownBefore): boolean {
  return shown.factors.every((factor) => rules[factor].isStill(human, shown));
}

/** The authentication methods of a login with these, as RFC 8176 names them. */
export function amrOf(shown: readonly Factor[]): string[] {
  return shown.flatMap((factor) => rules[factor].amr);
}

/** Whether this is a credential that was shown for the session. */
export function isShown(
  credential: Credential,
  session: Pick<NewSession, "factors" | "passkey" | "external">,
): boolean {
  return session.factors.some((factor) => rules[factor].isOf(credential, session));
}
