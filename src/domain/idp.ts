import type { ClaimGroup } from "../event.ts";
import { accept, type Decision, invalid, reject, type Violation } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { existing, type Nothing, type Noun, unknownEvent } from "./noun.ts";
import { holds, type Membership } from "./permission.ts";
import { httpUrlViolations, issuerViolations, stringOrUriViolations } from "./uri.ts";

/** An identity provider: another service that logs users in. */
export type IDPEvent =
  | { readonly type: "idp.config.added"; readonly payload: IDPConfig }
  | { readonly type: "idp.oidc.config.added"; readonly payload: OIDCProvider }
  | { readonly type: "idp.oidc.config.changed"; readonly payload: OIDCProvider }
  | { readonly type: "idp.jwt.config.added"; readonly payload: JWTProvider }
  | { readonly type: "idp.removed"; readonly payload: Nothing };

/** Whom a provider serves: every organization, or the one that owns it. */
export type Serves = "INSTANCE" | "ORGANIZATION";
export type StylingType = "UNSPECIFIED" | "GOOGLE";
export type MappingField = "UNSPECIFIED" | "PREFERRED_USERNAME" | "EMAIL";

export interface IDPConfig {
  readonly name: string;
  readonly serves: Serves;
  readonly stylingType: StylingType;
  readonly autoRegister: boolean;
}

/** What an update replaces as a whole, besides the secret. */
export interface OIDCSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly displayNameMapping: MappingField;
  readonly usernameMapping: MappingField;
}

/** The client secret is sealed by the keyring. */
export type OIDCProvider = OIDCSettings & { readonly clientSecret: string };

export interface JWTProvider {
  readonly jwtEndpoint: string;
  readonly issuer: string;
  readonly keysEndpoint: string;
  readonly headerName: string;
}

export interface IDPState extends IDPConfig {
  /** The organization that owns it. */
  readonly organization: string;
  readonly oidc?: OIDCProvider;
  readonly jwt?: JWTProvider;
}

export const idp: Noun<IDPState, IDPEvent> = {
  kind: "idp",
  secrets: ["clientSecret"],
  evolve(state, event) {
    switch (event.type) {
      case "idp.config.added":
        return { ...event.payload, organization: event.owner };
      case "idp.oidc.config.added":
      case "idp.oidc.config.changed":
        return { ...existing(state), oidc: event.payload };
      case "idp.jwt.config.added":
        return { ...existing(state), jwt: event.payload };
      case "idp.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claims: (state) => [{ kind: "idp.name", scope: placeOf(state), value: foldName(state.name) }],
  row: (state) => ({
    parent: placeOf(state),
    fields: { name: state.name, serves: state.serves },
  }),
};

/** Where a provider is listed and its name is unique: the organization that it serves, or empty. */
function placeOf({ serves, organization }: IDPState): string {
  return serves === "INSTANCE" ? "" : organization;
}

type IDPDecision = Decision<{ idp?: readonly IDPEvent[] }>;

/** Where the providers are listed that users of the organization may log in by. */
export function placesFor(organization: string): readonly string[] {
  return ["", organization];
}

/** Removes a provider of the instance or of whichever organization. */
export function removeIDP(states: LinkedIDP): IDPDecision {
  if (states.idp === undefined) return idpNotFound();
  return inUse(states) ?? accept({ idp: [removed] });
}

/** Removes a provider that the organization owns and that serves nobody else. */
export function removeOrgIDP(
  states: LinkedIDP,
  { organization }: { readonly organization: string },
): IDPDecision {
  if (states.idp === undefined || placeOf(states.idp) !== organization) return idpNotFound();
  return inUse(states) ?? accept({ idp: [removed] });
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

const removed = { type: "idp.removed", payload: {} } as const;

function inUse({ linked }: LinkedIDP): IDPDecision | undefined {
  if (linked === 0) return undefined;
  const users = linked === 1 ? "1 user is" : `${linked} users are`;
  return reject("IDP_IN_USE", `${users} linked to the identity provider: remove them first.`);
}

export function idpNotFound(): IDPDecision {
  return reject("IDP_NOT_FOUND", "No identity provider with this id lies where you may act.");
}

type NewIDP = Omit<IDPConfig, "serves">;

/** the provider serves every organization. */
export function addJWTIDP(config: NewIDP, provider: JWTProvider): IDPDecision {
  const violations = [
    ...nameViolations("name", config.name),
    ...httpUrlViolations("jwt_endpoint", provider.jwtEndpoint),
    ...stringOrUriViolations("issuer", provider.issuer),
    ...httpUrlViolations("keys_endpoint", provider.keysEndpoint),
    ...headerNameViolations("header_name", provider.headerName),
  ];
  if (violations.length > 0) return invalid(violations);
  return accept({
    idp: [
      { type: "idp.config.added", payload: { ...config, serves: "INSTANCE" } },
      { type: "idp.jwt.config.added", payload: provider },
    ],
  });
}

/** the provider serves the organization that owns it. */
export function addOrgOIDCIDP(config: NewIDP, provider: OIDCProvider): IDPDecision {
  const violations = [...nameViolations("name", config.name), ...oidcViolations(provider)];
  if (violations.length > 0) return invalid(violations);
  return accept({
    idp: [
      { type: "idp.config.added", payload: { ...config, serves: "ORGANIZATION" } },
      { type: "idp.oidc.config.added", payload: provider },
    ],
  });
}

/**
 * everything is replaced, but a secret that was not given stays. Whoever changes
 * the providers of the instance may change all; whoever changes those of an organization, its own.
 */
export function updateOIDCConfig(
  state: IDPState | undefined,
  settings: OIDCSettings,
  /** Sealed; undefined keeps the stored one. A given one always counts as a change. */
  clientSecret: string | undefined,
  memberships: readonly Membership[],
): IDPDecision {
  const violations = oidcViolations(settings);
  if (violations.length > 0) return invalid(violations);
  if (state === undefined || !mayUpdate(state, memberships)) {
    return idpNotFound();
  }
  if (state.oidc === undefined) {
    return reject("IDP_NOT_OIDC", "The identity provider is not an OIDC one.");
  }
  const changed = { ...settings, clientSecret: clientSecret ?? state.oidc.clientSecret };
  if (clientSecret === undefined && sameSettings(settings, state.oidc)) {
    return reject("NOTHING_CHANGED", "The identity provider has this configuration already.");
  }
  return accept({ idp: [{ type: "idp.oidc.config.changed", payload: changed }] });
}

/** Whether users of the organization may log in by the provider. */
export function servesOrganization(state: IDPState | undefined, organization: string): boolean {
  if (state === undefined) return false;
  return state.serves === "INSTANCE" || state.organization === organization;
}

function mayUpdate({ serves, organization }: IDPState, memberships: readonly Membership[]) {
  if (holds(memberships, "iam.idp.write", { level: "instance" })) return true;
  // Who owns a provider that serves all does not thereby decide for all.
  const owner = { level: "organization", organization } as const;
  return serves === "ORGANIZATION" && holds(memberships, "org.idp.write", owner);
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

function oidcViolations({ issuer, clientId, scopes }: OIDCSettings): readonly Violation[] {
  return [
    ...issuerViolations("issuer", issuer),
    ...nameViolations("client_id", clientId),
    ...scopeViolations("scopes", scopes),
  ];
}

/** Scopes are sent in one text with spaces between them (RFC 6749, 3.3). */
function scopeViolations(field: string, scopes: readonly string[]): readonly Violation[] {
  const description = "must have visible characters only, and no white space";
  return scopes.flatMap((scope, index) =>
    visibleOnly.test(scope) ? [] : [{ field: `${field}[${index}]`, description }],
  );
}

const visibleOnly = /^[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]+$/u;

/** A header name is a token (RFC 9110, 5.6.2). */
function headerNameViolations(field: string, name: string): readonly Violation[] {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
    ? []
    : [{ field, description: "must be the name of an HTTP header, such as authorization" }];
}
