import type { Claim, ClaimGroup } from "../../event.ts";
import { foldName } from "../name.ts";
import { existing, type Nothing, type Noun, unknownEvent } from "../noun.ts";
import type { AppRemoved } from "../project.ts";
import { type Status, withStatus } from "../status.ts";

/** An application of a project: a client that logs users in (OIDC) or checks tokens (API). */
export type AppEvent =
  | {
      readonly type: "project.application.added";
      readonly payload: { readonly projectId: string; readonly name: string };
    }
  | { readonly type: "project.application.config.oidc.added"; readonly payload: OIDCConfig }
  | { readonly type: "project.application.config.api.added"; readonly payload: APIConfig }
  | { readonly type: "project.application.config.saml.added"; readonly payload: SAMLConfig }
  | {
      readonly type:
        | "project.application.config.oidc.secret.changed"
        | "project.application.config.api.secret.changed";
      readonly payload: { readonly clientSecretHash: string };
    }
  | {
      readonly type: "project.application.deactivated" | "project.application.reactivated";
      readonly payload: Nothing;
    }
  | AppRemoved;

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
export interface Client {
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

export interface AppState extends Status {
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
  secrets: ["clientSecretHash"],
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
      case "project.application.config.oidc.secret.changed":
      case "project.application.config.api.secret.changed": {
        const before = existing(state);
        return { ...before, config: { ...existing(before.config), ...event.payload } };
      }
      case "project.application.deactivated":
        return withStatus(existing(state), true);
      case "project.application.reactivated":
        return withStatus(existing(state), false);
      case "project.application.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claims: ({ projectId, name, config }) => [
    { ...appsOf(projectId), value: foldName(name) },
    ...(config === undefined ? [] : [configClaim(config)]),
  ],
  row: ({ projectId, name }) => ({ parent: projectId, fields: { name } }),
};

/** The claims of which each application of a project holds one. */
export function appsOf(projectId: string): ClaimGroup {
  return { kind: "app.name", scope: projectId };
}

/** Clients are known by their ids, SAML applications by their entity IDs. */
function configClaim(config: NonNullable<AppState["config"]>): Claim {
  return config.kind === "saml"
    ? { kind: "app.entity", scope: "", value: config.entityId }
    : { kind: "app.client", scope: "", value: config.clientId };
}

/** Whether clients of this method prove themselves by a secret that the service makes. */
export function oidcHasSecret(authMethod: OIDCAuthMethod): boolean {
  return authMethod === "BASIC" || authMethod === "POST";
}

export function apiHasSecret(authMethod: APIAuthMethod): boolean {
  return authMethod === "BASIC";
}
