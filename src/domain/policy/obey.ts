import { isMultiFactor } from "../user/login/acr.ts";
import { neededFactor } from "../user/login/rules.ts";
import type { CredentialState } from "../user/state/credential-state.ts";
import type { Factor } from "../user/state/factor.ts";
import type { Session } from "../user/state/login-state.ts";
import type { LoginPolicy } from "./login.ts";

/** Why a policy does not let somebody in: what was shown is not allowed, or is too little. */
export type Lack = "not allowed" | "second factor";

/** What a policy has against a login with these; undefined where it lets somebody in. */
export function lackOf(
  { allowPassword, allowPasskeys, allowExternal, forceMfa }: LoginPolicy,
  shown: readonly Factor[],
): Lack | undefined {
  const isRefused =
    (shown.includes("password") && !allowPassword) ||
    (shown.includes("passkey") && !allowPasskeys) ||
    (shown.includes("external") && !allowExternal);
  if (isRefused) return "not allowed";
  return forceMfa && !isMultiFactor(shown) ? "second factor" : undefined;
}

/** By what it lets people in who may log in by these identity providers: see `WaysIn`. */
export function waysBy(policy: LoginPolicy, idpIds: readonly string[]) {
  return {
    letsIn: (shown: readonly Factor[]) => lackOf(policy, shown) === undefined,
    setsUp: policy.secondFactors.includes("OTP"),
    idpIds,
  };
}

/** What a person has to do yet who has shown these: a factor, another password, a set-up. */
export type Next = Factor | "change" | "setup";

/** The next of them; undefined where nothing is left that the person could do. */
export function nextOf(
  policy: LoginPolicy,
  human: CredentialState & { readonly passwordChangeRequired?: boolean | undefined },
  shown: readonly Factor[],
): Next | undefined {
  const lack = lackOf(policy, shown);
  if (lack === "not allowed") return undefined;
  const factor = neededFactor(human, shown);
  if (factor !== undefined) return factor;
  if (human.passwordChangeRequired && shown.includes("password")) return "change";
  return lack === "second factor" && policy.secondFactors.includes("OTP") ? "setup" : undefined;
}

/** Whether a session goes on by a policy, which may be another than when it began. */
export function isKept(
  policy: LoginPolicy,
  session: Pick<Session, "factors" | "begunMs" | "external">,
  nowMs: number,
): boolean {
  const { sessionLifetimeMs = Number.POSITIVE_INFINITY } = policy;
  const { factors, begunMs, external } = session;
  const isInTime = begunMs > nowMs - sessionLifetimeMs;
  // What was kept of old logins once named no provider, of which nothing can be asked then.
  const isKnown = external !== undefined || !factors.includes("external");
  return isInTime && isKnown && lackOf(policy, factors) === undefined;
}
