import { accept, type Refusal, reject } from "../decision.ts";
import { mustExist } from "../noun.ts";
import { refuseSameStatus } from "../status.ts";
import {
  type APISettings,
  type AppDecision,
  type AppEvent,
  type AppFrame,
  type AppInProject,
  type AppState,
  apiHasSecret,
  type Client,
  oidcHasSecret,
  redirectUrisMax,
  refuseApp,
  type SAMLConfig,
} from "./app.ts";
import type { CompleteOIDCSettings } from "./create.ts";

/** Removes an application. */
export function removeApp(states: AppInProject, frame: AppFrame): AppDecision {
  const removed = { type: "project.application.removed", payload: {} } as const;
  return refuseApp(states, frame) ?? accept({ app: [removed] });
}

/** Takes an application out of use or brings it back. */
export function switchApp(
  states: AppInProject,
  { isInactive, ...frame }: AppFrame & { readonly isInactive: boolean },
): AppDecision {
  const type = isInactive ? "project.application.deactivated" : "project.application.reactivated";
  return (
    refuseApp(states, frame) ??
    refuseSameStatus(mustExist(states.app), isInactive) ??
    accept({ app: [{ type, payload: {} }] })
  );
}

/** Gives an application another name. */
export function renameApp(
  states: AppInProject,
  { name, ...frame }: AppFrame & { readonly name: string },
): AppDecision {
  const refused = refuseApp(states, frame);
  if (refused !== undefined) return refused;
  if (states.app?.name === name) return reject("NOTHING_CHANGED");
  return accept({ app: [{ type: "project.application.changed", payload: { name } }] });
}

/** What is set of an application of each kind, without its client. */
interface Settings {
  readonly oidc: CompleteOIDCSettings;
  readonly api: APISettings;
  readonly saml: SAMLConfig;
}

/**
 * Replaces the settings of an application, or the metadata. The client of an application stays the
 * same, with its secret where the method has one; where it had none before, one has to be
 * generated.
 */
export function configureApp<Kind extends Config["kind"]>(
  states: AppInProject,
  frame: AppFrame,
  kind: Kind,
  settings: Settings[Kind],
): AppDecision {
  return onConfig(states, frame, kind, (config) => {
    if (isSame(settings, config)) return reject("NOTHING_CHANGED");
    const type = `project.application.config.${kind}.changed` as const;
    return accept({ app: [{ type, payload: settings } as AppEvent] });
  });
}

/** Accepts other metadata of a SAML application, whatever it says, or refuses it. */
export function checkSAMLUpdate(states: AppInProject, frame: AppFrame): AppDecision {
  return onConfig(states, frame, "saml", () => accept({}));
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
  return onConfig(states, frame, "oidc", (config) => {
    const changed = change(config.redirectUris);
    if ("rejection" in changed) return changed;
    const payload = { ...settingsIn(config), redirectUris: changed };
    return accept({ app: [{ type: "project.application.config.oidc.changed", payload }] });
  });
}

type Config = NonNullable<AppState["config"]>;
type ConfigOf<Kind extends Config["kind"]> = Extract<Config, { readonly kind: Kind }>;

/** Decides on the settings of an application, which must be of this kind. */
function onConfig<Kind extends Config["kind"]>(
  states: AppInProject,
  frame: AppFrame,
  kind: Kind,
  decide: (config: ConfigOf<Kind>) => AppDecision,
): AppDecision {
  const refused = refuseApp(states, frame);
  if (refused !== undefined) return refused;
  const { config } = mustExist(states.app);
  return isOf(config, kind) ? decide(config) : reject(refusals[kind]);
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
  const refused = refuseApp(states, frame);
  if (refused !== undefined) return refused;
  const { config } = mustExist(states.app);
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
