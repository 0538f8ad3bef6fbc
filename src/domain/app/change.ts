import { accept, reject } from "../decision.ts";
import { refuseSameStatus } from "../status.ts";
import {
  type AppDecision,
  type AppFrame,
  type AppInProject,
  apiHasSecret,
  findApp,
  type OIDCConfig,
  type OIDCSettings,
  oidcHasSecret,
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
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  const { config } = found.app;
  if (config?.kind !== "oidc") return reject("APP_NOT_OIDC");
  const { kind: _kind, ...before } = config;
  if (sameSettings(settings, before)) return reject("NOTHING_CHANGED");
  return accept({
    app: [{ type: "project.application.config.oidc.changed", payload: settings }],
  });
}

/** Whether every setting is as it was; the order of entries counts. */
function sameSettings(settings: OIDCSettings, before: OIDCConfig): boolean {
  const { clientId: _id, clientSecretHash: _hash, ...known } = before;
  // Not every setting is there in each.
  return Object.keys({ ...known, ...settings }).every((name) => {
    const [one, other] = [settings, known].map((of) => of[name as keyof OIDCSettings]);
    return JSON.stringify(one) === JSON.stringify(other);
  });
}

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
