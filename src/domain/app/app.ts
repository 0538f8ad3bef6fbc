import type { Claim, ClaimGroup } from "../../event.ts";
import { type Decision, type Refusal, reject, rejectionFor } from "../decision.ts";
import { type Keys, type NewKey, withoutKey } from "../key.ts";
import { foldName, rejectName } from "../name.ts";
import { type EventsOf, mustExist, type Nothing, type Noun, unknownEvent } from "../noun.ts";
import { type AppRemoved, isIn, type ProjectState } from "../project.ts";
import { type Status, withStatus } from "../status.ts";

/** An application of a project: a client that logs users in (OIDC, SAML) or checks tokens (API). */
export type AppEvent = EventsOf<Payloads> | AppRemoved;

interface Payloads {
  readonly "project.application.added": { readonly projectId: string; readonly name: string };
  readonly "project.application.changed": { readonly name: string };
  readonly "project.application.config.oidc.added": OIDCConfig;
  readonly "project.application.config.oidc.changed": OIDCSettings;
  readonly "project.application.config.api.added": APIConfig;
  readonly "project.application.config.api.changed": APISettings;
  readonly "project.application.config.saml.added": SAMLConfig;
  readonly "project.application.config.saml.changed": SAMLConfig;
  readonly "project.application.config.oidc.secret.changed": { readonly clientSecretHash: string };
  readonly "project.application.config.api.secret.changed": { readonly clientSecretHash: string };
  readonly "project.application.key.added": NewKey;
  readonly "project.application.key.removed": Pick<NewKey, "keyId">;
  readonly "project.application.deactivated": Nothing;
  readonly "project.application.reactivated": Nothing;
}

/** The values that an OIDC client may ask to be answered (OIDC Core 1.0, 3). */
export type ResponseType = "CODE" | "ID_TOKEN" | "ID_TOKEN_TOKEN";
/** The ways in which an OIDC client may get tokens (RFC 6749, RFC 8628). */
export type GrantType = "AUTHORIZATION_CODE" | "IMPLICIT" | "REFRESH_TOKEN" | "DEVICE_CODE";
/** The kinds of OIDC applications: only those on a server can keep a secret. */
export type AppType = "WEB" | "USER_AGENT" | "NATIVE";
/** The ways in which an OIDC client proves itself. */
export type OIDCAuthMethod = "BASIC" | "POST" | "NONE" | "PRIVATE_KEY_JWT";
/** The ways in which an API client proves itself. */
export type APIAuthMethod = "BASIC" | "PRIVATE_KEY_JWT";
/** The forms of the access tokens that an OIDC client is issued. */
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
  /** Where it is told that a session has ended; left out, it is not. */
  readonly backChannelLogoutUri?: string;
}

/** The id that the client shows, and the SHA-256 of its secret in hexadecimal if it has one. */
export interface Client {
  readonly clientId: string;
  readonly clientSecretHash?: string;
}

/** The settings of an OIDC application with its client. */
export type OIDCConfig = OIDCSettings & Client;

/** The SAML metadata as it was read, its entity ID, and where it was fetched from if it was. */
export interface SAMLConfig {
  readonly entityId: string;
  readonly metadataXml: string;
  readonly metadataUrl?: string;
}

/** The settings of an API application besides its name. */
export interface APISettings {
  readonly authMethod: APIAuthMethod;
}

/** The settings of an API application with its client. */
export type APIConfig = APISettings & Client;

/** An application as its events leave it. */
export interface AppState extends Status {
  readonly projectId: string;
  readonly name: string;
  readonly config?:
    | ({ readonly kind: "oidc" } & OIDCConfig)
    | ({ readonly kind: "api" } & APIConfig)
    | ({ readonly kind: "saml" } & SAMLConfig);
  /** Those by which a client of the method PRIVATE_KEY_JWT proves itself. */
  readonly keys?: Keys;
}

/** The most that may be added to and subtracted from the times in a token: 5 s. */
export const clockSkewNanosMax = 5_000_000_000;

/** The most redirect URIs of one application. */
export const redirectUrisMax = 100;

/** The noun of applications. */
export const app: Noun<AppState, AppEvent> = {
  kind: "app",
  events: {
    "project.application.added": "An application was created in a project",
    "project.application.changed": "The application was renamed",
    "project.application.config.oidc.added": "It got the settings of an OIDC client",
    "project.application.config.oidc.changed":
      "The settings of an OIDC client were replaced; a secret or keys that its method does " +
      "not use were removed",
    "project.application.config.api.added": "It got the settings of an API client",
    "project.application.config.api.changed":
      "The settings of an API client were replaced; a secret or keys that its method does " +
      "not use were removed",
    "project.application.config.saml.added": "It got the metadata of a SAML service provider",
    "project.application.config.saml.changed": "The metadata of a service provider was replaced",
    "project.application.config.oidc.secret.changed":
      "An OIDC client got another secret; its SHA-256 is stored",
    "project.application.config.api.secret.changed":
      "An API client got another secret; its SHA-256 is stored",
    "project.application.key.added": "An OIDC or API client got a key; its public part is stored",
    "project.application.key.removed": "A key was removed",
    "project.application.deactivated": "It was deactivated",
    "project.application.reactivated": "It was reactivated",
    "project.application.removed": "It was removed, alone or with its project",
  },
  secrets: ["clientSecretHash"],
  evolve(state, event) {
    switch (event.type) {
      case "project.application.added":
        return event.payload;
      case "project.application.changed":
        return { ...mustExist(state), ...event.payload };
      case "project.application.config.oidc.added":
        return { ...mustExist(state), config: { kind: "oidc", ...event.payload } };
      case "project.application.config.oidc.changed": {
        const before = mustExist(state);
        const client = clientIn(before, "oidc", oidcHasSecret(event.payload.authMethod));
        return withConfig(before, { kind: "oidc", ...client, ...event.payload });
      }
      case "project.application.config.api.added":
        return { ...mustExist(state), config: { kind: "api", ...event.payload } };
      case "project.application.config.api.changed": {
        const before = mustExist(state);
        const client = clientIn(before, "api", apiHasSecret(event.payload.authMethod));
        return withConfig(before, { kind: "api", ...client, ...event.payload });
      }
      case "project.application.config.saml.added":
      case "project.application.config.saml.changed":
        return { ...mustExist(state), config: { kind: "saml", ...event.payload } };
      case "project.application.config.oidc.secret.changed":
      case "project.application.config.api.secret.changed": {
        const before = mustExist(state);
        return { ...before, config: { ...mustExist(before.config), ...event.payload } };
      }
      case "project.application.key.added": {
        const { keyId, ...key } = event.payload;
        const before = mustExist(state);
        return { ...before, keys: { ...before.keys, [keyId]: { ...key, addedMs: event.timeMs } } };
      }
      case "project.application.key.removed": {
        const before = mustExist(state);
        return { ...before, keys: withoutKey(before.keys, event.payload.keyId) };
      }
      case "project.application.deactivated":
        return withStatus(mustExist(state), true);
      case "project.application.reactivated":
        return withStatus(mustExist(state), false);
      case "project.application.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claimRefusals: {
    "app.name": rejectName("application of this project"),
    "app.entity": rejectionFor("ENTITY_ID_TAKEN"),
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

/** The client of an application; of its secret nothing is left where it needs none. */
function clientIn({ config }: AppState, kind: "oidc" | "api", needsSecret: boolean): Client {
  if (config?.kind !== kind) throw new TypeError(`only settings of the kind ${kind} are changed`);
  const { clientId, clientSecretHash } = config;
  const isKept = clientSecretHash !== undefined && needsSecret;
  return isKept ? { clientId, clientSecretHash } : { clientId };
}

/** The application with other settings; of its keys none is left where they prove nothing. */
function withConfig({ keys, ...before }: AppState, config: ClientConfig): AppState {
  return { ...before, config, ...(keys && provesByKey(config) ? { keys } : {}) };
}

/** Whether OIDC clients of this method prove themselves by a secret that the service makes. */
export function oidcHasSecret(authMethod: OIDCAuthMethod): boolean {
  return authMethod === "BASIC" || authMethod === "POST";
}

/** Whether API clients of this method prove themselves by a secret that the service makes. */
export function apiHasSecret(authMethod: APIAuthMethod): boolean {
  return authMethod === "BASIC";
}

/** Settings of a client, which a SAML application has none of. */
export type ClientConfig = Exclude<NonNullable<AppState["config"]>, { readonly kind: "saml" }>;

/** Whether these are of a client that proves itself by keys that the service makes. */
export function provesByKey(config: AppState["config"]): config is ClientConfig {
  return config !== undefined && config.kind !== "saml" && config.authMethod === "PRIVATE_KEY_JWT";
}

/** A decision on an application. */
export type AppDecision = Decision<{ app?: readonly AppEvent[] }>;

/** An application and the project in which it is looked for. */
export interface AppInProject {
  readonly app: AppState | undefined;
  readonly project: ProjectState | undefined;
}

/** The organization and the project that a call names. */
export interface AppFrame {
  readonly organization: string;
  readonly projectId: string;
}

/** The refusal where the project is not in the organization, or the application not in that. */
export function refuseApp(
  { app, project }: AppInProject,
  { organization, projectId }: AppFrame,
): Refusal | undefined {
  if (!isIn(project, organization)) return reject("PROJECT_NOT_FOUND");
  return app?.projectId === projectId ? undefined : reject("APP_NOT_FOUND");
}
