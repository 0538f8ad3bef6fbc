import { accept, type Decision, invalid, reject, type Violation } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { existing, type Noun, unknownEvent } from "./noun.ts";
import { holds, type Membership } from "./permission.ts";
import { httpUrlViolations, issuerViolations, stringOrUriViolations } from "./uri.ts";

/** An identity provider: another service that logs users in. */
export type IDPEvent =
  | { readonly type: "idp.config.added"; readonly payload: IDPConfig }
  | { readonly type: "idp.oidc.config.added"; readonly payload: OIDCProvider }
  | { readonly type: "idp.oidc.config.changed"; readonly payload: OIDCProvider }
  | { readonly type: "idp.jwt.config.added"; readonly payload: JWTProvider };

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
  evolve(state, event) {
    switch (event.type) {
      case "idp.config.added":
        return { ...event.payload, organization: event.owner };
      case "idp.oidc.config.added":
      case "idp.oidc.config.changed":
        return { ...existing(state), oidc: event.payload };
      case "idp.jwt.config.added":
        return { ...existing(state), jwt: event.payload };
      default:
        return unknownEvent(event);
    }
  },
  claims: ({ name, serves, organization }) => [
    {
      kind: "idp.name",
      scope: serves === "INSTANCE" ? "" : organization,
      value: foldName(name),
    },
  ],
  row: ({ name, serves, jwt }) => ({
    parent: "",
    fields: { name, serves, type: jwt === undefined ? "oidc" : "jwt" },
  }),
};

type IDPDecision = Decision<{ idp?: readonly IDPEvent[] }>;

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
  const violations = [
    ...nameViolations("name", config.name),
    ...issuerViolations("issuer", provider.issuer),
  ];
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
  const violations = issuerViolations("issuer", settings.issuer);
  if (violations.length > 0) return invalid(violations);
  if (state === undefined || !mayUpdate(state, memberships)) {
    return reject("IDP_NOT_FOUND", "No identity provider with this id lies where you may act.");
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

/** A header name is a token (RFC 9110, 5.6.2). */
function headerNameViolations(field: string, name: string): readonly Violation[] {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
    ? []
    : [{ field, description: "must be the name of an HTTP header, such as authorization" }];
}
