import { accept, type Decision, type Refusal, reject, rejectFields } from "./decision.ts";
import { type ChangedConfig, type IDPEvent, type IDPState, parentOf } from "./idp.ts";
import type {
  ClientSettings,
  IDPConfig,
  JWTProvider,
  OIDCSettings,
  Template,
} from "./idp-config.ts";
import { oidcDefaults, optionsOf } from "./idp-sign-in.ts";
import { saysSame } from "./noun.ts";
import { holds, type Membership, type Permission } from "./permission.ts";
import type { SealedAnew } from "./sealed.ts";
import { refuseSameStatus } from "./status.ts";

/** What becomes of a provider. */
export type IDPDecision = Decision<{ idp?: readonly IDPEvent[] }>;

/** The rights of a caller on providers: a permission for all of them, another for its own. */
export interface ProviderRights {
  readonly memberships: readonly Membership[];
  readonly permission: Permission;
  readonly ownerPermission: Permission;
}

/** The providers that a call may change: all, an organization's own, or those that rights open. */
export type Reach = "ALL" | { readonly organization: string } | ProviderRights;

/** A provider with the number of users who are linked to it. */
export interface LinkedIDP {
  readonly idp: IDPState | undefined;
  readonly linked: number;
}

/** What is set of the protocol of a provider, without secrets. */
export type Settings = OIDCSettings | JWTProvider | ClientSettings;

/** What an update says of a provider; what is left out stays. */
export interface Update {
  readonly config?: Partial<ChangedConfig>;
  readonly settings?: Partial<Settings>;
  /** Sealed. A given one always counts as a change. */
  readonly clientSecret?: string;
}

/** The part of the state in which the configuration of a template stands. */
const parts = {
  ...{ OIDC: "oidc", JWT: "jwt" },
  ...{ GOOGLE: "client", GITHUB: "client", AZURE_AD: "client" },
} as const satisfies { readonly [template in Template]: keyof IDPState };

/** What is set of the template of a new provider, the secret, if there is one, sealed. */
export interface Setup {
  readonly template: Template;
  readonly settings: Settings;
  readonly clientSecret?: string;
}

/** Creates a provider; its template is named where its protocol does not say it. */
export function addIDP(config: IDPConfig, { template, settings, ...secret }: Setup): IDPDecision {
  const part = parts[template];
  const payload = part === "client" ? { ...config, template } : config;
  const setup = { ...settings, ...secret };
  return accept({
    idp: [
      { type: "idp.config.added", payload },
      { type: `idp.${part}.config.added`, payload: setup } as IDPEvent,
    ],
  });
}

/**
 * Changes a provider. Who vouches for users stays as long as any are linked: another could log in
 * as them. Another is shown no secret that was given for the one before.
 */
export function updateIDP(
  { idp, linked }: LinkedIDP,
  reach: Reach,
  { config = {}, settings = {}, clientSecret }: Update,
  /** The template that the call is for; left out, any. */
  template?: Template,
): IDPDecision {
  const state = reached(idp, reach);
  if (state === undefined) return reject("IDP_NOT_FOUND");
  if (template !== undefined && state.template !== template) return refuseTemplate(state);
  const { clientSecret: _kept, ...before } = { clientSecret: "", ...state[parts[state.template]] };
  const after = { ...before, ...settings };
  const isElsewhere = voucherOf(after) !== voucherOf(before);
  if (isElsewhere && linked > 0) return refuseVoucher(linked);
  if (isElsewhere && secretOf(state) && !clientSecret) return rejectFields([notForOther]);
  const payload = clientSecret === undefined ? after : { ...after, clientSecret };
  const isSame =
    clientSecret === undefined &&
    saysSame({ ...oidcDefaults, ...before }, { ...oidcDefaults, ...after });
  const { events, rejection } = changeConfig(state, config);
  if (rejection !== undefined) return { events: {}, rejection };
  const all = [
    ...(events.idp ?? []),
    ...(isSame
      ? []
      : [{ type: `idp.${parts[state.template]}.config.changed`, payload } as IDPEvent]),
  ];
  return all.length === 0 ? reject("NOTHING_CHANGED") : accept({ idp: all });
}

/** Changes the part of a provider that does not depend on its protocol, as far as it differs. */
function changeConfig(state: IDPState, given: Partial<ChangedConfig>): IDPDecision {
  const { name, stylingType, ...asked } = { ...state, ...given };
  const options = asked.options && {
    ...asked.options,
    isAutoCreation: given.options?.isAutoCreation ?? asked.autoRegister,
  };
  const autoRegister = options?.isAutoCreation ?? asked.autoRegister;
  if (options?.isCreationAllowed === false && autoRegister) return rejectFields([uncreated]);
  const after = { name, stylingType, autoRegister, ...(options && { options }) };
  if (saysSame(saidBy(state), saidBy(after))) return accept({});
  return accept({ idp: [{ type: "idp.config.changed", payload: after }] });
}

const uncreated = {
  field: "auto_register",
  description: "has no effect, because the options of the provider do not allow creation",
};

const notForOther = {
  field: "client_secret",
  description: "must be given with another issuer, because the one that is kept is not for it",
};

function saidBy(config: ChangedConfig) {
  const { name, stylingType } = config;
  return { name, stylingType, ...optionsOf(config) };
}

/** What says who a user of the provider is: at Entra, each tenant does so for its own. */
function voucherOf(settings: Partial<Settings>): string {
  const { issuer, keysEndpoint } = settings as Partial<JWTProvider>;
  return JSON.stringify([issuer, keysEndpoint]);
}

function refuseVoucher(linked: number): Refusal {
  return reject(
    "IDP_IN_USE",
    `${usersOf(linked)} linked to the identity provider, and another issuer could log in as ` +
      "them: add another provider, or remove the links first.",
  );
}

function refuseTemplate({ template }: IDPState): Refusal {
  return reject(
    "IDP_OTHER_TEMPLATE",
    `The identity provider has the template ${template}: use the update of that one.`,
  );
}

/** Changes the OIDC configuration of a provider. */
export function updateOIDCConfig(states: LinkedIDP, reach: Reach, update: Update): IDPDecision {
  const state = reached(states.idp, reach);
  const isOther = state !== undefined && state.oidc === undefined;
  return isOther ? reject("IDP_NOT_OIDC") : updateIDP(states, reach, update);
}

/** Takes a provider out of use or brings it back; users stay linked to it. */
export function switchIDP(
  idp: IDPState | undefined,
  reach: Reach,
  isInactive: boolean,
): IDPDecision {
  const state = reached(idp, reach);
  if (state === undefined) return reject("IDP_NOT_FOUND");
  const type = isInactive ? "idp.deactivated" : "idp.reactivated";
  return refuseSameStatus(state, isInactive) ?? accept({ idp: [{ type, payload: {} }] });
}

/** Removes a provider that nobody is linked to. */
export function removeIDP({ idp, linked }: LinkedIDP, reach: Reach): IDPDecision {
  if (reached(idp, reach) === undefined) return reject("IDP_NOT_FOUND");
  if (linked === 0) return accept({ idp: [{ type: "idp.removed", payload: {} }] });
  return reject(
    "IDP_IN_USE",
    `${usersOf(linked)} linked to the identity provider: remove these links first.`,
  );
}

function usersOf(linked: number): string {
  return linked === 1 ? "1 user is" : `${linked} users are`;
}

/** The provider, if the call may change it. */
function reached(state: IDPState | undefined, reach: Reach): IDPState | undefined {
  return state !== undefined && isReached(state, reach) ? state : undefined;
}

function isReached(state: IDPState, reach: Reach): boolean {
  if (reach === "ALL") return true;
  if ("organization" in reach) return parentOf(state) === reach.organization;
  const { memberships, permission, ownerPermission } = reach;
  if (holds(memberships, permission, { level: "instance" })) return true;
  // Who owns a provider that serves all does not thereby decide for all.
  const { serves, organization } = state;
  const owner = { level: "organization", organization } as const;
  return serves === "ORGANIZATION" && holds(memberships, ownerPermission, owner);
}

/**
 * Puts the same client secret, sealed with another key, in the place of one that is there still.
 */
export function sealIDPAnew(state: IDPState | undefined, { from, to }: SealedAnew): IDPDecision {
  if (state === undefined || secretOf(state) !== from) return accept({});
  const type = state.oidc === undefined ? "idp.client.secret.sealed" : "idp.oidc.secret.sealed";
  return accept({ idp: [{ type, payload: { clientSecret: to } }] });
}

/** The sealed client secret of a provider, where its template has one. */
export function secretOf({ oidc, client }: IDPState): string | undefined {
  return (oidc ?? client)?.clientSecret;
}
