import type { ClaimGroup } from "../../event.ts";
import { accept, type Problem, type Refusal, reject } from "../decision.ts";
import { type Noun, unknownEvent } from "../noun.ts";
import { loginLimits } from "../user/state/login-limits.ts";
import {
  type PolicyDecision,
  type PolicyEvent,
  type PolicyKind,
  type PolicyState,
  policyId,
  policyNoun,
} from "./policy.ts";

/** How people log in. */
export interface LoginPolicy {
  readonly allowPassword: boolean;
  /** Whether people may register themselves. */
  readonly allowRegister: boolean;
  /** Whether a password alone lets nobody in. */
  readonly forceMfa: boolean;
  readonly hidePasswordReset: boolean;
  readonly allowPasskeys: boolean;
  /** Whether people may log in by identity providers. */
  readonly allowExternal: boolean;
  /** What people may set up as a second factor. Who has one is asked for it in any case. */
  readonly secondFactors: readonly SecondFactor[];
  /** Milliseconds after its login at which a session ends; left out, `loginLimits.sessionMs`. */
  readonly sessionLifetimeMs?: number;
  /**
   * The hosts of e-mail addresses that people may register with, in order, each once; empty, any.
   * There are none where people may not register.
   */
  readonly registerDomains: readonly string[];
}

/** A login policy with the providers that it names. */
export interface NamingPolicy extends LoginPolicy {
  /**
   * Their ids, in the order in which they were named. Left out where the default of the instance
   * has never named one: then the login offers all that serve the instance.
   */
  readonly idps?: readonly string[];
}

/** Second factors beside the password: the one-time code of an authenticator app. */
export const secondFactors = ["OTP"] as const;
/** One of these. */
export type SecondFactor = (typeof secondFactors)[number];

/** What happens to a login policy. */
export type LoginPolicyEvent =
  | PolicyEvent<"login", NamingPolicy, Kept>
  | SecondFactorEvent
  | NamedProviderEvent;

/** What is changed by events of its own. */
type Kept = "secondFactors" | "idps";

/** A second factor is added or removed. */
interface SecondFactorEvent {
  readonly type: "policy.login.second.factor.added" | "policy.login.second.factor.removed";
  readonly payload: { readonly factor: SecondFactor };
}

/** A provider is named, or named no more. */
export interface NamedProviderEvent {
  readonly type: "policy.login.idp.added" | "policy.login.idp.removed";
  readonly payload: { readonly idpId: string };
}

/** The login policy of an instance on which nobody has set one. */
const defaults: NamingPolicy = {
  ...{ allowPassword: true, allowRegister: false, forceMfa: false, hidePasswordReset: false },
  ...{ allowPasskeys: true, allowExternal: true, secondFactors: ["OTP"], registerDomains: [] },
};

/** What events say that know nothing of providers. */
const earlier = { allowExternal: false } as const;

/** The noun of login policies. */
export const loginPolicy: Noun<PolicyState<NamingPolicy>, LoginPolicyEvent> = {
  ...policyNoun,
  kind: "loginPolicy",
  events: {
    "policy.login.added": "An organization got a login policy of its own",
    "policy.login.changed": "The rules of it, or of the default of the instance, were replaced",
    "policy.login.second.factor.added": "People may set up this second factor",
    "policy.login.second.factor.removed": "People may no longer set up this second factor",
    "policy.login.idp.added": "The policy names this identity provider",
    "policy.login.idp.removed": "The policy no longer names this identity provider",
    "policy.login.removed": "It was removed, and the default of the instance holds again",
  },
  evolve(state, event) {
    const { secondFactors: before, idps } = state ?? defaults;
    const organization = event.owner;
    switch (event.type) {
      case "policy.login.added": {
        const named = { ...earlier, secondFactors: [], idps: [], ...event.payload };
        return { ...named, organization, isOwn: true };
      }
      case "policy.login.changed": {
        const others = { secondFactors: before, ...(idps && { idps }), ...ownOf(state) };
        return { ...earlier, ...event.payload, ...others, organization };
      }
      case "policy.login.second.factor.added": {
        const secondFactors = [...before, event.payload.factor];
        return { ...(state ?? defaults), secondFactors, organization };
      }
      case "policy.login.second.factor.removed": {
        const secondFactors = before.filter((factor) => factor !== event.payload.factor);
        return { ...(state ?? defaults), secondFactors, organization };
      }
      case "policy.login.idp.added": {
        const named = [...(idps ?? []), event.payload.idpId];
        return { ...(state ?? defaults), idps: named, organization };
      }
      case "policy.login.idp.removed": {
        const named = idps?.filter((id) => id !== event.payload.idpId) ?? [];
        return { ...(state ?? defaults), idps: named, organization };
      }
      case "policy.login.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  // Two policies may belong to the organization of the instance: its own, and the default.
  claims: ({ idps = [], organization, isOwn }) =>
    idps.map((id) => ({ ...namingOf(id), value: policyId(isOwn ? organization : undefined) })),
};

/** The claims that the policies hold which name a provider. */
export function namingOf(idpId: string): ClaimGroup {
  return { kind: "policy.login.idp", scope: idpId };
}

function ownOf(state: PolicyState<NamingPolicy> | undefined): { readonly isOwn?: true } {
  return state?.isOwn ? { isOwn: true } : {};
}

/** Login policies as policies. */
export const login: PolicyKind<
  "login",
  NamingPolicy,
  Kept,
  SecondFactorEvent | NamedProviderEvent
> = {
  ...{ name: "login", noun: loginPolicy, defaults, kept: ["secondFactors", "idps"] },
  refuse: refuseLockout,
};

/** The bounds on login policies. */
export const loginPolicyLimits = {
  /** Identity providers that a policy names. */
  idps: 100,
  /** Milliseconds of the shortest lifetime of sessions. */
  sessionLifetimeMsMin: 5 * 60_000,
  /** Milliseconds of the longest: no session lasts longer in any case. */
  sessionLifetimeMsMax: loginLimits.sessionMs,
} as const;

/** The rule of the lifetime of sessions. */
export function sessionLifetimeProblem(nanos: number): Problem {
  const { sessionLifetimeMsMin: least, sessionLifetimeMsMax: most } = loginPolicyLimits;
  const ms = nanos / 1e6;
  return ms >= least && ms <= most && Number.isInteger(ms / 1_000)
    ? undefined
    : `must be whole seconds from ${least / 1_000}s to ${most / 1_000}s`;
}

/** The rule of the host of e-mail addresses. */
export function registerDomainProblem(domain: string): Problem {
  const isHost = /^(?=.{1,253}$)(?:(?!-)[a-z\d-]{1,63}(?<!-)\.)+(?!\d+$)[a-z\d-]{1,63}(?<!-)$/;
  return isHost.test(domain)
    ? undefined
    : "must be a host name in lower case, for example example.com, in the form xn-- where it " +
        "has other letters";
}

/** Whether people get in by the rules: by a password, with what is forced, or by a passkey. */
function refuseLockout(policy: LoginPolicy): Refusal | undefined {
  const { allowPassword, allowPasskeys, forceMfa, secondFactors } = policy;
  if (!allowPassword && !allowPasskeys) return reject("NO_WAY_IN");
  const isStuck = allowPassword && forceMfa && secondFactors.length === 0;
  return isStuck ? reject("NO_WAY_IN", stuck) : undefined;
}

const stuck =
  "Nobody with a password alone could log in: the policy forces a second factor, and has none " +
  "that people can set up. Add SECOND_FACTOR_TYPE_OTP, or do not allow passwords.";

/** Lets people set up a second factor. */
export function addSecondFactor(
  before: LoginPolicy | undefined,
  factor: SecondFactor,
): PolicyDecision<SecondFactorEvent> {
  if (before === undefined) return reject("POLICY_NOT_FOUND");
  if (before.secondFactors.includes(factor)) return reject("NOTHING_CHANGED");
  return accept({ policy: [{ type: "policy.login.second.factor.added", payload: { factor } }] });
}

/** Lets people set up a second factor no more. */
export function removeSecondFactor(
  before: LoginPolicy | undefined,
  factor: SecondFactor,
): PolicyDecision<SecondFactorEvent> {
  if (before === undefined) return reject("POLICY_NOT_FOUND");
  if (!before.secondFactors.includes(factor)) return reject("NOTHING_CHANGED");
  const secondFactors = before.secondFactors.filter((one) => one !== factor);
  return (
    refuseLockout({ ...before, secondFactors }) ??
    accept({ policy: [{ type: "policy.login.second.factor.removed", payload: { factor } }] })
  );
}

/**
 * The rules that keep both policies, whichever comes first. Which providers are offered is said by
 * the policy of one organization alone: see `usableProviders`.
 */
export function stricter(a: LoginPolicy, b: LoginPolicy): LoginPolicy {
  const lifetimes = [a, b].flatMap(({ sessionLifetimeMs }) => sessionLifetimeMs ?? []);
  return {
    ...strictRegistration(a, b),
    allowPassword: a.allowPassword && b.allowPassword,
    forceMfa: a.forceMfa || b.forceMfa,
    hidePasswordReset: a.hidePasswordReset || b.hidePasswordReset,
    allowPasskeys: a.allowPasskeys && b.allowPasskeys,
    allowExternal: a.allowExternal && b.allowExternal,
    secondFactors: a.secondFactors.filter((factor) => b.secondFactors.includes(factor)),
    ...(lifetimes.length === 0 ? {} : { sessionLifetimeMs: Math.min(...lifetimes) }),
  };
}

/** Who may register by both policies: nobody where they have hosts, and none in common. */
function strictRegistration(
  a: LoginPolicy,
  b: LoginPolicy,
): Pick<LoginPolicy, "allowRegister" | "registerDomains"> {
  const limited = [a, b]
    .map(({ registerDomains }) => registerDomains)
    .filter(({ length }) => length);
  const [first = [], second = first] = limited;
  const registerDomains = first.filter((domain) => second.includes(domain));
  const isNobody = limited.length > 0 && registerDomains.length === 0;
  return a.allowRegister && b.allowRegister && !isNobody
    ? { allowRegister: true, registerDomains }
    : { allowRegister: false, registerDomains: [] };
}
