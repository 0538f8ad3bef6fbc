import { accept, type Refusal, reject } from "../decision.ts";
import { type IDPState, type Providers, servesOrganization } from "../idp.ts";
import {
  type LoginPolicy,
  loginPolicyLimits,
  type NamedProviderEvent,
  type NamingPolicy,
} from "./login.ts";
import type { PolicyDecision } from "./policy.ts";

/** A provider that a policy is to name. */
interface Named {
  readonly idpId: string;
  /** Whom the caller takes the provider to serve; left out, any will do. */
  readonly serves?: IDPState["serves"];
}

/** Whose policy it is: that of an organization; left out, the default of the instance. */
interface Whose {
  readonly organization: string | undefined;
}

/** Has a policy name a provider. */
export function nameProvider(
  before: NamingPolicy | undefined,
  providers: Providers,
  { organization, ...named }: Named & Whose,
): PolicyDecision<NamedProviderEvent> {
  if (before === undefined) return reject("POLICY_NOT_FOUND");
  const { idps = [] } = before;
  const { idpId } = named;
  if (idps.includes(idpId)) return reject("NOTHING_CHANGED");
  const refused = refuseProviders(providers, [named], organization);
  if (refused !== undefined) return refused;
  if (idps.length >= loginPolicyLimits.idps) return reject("LIMIT_REACHED", full);
  return accept({ policy: [{ type: "policy.login.idp.added", payload: { idpId } }] });
}

const full =
  `The policy names ${loginPolicyLimits.idps} identity providers, which is the limit: remove one ` +
  "first.";

/** Has a policy name a provider no more. */
export function unnameProvider(
  before: NamingPolicy | undefined,
  idpId: string,
): PolicyDecision<NamedProviderEvent> {
  if (before === undefined) return reject("POLICY_NOT_FOUND");
  const [event] = withoutProvider(before, idpId);
  return event === undefined ? reject("NOTHING_CHANGED") : accept({ policy: [event] });
}

/** The event by which a policy loses a provider, where it names it. */
export function withoutProvider(
  { idps = [] }: Pick<NamingPolicy, "idps">,
  idpId: string,
): readonly NamedProviderEvent[] {
  return idps.includes(idpId) ? [{ type: "policy.login.idp.removed", payload: { idpId } }] : [];
}

/** The refusal of providers that are not there for those whom a policy is for. */
export function refuseProviders(
  providers: Providers,
  named: readonly Named[],
  organization: string | undefined,
): Refusal | undefined {
  const isThere = ({ idpId, serves }: Named) => {
    const state = providers[`idp-${idpId}`];
    const isOther = serves !== undefined && serves !== state?.serves;
    return servesOrganization(state, organization) && !isOther;
  };
  return named.every(isThere) ? undefined : reject("IDP_NOT_USABLE");
}

/** A provider that people of an organization could log in by: its own, or one of the instance. */
export interface Offered {
  readonly id: string;
  readonly state: Pick<IDPState, "serves" | "isInactive">;
}

/**
 * Which of these providers the login offers in an organization: those in use that the policy which
 * counts there allows. A policy of its own allows those that it names; the default of the instance
 * the organization's own, and of those of the instance the ones that it names, or all where it has
 * never named one.
 */
export function usableProviders<One extends Offered>(
  {
    allowExternal,
    idps,
    isDefault,
  }: Pick<LoginPolicy, "allowExternal"> &
    Pick<NamingPolicy, "idps"> & { readonly isDefault: boolean },
  providers: readonly One[],
): readonly One[] {
  if (!allowExternal) return [];
  const named = isDefault ? idps : (idps ?? []);
  return providers.filter(
    ({ id, state: { isInactive, serves } }) =>
      !isInactive &&
      ((isDefault && serves === "ORGANIZATION") || named === undefined || named.includes(id)),
  );
}
