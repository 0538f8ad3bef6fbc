import { accept, type Decision, invalid, type Violation } from "../decision.ts";
import { nameViolations } from "../name.ts";
import { isIn, type ProjectState, projectNotFound } from "../project.ts";
import { originViolations, redirectUriViolations } from "../uri.ts";
import {
  type APIAuthMethod,
  type AppEvent,
  apiHasSecret,
  type Client,
  clockSkewNanosMax,
  type GrantType,
  type OIDCSettings,
  oidcHasSecret,
  type ResponseType,
  type SAMLConfig,
} from "./app.ts";

export type AppDecision = Decision<{ app?: readonly AppEvent[] }>;

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
