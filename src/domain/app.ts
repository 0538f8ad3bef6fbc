import type { Claim } from "../event.ts";
import { accept, type Decision, invalid, type Violation } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { existing, type Noun, unknownEvent } from "./noun.ts";
import { isIn, type ProjectState, projectNotFound } from "./project.ts";
import { originViolations, redirectUriViolations } from "./uri.ts";

/** An application of a project: a client that logs users in (OIDC) or checks tokens (API). */
export type AppEvent =
  | {
      readonly type: "project.application.added";
      readonly payload: { readonly projectId: string; readonly name: string };
    }
  | { readonly type: "project.application.config.oidc.added"; readonly payload: OIDCConfig }
  | { readonly type: "project.application.config.api.added"; readonly payload: APIConfig }
  | { readonly type: "project.application.config.saml.added"; readonly payload: SAMLConfig };

export type ResponseType = "CODE" | "ID_TOKEN" | "ID_TOKEN_TOKEN";
export type GrantType = "AUTHORIZATION_CODE" | "IMPLICIT" | "REFRESH_TOKEN" | "DEVICE_CODE";
export type AppType = "WEB" | "USER_AGENT" | "NATIVE";
export type OIDCAuthMethod = "BASIC" | "POST" | "NONE" | "PRIVATE_KEY_JWT";
export type APIAuthMethod = "BASIC" | "PRIVATE_KEY_JWT";
export type OIDCTokenType = "BEARER" | "JWT";

/** The settings of an OIDC application besides its name. */
export interface OIDCSettings {
  readonly redirectUris: readonly string[];
  readonly responseTypes: readonly ResponseType[];
  readonly grantTypes: readonly GrantType[];
  readonly appType: AppType;
  readonly authMethod: OIDCAuthMethod;
  readonly postLogoutRedirectUris: readonly string[];
  readonly version: "1.0";
  readonly devMode: boolean;
  readonly accessTokenType: OIDCTokenType;
  readonly accessTokenRoleAssertion: boolean;
  readonly idTokenRoleAssertion: boolean;
  readonly idTokenUserinfoAssertion: boolean;
  readonly clockSkewNanos: number;
  readonly additionalOrigins: readonly string[];
  readonly skipNativeAppSuccessPage: boolean;
}

/** The id that the client shows, and the SHA-256 of its secret in hexadecimal if it has one. */
interface Client {
  readonly clientId: string;
  readonly clientSecretHash?: string;
}

export type OIDCConfig = OIDCSettings & Client;
/** The metadata as it was read, its entity ID, and where it was fetched from if it was. */
export interface SAMLConfig {
  readonly entityId: string;
  readonly metadataXml: string;
  readonly metadataUrl?: string;
}

export type APIConfig = { readonly authMethod: APIAuthMethod } & Client;

export interface AppState {
  readonly projectId: string;
  readonly name: string;
  readonly config?:
    | ({ readonly kind: "oidc" } & OIDCConfig)
    | ({ readonly kind: "api" } & APIConfig)
    | ({ readonly kind: "saml" } & SAMLConfig);
}

/** The most that may be added to and subtracted from the times in a token: 5 s. */
export const clockSkewNanosMax = 5_000_000_000;

export const app: Noun<AppState, AppEvent> = {
  kind: "app",
  evolve(state, event) {
    switch (event.type) {
      case "project.application.added":
        return event.payload;
      case "project.application.config.oidc.added":
        return { ...existing(state), config: { kind: "oidc", ...event.payload } };
      case "project.application.config.api.added":
        return { ...existing(state), config: { kind: "api", ...event.payload } };
      case "project.application.config.saml.added":
        return { ...existing(state), config: { kind: "saml", ...event.payload } };
      default:
        return unknownEvent(event);
    }
  },
  claims: ({ projectId, name, config }) => [
    { kind: "app.name", scope: projectId, value: foldName(name) },
    ...(config === undefined ? [] : [configClaim(config)]),
  ],
  row: ({ projectId, name, config }) => ({
    parent: projectId,
    fields: { name, type: config?.kind ?? "" },
  }),
};

/** Clients are known by their ids, SAML applications by their entity IDs. */
function configClaim(config: NonNullable<AppState["config"]>): Claim {
  return config.kind === "saml"
    ? { kind: "app.entity", scope: "", value: config.entityId }
    : { kind: "app.client", scope: "", value: config.clientId };
}

type AppDecision = Decision<{ app?: readonly AppEvent[] }>;

/** Where an application is created and how it is called. */
export interface AppPlace {
  readonly organization: string;
  readonly projectId: string;
  readonly name: string;
}

/** What every application is created from: its place and the fresh values it is to have. */
export interface NewApp extends AppPlace {
  readonly clientId: string;
  /** The hash of a fresh secret; it is recorded only where the settings call for a secret. */
  readonly clientSecretHash: string;
}

/** The settings are those that `completed` made of the given ones. */
export function addOIDCApp(
  { project }: { readonly project: ProjectState | undefined },
  added: NewApp,
  settings: OIDCSettings,
): AppDecision {
  const violations = [
    ...nameViolations("name", added.name),
    ...redirectUriViolations("redirect_uris", settings.redirectUris),
    ...redirectUriViolations("post_logout_redirect_uris", settings.postLogoutRedirectUris),
    ...originViolations("additional_origins", settings.additionalOrigins),
    ...grantViolations(settings),
    ...clockSkewViolations(settings),
  ];
  if (violations.length > 0) return invalid(violations);
  if (!isIn(project, added.organization)) return projectNotFound();

  const client = clientOf(added, oidcHasSecret(settings.authMethod));
  return accept({
    app: [
      applicationAdded(added),
      { type: "project.application.config.oidc.added", payload: { ...client, ...settings } },
    ],
  });
}

export function addAPIApp(
  { project }: { readonly project: ProjectState | undefined },
  added: NewApp,
  authMethod: APIAuthMethod,
): AppDecision {
  const violations = nameViolations("name", added.name);
  if (violations.length > 0) return invalid(violations);
  if (!isIn(project, added.organization)) return projectNotFound();

  const client = clientOf(added, apiHasSecret(authMethod));
  return accept({
    app: [
      applicationAdded(added),
      { type: "project.application.config.api.added", payload: { ...client, authMethod } },
    ],
  });
}

/** The metadata has been read before. */
export function addSAMLApp(
  states: { readonly project: ProjectState | undefined },
  place: AppPlace,
  config: SAMLConfig,
): AppDecision {
  return (
    samlAppRefusal(states, place) ??
    accept({
      app: [
        applicationAdded(place),
        { type: "project.application.config.saml.added", payload: config },
      ],
    })
  );
}

/** What a SAML application is refused for whatever its metadata says; undefined for nothing. */
export function samlAppRefusal(
  { project }: { readonly project: ProjectState | undefined },
  { name, organization }: AppPlace,
): Decision<Record<never, never>> | undefined {
  const violations = nameViolations("name", name);
  if (violations.length > 0) return invalid(violations);
  return isIn(project, organization) ? undefined : projectNotFound();
}

/** Whether clients of this method prove themselves by a secret that the service makes. */
export function oidcHasSecret(authMethod: OIDCAuthMethod): boolean {
  return authMethod === "BASIC" || authMethod === "POST";
}

export function apiHasSecret(authMethod: APIAuthMethod): boolean {
  return authMethod === "BASIC";
}

/**
 * The settings as they will be stored: defaults filled in, entries trimmed, sets without doubles.
 */
export function completed(given: OIDCSettings): OIDCSettings {
  return {
    ...given,
    redirectUris: trimmed(given.redirectUris),
    postLogoutRedirectUris: trimmed(given.postLogoutRedirectUris),
    additionalOrigins: trimmed(given.additionalOrigins),
    responseTypes: given.responseTypes.length > 0 ? [...new Set(given.responseTypes)] : ["CODE"],
    grantTypes:
      given.grantTypes.length > 0 ? [...new Set(given.grantTypes)] : ["AUTHORIZATION_CODE"],
  };
}

function applicationAdded({ projectId, name }: AppPlace): AppEvent {
  return { type: "project.application.added", payload: { projectId, name } };
}

function clientOf({ clientId, clientSecretHash }: NewApp, hasSecret: boolean): Client {
  return hasSecret ? { clientId, clientSecretHash } : { clientId };
}

/** Which grants can bring about each response type; one of them must be granted. */
const grantsOf: { readonly [type in ResponseType]: readonly GrantType[] } = {
  CODE: ["AUTHORIZATION_CODE", "DEVICE_CODE"],
  ID_TOKEN: ["IMPLICIT"],
  ID_TOKEN_TOKEN: ["IMPLICIT"],
};

function grantViolations({ responseTypes, grantTypes }: OIDCSettings): readonly Violation[] {
  return responseTypes.flatMap((type) => {
    const needed = grantsOf[type];
    if (needed.some((grant) => grantTypes.includes(grant))) return [];
    const grants = needed.map((grant) => `OIDC_GRANT_TYPE_${grant}`).join(" or ");
    return [{ field: "response_types", description: `OIDC_RESPONSE_TYPE_${type} needs ${grants}` }];
  });
}

function clockSkewViolations({ clockSkewNanos }: OIDCSettings): readonly Violation[] {
  return clockSkewNanos >= 0 && clockSkewNanos <= clockSkewNanosMax
    ? []
    : [{ field: "clock_skew", description: "must be from 0s to 5s" }];
}

function trimmed(entries: readonly string[]): readonly string[] {
  return entries.map((entry) => entry.trim());
}
