import { accept, type Problem, type Refusal, reject, type Violation } from "../decision.ts";
import { isIn, type ProjectState } from "../project.ts";
import {
  type APIAuthMethod,
  type AppDecision,
  type AppEvent,
  type AppFrame,
  apiHasSecret,
  type Client,
  clockSkewNanosMax,
  type GrantType,
  type OIDCSettings,
  oidcHasSecret,
  type ResponseType,
  type SAMLConfig,
} from "./app.ts";

/** The place of a new application, and its name. */
export interface NamedAppFrame extends AppFrame {
  readonly name: string;
}

/** The place of a new client, and the fresh values it is to have. */
export interface NewApp extends NamedAppFrame {
  readonly clientId: string;
  /** The hash of a fresh secret; it is recorded only where the settings call for a secret. */
  readonly clientSecretHash: string;
}

/** The project of a new application. */
interface Within {
  readonly project: ProjectState | undefined;
}

/** Creates an OIDC application. */
export function addOIDCApp(
  states: Within,
  added: NewApp,
  settings: CompleteOIDCSettings,
): AppDecision {
  const payload = { ...clientOf(added, oidcHasSecret(settings.authMethod)), ...settings };
  return addApp(states, added, { type: "project.application.config.oidc.added", payload });
}

/** Creates an API application. */
export function addAPIApp(states: Within, added: NewApp, authMethod: APIAuthMethod): AppDecision {
  const payload = { ...clientOf(added, apiHasSecret(authMethod)), authMethod };
  return addApp(states, added, { type: "project.application.config.api.added", payload });
}

/** Creates a SAML application from metadata that has been read. */
export function addSAMLApp(states: Within, added: NamedAppFrame, payload: SAMLConfig): AppDecision {
  return addApp(states, added, { type: "project.application.config.saml.added", payload });
}

function addApp(states: Within, added: NamedAppFrame, configured: AppEvent): AppDecision {
  const { projectId, name } = added;
  const payload = { projectId, name };
  return (
    refuseNewApp(states, added) ??
    accept({ app: [{ type: "project.application.added", payload }, configured] })
  );
}

/** The refusal of an application whatever its settings are; undefined where there is none. */
export function refuseNewApp(
  { project }: Within,
  { organization }: Pick<NamedAppFrame, "organization">,
): Refusal | undefined {
  return isIn(project, organization) ? undefined : reject("PROJECT_NOT_FOUND");
}

/** Marks settings that `completeSettings` made; it exists for the compiler alone. */
declare const complete: unique symbol;

/** Settings as they are stored: defaults filled in, entries trimmed, sets without doubles. */
export type CompleteOIDCSettings = OIDCSettings & { readonly [complete]: true };

/** Fills in what a caller left out of the settings, and tidies what was given. */
export function completeSettings({
  backChannelLogoutUri = "",
  ...given
}: OIDCSettings): CompleteOIDCSettings {
  const logoutUri = backChannelLogoutUri.trim();
  const settings: OIDCSettings = {
    ...given,
    ...(logoutUri === "" ? {} : { backChannelLogoutUri: logoutUri }),
    redirectUris: trimAll(given.redirectUris),
    postLogoutRedirectUris: trimAll(given.postLogoutRedirectUris),
    additionalOrigins: trimAll(given.additionalOrigins),
    ...completeFlows(given),
  };
  return settings as CompleteOIDCSettings;
}

/** What an OIDC client asks for, and how it gets that. */
type Flows = Pick<OIDCSettings, "responseTypes" | "grantTypes">;

function completeFlows({ responseTypes, grantTypes }: Flows): Flows {
  return {
    responseTypes: responseTypes.length > 0 ? [...new Set(responseTypes)] : ["CODE"],
    grantTypes: grantTypes.length > 0 ? [...new Set(grantTypes)] : ["AUTHORIZATION_CODE"],
  };
}

function clientOf({ clientId, clientSecretHash }: NewApp, hasSecret: boolean): Client {
  return hasSecret ? { clientId, clientSecretHash } : { clientId };
}

/** The grants that can bring about each response type; one of them must be granted. */
const grantsOf: { readonly [type in ResponseType]: readonly GrantType[] } = {
  CODE: ["AUTHORIZATION_CODE", "DEVICE_CODE"],
  ID_TOKEN: ["IMPLICIT"],
  ID_TOKEN_TOKEN: ["IMPLICIT"],
};

/** The broken rules of what a client asks for: each needs a grant that can bring it about. */
export function flowViolations(given: Flows): readonly Violation[] {
  const { responseTypes, grantTypes } = completeFlows(given);
  return responseTypes.flatMap((type) => {
    const needed = grantsOf[type];
    if (needed.some((grant) => grantTypes.includes(grant))) return [];
    const grants = needed.map((grant) => `OIDC_GRANT_TYPE_${grant}`).join(" or ");
    return [{ field: "response_types", description: `OIDC_RESPONSE_TYPE_${type} needs ${grants}` }];
  });
}

/** The rule of what may be added to and subtracted from the times in a token. */
export function clockSkewProblem(nanos: number): Problem {
  return nanos >= 0 && nanos <= clockSkewNanosMax ? undefined : "must be from 0s to 5s";
}

function trimAll(entries: readonly string[]): readonly string[] {
  return entries.map((entry) => entry.trim());
}
