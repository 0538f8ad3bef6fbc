import { accept, type Refusal, reject } from "../decision.ts";
import { refuseSameStatus } from "../status.ts";
import {
  type APISettings,
  type AppDecision,
  type AppFrame,
  type AppInProject,
  type AppState,
  apiHasSecret,
  type Client,
  findApp,
  oidcHasSecret,
  redirectUrisMax,
  type SAMLConfig,
} from "./app.ts";
import type { CompleteOIDCSettings } from "./create.ts";

/** Removes an application. */
export function removeApp(states: AppInProject, frame: AppFrame): AppDecision {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  return accept({ app: [{ type: "project.application.removed", payload: {} }] });
}

/** Takes an application out of use or brings it back. */
export function switchApp(
  states: AppInProject,
  { isInactive, ...frame }: AppFrame & { readonly isInactive: boolean },
): AppDecision {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  const type = isInactive ? "project.application.deactivated" : "project.application.reactivated";
  return refuseSameStatus(found.app, isInactive) ?? accept({ app: [{ type, payload: {} }] });
}

/** Gives an application another name. */
export function renameApp(
  states: AppInProject,
  { name, ...frame }: AppFrame & { readonly name: string },
): AppDecision {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  if (found.app.name === name) return reject("NOTHING_CHANGED");
  return accept({ app: [{ type: "project.application.changed", payload: { name } }] });
}

/**
 * Replaces the settings of an OIDC application. Its client stays the same, with its secret where
 * the method has one; where it had none before, one has to be generated.
 */
export function updateOIDCApp(
  states: AppInProject,
  frame: AppFrame,
  settings: CompleteOIDCSettings,
): AppDecision {
  const found = findConfig(states, frame, "oidc");
  if (found.kind === "refused") return found.refusal;
  if (isSame(settings, found.config)) return reject("NOTHING_CHANGED");
  return accept({
    app: [{ type: "project.application.config.oidc.changed", payload: settings }],
  });
}

/** The same of an API application. */
export function updateAPIApp(
  states: AppInProject,
  frame: AppFrame,
  settings: APISettings,
): AppDecision {
  const found = findConfig(states, frame, "api");
  if (found.kind === "refused") return found.refusal;
  if (isSame(settings, found.config)) return reject("NOTHING_CHANGED");
  return accept({ app: [{ type: "project.application.config.api.changed", payload: settings }] });
}

/** Replaces the metadata of a SAML application. */
export function updateSAMLApp(
  states: AppInProject,
  frame: AppFrame,
  metadata: SAMLConfig,
): AppDecision {
  const found = findConfig(states, frame, "saml");
  if (found.kind === "refused") return found.refusal;
  if (isSame(metadata, found.config)) return reject("NOTHING_CHANGED");
  return accept({ app: [{ type: "project.application.config.saml.changed", payload: metadata }] });
}

/** The refusal of other metadata whatever it says; undefined where there is none. */
export function refuseSAMLUpdate(states: AppInProject, frame: AppFrame): Refusal | undefined {
  const found = findConfig(states, frame, "saml");
  return found.kind === "refused" ? found.refusal : undefined;
}

/** Adds a redirect URI to those of an OIDC application. */
export function addRedirectUri(
  states: AppInProject,
  { uri, ...frame }: AppFrame & { readonly uri: string },
): AppDecision {
  return changeRedirectUris(states, frame, (before) => {
    if (before.includes(uri)) return reject("NOTHING_CHANGED");
    if (before.length < redirectUrisMax) return [...before, uri];
    const message = `The application has ${before.length} redirect URIs: remove one first.`;
    return reject("LIMIT_REACHED", message);
  });
}

/** Removes a redirect URI from those of an OIDC application. */
export function removeRedirectUri(
  states: AppInProject,
  { uri, ...frame }: AppFrame & { readonly uri: string },
): AppDecision {
  return changeRedirectUris(states, frame, (before) =>
    before.includes(uri) ? before.filter((one) => one !== uri) : reject("NOTHING_CHANGED"),
  );
}

function changeRedirectUris(
  states: AppInProject,
  frame: AppFrame,
  change: (before: readonly string[]) => readonly string[] | Refusal,
): AppDecision {
  const found = findConfig(states, frame, "oidc");
  if (found.kind === "refused") return found.refusal;
  const changed = change(found.config.redirectUris);
  if ("rejection" in changed) return changed;
  const payload = { ...settingsIn(found.config), redirectUris: changed };
  return accept({ app: [{ type: "project.application.config.oidc.changed", payload }] });
}

type Config = NonNullable<AppState["config"]>;
type ConfigOf<Kind extends Config["kind"]> = Extract<Config, { readonly kind: Kind }>;

/** Finds the settings of an application, which must be of this kind. */
function findConfig<Kind extends Config["kind"]>(
  states: AppInProject,
  frame: AppFrame,
  kind: Kind,
):
  | { readonly kind: "found"; readonly config: ConfigOf<Kind> }
  | { readonly kind: "refused"; readonly refusal: Refusal } {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found;
  const { config } = found.app;
  return isOf(config, kind)
    ? { kind: "found", config }
    : { kind: "refused", refusal: reject(refusals[kind]) };
}

function isOf<Kind extends Config["kind"]>(
  config: Config | undefined,
  kind: Kind,
): config is ConfigOf<Kind> {
  return config?.kind === kind;
}

const refusals = { oidc: "APP_NOT_OIDC", api: "APP_NOT_API", saml: "APP_NOT_SAML" } as const;

/** What is set of an application, without its client. */
function settingsIn<Of extends Config>(config: Of): Omit<Of, "kind" | keyof Client> {
  const {
    kind: _kind,
    clientId: _id,
    clientSecretHash: _hash,
    ...settings
  } = config as Of & Client;
  return settings;
}

/** Whether every setting is as it was; the order of entries counts. */
function isSame(settings: object, config: Config): boolean {
  const [after, before] = [settings, settingsIn(config)] as readonly [Named, Named];
  // Not every setting is there in each.
  return Object.keys({ ...after, ...before }).every(
    (name) => JSON.stringify(after[name]) === JSON.stringify(before[name]),
  );
}

type Named = { readonly [name: string]: unknown };

/**
 * Replaces the client secret of an application; the secret before is worth nothing from then on.
 */
export function regenerateSecret(
  states: AppInProject,
  { type, clientSecretHash, ...frame }: AppFrame & NewSecret,
): AppDecision {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  const { config } = found.app;
  if (config?.kind !== type) {
    return reject("APP_WITHOUT_SECRET", `The application does not have the type ${type}.`);
  }
  const hasSecret =
    config.kind === "oidc" ? oidcHasSecret(config.authMethod) : apiHasSecret(config.authMethod);
  if (!hasSecret) {
    const message = `Clients with the method ${config.authMethod} have no client secret.`;
    return reject("APP_WITHOUT_SECRET", message);
  }
  const changed = `project.application.config.${type}.secret.changed` as const;
  return accept({ app: [{ type: changed, payload: { clientSecretHash } }] });
}

interface NewSecret {
  readonly type: "oidc" | "api";
  readonly clientSecretHash: string;
}
