import type { ClaimGroup } from "../event.ts";
import { hasUnseen } from "../text/visible.ts";
import { accept, type Decision, type Problem, reject } from "./decision.ts";
import { foldName, rejectName } from "./name.ts";
import { mustExist, type Nothing, type Noun, unknownEvent } from "./noun.ts";
import { holds, type Membership, type Permission } from "./permission.ts";
import type { SealedAnew } from "./sealed.ts";

/** An identity provider: another service that logs users in. */
export type IDPEvent =
  | { readonly type: "idp.config.added"; readonly payload: IDPConfig }
  | { readonly type: "idp.oidc.config.added"; readonly payload: OIDCProvider }
  | { readonly type: "idp.oidc.config.changed"; readonly payload: ChangedOIDCProvider }
  | {
      readonly type: "idp.oidc.secret.sealed";
      readonly payload: Pick<OIDCProvider, "clientSecret">;
    }
  | { readonly type: "idp.jwt.config.added"; readonly payload: JWTProvider }
  | { readonly type: "idp.removed"; readonly payload: Nothing };

/** The organizations that a provider serves: every one, or the one that owns it. */
export type Serves = "INSTANCE" | "ORGANIZATION";
/** The look of the button that leads to a provider. */
export type StylingType = "UNSPECIFIED" | "GOOGLE";
/** The claim of an ID token that a name of the user is taken from. */
export type MappingField = "UNSPECIFIED" | "PREFERRED_USERNAME" | "EMAIL";

/** The part of a provider that does not depend on its protocol. */
export interface IDPConfig {
  readonly name: string;
  readonly serves: Serves;
  readonly stylingType: StylingType;
  readonly autoRegister: boolean;
}

/** The OIDC configuration of a provider without its secret; an update replaces all of it. */
export interface OIDCSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly displayNameMapping: MappingField;
  readonly usernameMapping: MappingField;
}

/** The OIDC configuration of a provider, its client secret sealed by the keyring. */
export type OIDCProvider = OIDCSettings & { readonly clientSecret: string };

/** The same; without a secret the one before stays. Earlier events repeat it. */
type ChangedOIDCProvider = OIDCSettings & Partial<Pick<OIDCProvider, "clientSecret">>;

/** The configuration of a provider whose JSON Web Tokens log users in. */
export interface JWTProvider {
  readonly jwtEndpoint: string;
  readonly issuer: string;
  readonly keysEndpoint: string;
  readonly headerName: string;
}

/** A provider as its events leave it. */
export interface IDPState extends IDPConfig {
  /** The organization that owns it. */
  readonly organization: string;
  readonly oidc?: OIDCProvider;
  readonly jwt?: JWTProvider;
}

/** The noun of identity providers. */
export const idp: Noun<IDPState, IDPEvent> = {
  kind: "idp",
  events: {
    "idp.config.added": "An identity provider was created",
    "idp.oidc.config.added": "It got its OIDC configuration, the client secret sealed",
    "idp.oidc.config.changed":
      "Its OIDC configuration was replaced, and the client secret if one was given",
    "idp.oidc.secret.sealed": "The client secret was sealed again with another master key",
    "idp.jwt.config.added": "It got its JWT configuration",
    "idp.removed": "It was removed",
  },
  secrets: ["clientSecret"],
  evolve(state, event) {
    switch (event.type) {
      case "idp.config.added":
        return { ...event.payload, organization: event.owner };
      case "idp.oidc.config.added":
        return { ...mustExist(state), oidc: event.payload };
      case "idp.oidc.config.changed": {
        const { clientSecret = mustExist(mustExist(state).oidc).clientSecret } = event.payload;
        return { ...mustExist(state), oidc: { ...event.payload, clientSecret } };
      }
      case "idp.oidc.secret.sealed": {
        const { clientSecret } = event.payload;
        return { ...mustExist(state), oidc: { ...mustExist(mustExist(state).oidc), clientSecret } };
      }
      case "idp.jwt.config.added":
        return { ...mustExist(state), jwt: event.payload };
      case "idp.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claimRefusals: { "idp.name": rejectName("identity provider there") },
  claims: (state) => [{ kind: "idp.name", scope: parentOf(state), value: foldName(state.name) }],
  row: (state) => ({
    parent: parentOf(state),
    fields: { name: state.name, serves: state.serves },
  }),
};

/**
 * The parent of a provider, under which its name is unique: the organization it serves, or empty.
 */
function parentOf({ serves, organization }: IDPState): string {
  return serves === "INSTANCE" ? "" : organization;
}

type IDPDecision = Decision<{ idp?: readonly IDPEvent[] }>;

/**
 * The parents under which the providers are listed that users of the organization may log in by.
 */
export function parentsFor(organization: string): readonly string[] {
  return ["", organization];
}

/** Removes a provider of the instance or of whichever organization. */
export function removeIDP(states: LinkedIDP): IDPDecision {
  if (states.idp === undefined) return reject("IDP_NOT_FOUND");
  return refuseInUse(states) ?? accept({ idp: [idpRemoved] });
}

/** Removes a provider that the organization owns and that serves nobody else. */
export function removeOrgIDP(
  states: LinkedIDP,
  { organization }: { readonly organization: string },
): IDPDecision {
  if (states.idp === undefined || parentOf(states.idp) !== organization)
    return reject("IDP_NOT_FOUND");
  return refuseInUse(states) ?? accept({ idp: [idpRemoved] });
}

/** The claims that users who are linked to a provider hold. */
export function linksTo(idpId: string): ClaimGroup {
  return { kind: "user.externalidp", scope: idpId };
}

/** A provider with the number of users who are linked to it. */
interface LinkedIDP {
  readonly idp: IDPState | undefined;
  readonly linked: number;
}

const idpRemoved = { type: "idp.removed", payload: {} } as const;

/** The refusal to remove a provider that users are linked to. */
function refuseInUse({ linked }: LinkedIDP): IDPDecision | undefined {
  if (linked === 0) return undefined;
  const users = linked === 1 ? "1 user is" : `${linked} users are`;
  return reject("IDP_IN_USE", `${users} linked to the identity provider: remove them first.`);
}

type NewIDP = Omit<IDPConfig, "serves">;

/** Creates a provider that serves every organization and issues JSON Web Tokens. */
export function addJWTIDP(config: NewIDP, provider: JWTProvider): IDPDecision {
  return accept({
    idp: [
      { type: "idp.config.added", payload: { ...config, serves: "INSTANCE" } },
      { type: "idp.jwt.config.added", payload: provider },
    ],
  });
}

/** Creates an OIDC provider that serves the organization that owns it. */
export function addOrgOIDCIDP(config: NewIDP, provider: OIDCProvider): IDPDecision {
  return accept({
    idp: [
      { type: "idp.config.added", payload: { ...config, serves: "ORGANIZATION" } },
      { type: "idp.oidc.config.added", payload: provider },
    ],
  });
}

/** The rights of a caller on providers: a permission for all of them, another for its own. */
export interface ProviderRights {
  readonly memberships: readonly Membership[];
  readonly permission: Permission;
  readonly ownerPermission: Permission;
}

/**
 * Replaces the OIDC configuration of a provider as a whole, but a secret that was not given stays.
 * A caller who may change providers of the instance may change all; one of an organization may
 * change its own.
 */
export function updateOIDCConfig(
  state: IDPState | undefined,
  settings: OIDCSettings,
  /** Sealed; undefined keeps the stored one. A given one always counts as a change. */
  clientSecret: string | undefined,
  rights: ProviderRights,
): IDPDecision {
  if (state === undefined || !mayUpdate(state, rights)) return reject("IDP_NOT_FOUND");
  if (state.oidc === undefined) return reject("IDP_NOT_OIDC");
  if (clientSecret === undefined && sameSettings(settings, state.oidc)) {
    return reject("NOTHING_CHANGED");
  }
  const payload = clientSecret === undefined ? settings : { ...settings, clientSecret };
  return accept({ idp: [{ type: "idp.oidc.config.changed", payload }] });
}

/**
 * Puts the same client secret, sealed with another key, in the place of one that is there still.
 */
export function sealIDPAnew(state: IDPState | undefined, { from, to }: SealedAnew): IDPDecision {
  if (state?.oidc?.clientSecret !== from) return accept({});
  return accept({ idp: [{ type: "idp.oidc.secret.sealed", payload: { clientSecret: to } }] });
}

/** Whether users of the organization may log in by the provider. */
export function servesOrganization(state: IDPState | undefined, organization: string): boolean {
  if (state === undefined) return false;
  return state.serves === "INSTANCE" || state.organization === organization;
}

function mayUpdate({ serves, organization }: IDPState, rights: ProviderRights) {
  const { memberships, permission, ownerPermission } = rights;
  if (holds(memberships, permission, { level: "instance" })) return true;
  // Who owns a provider that serves all does not thereby decide for all.
  const owner = { level: "organization", organization } as const;
  return serves === "ORGANIZATION" && holds(memberships, ownerPermission, owner);
}

function sameSettings(settings: OIDCSettings, stored: OIDCProvider): boolean {
  return (
    settings.issuer === stored.issuer &&
    settings.clientId === stored.clientId &&
    settings.displayNameMapping === stored.displayNameMapping &&
    settings.usernameMapping === stored.usernameMapping &&
    settings.scopes.length === stored.scopes.length &&
    settings.scopes.every((scope, index) => scope === stored.scopes[index])
  );
}

/** The rule of a scope: they are sent in one text with spaces between them (RFC 6749, 3.3). */
export function scopeProblem(scope: string): Problem {
  return scope !== "" && !hasUnseen(scope)
    ? undefined
    : "must have visible characters only, without white space";
}

/** The rule of a header name: it is a token (RFC 9110, 5.6.2). */
export function headerNameProblem(name: string): Problem {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
    ? undefined
    : "must be the name of an HTTP header, for example authorization";
}
