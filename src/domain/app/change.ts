import { accept, reject } from "../decision.ts";
import { refuseSameStatus } from "../status.ts";
import {
  type AppDecision,
  type AppFrame,
  type AppInProject,
  apiHasSecret,
  findApp,
  oidcHasSecret,
} from "./app.ts";

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
    return reject("APP_WITHOUT_SECRET", `The application is not of the type ${type}.`);
  }
  const hasSecret =
    config.kind === "oidc" ? oidcHasSecret(config.authMethod) : apiHasSecret(config.authMethod);
  if (!hasSecret) {
    const message = `Clients of the method ${config.authMethod} have no client secret.`;
    return reject("APP_WITHOUT_SECRET", message);
  }
  const changed = `project.application.config.${type}.secret.changed` as const;
  return accept({ app: [{ type: changed, payload: { clientSecretHash } }] });
}

interface NewSecret {
  readonly type: "oidc" | "api";
  readonly clientSecretHash: string;
}
