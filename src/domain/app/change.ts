import { accept, reject } from "../decision.ts";
import { isIn, type ProjectState, projectNotFound } from "../project.ts";
import { refusalOfStatus } from "../status.ts";
import { type AppState, apiHasSecret, oidcHasSecret } from "./app.ts";
import type { AppDecision } from "./create.ts";

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

export function removeApp(states: AppInProject, frame: AppFrame): AppDecision {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  return accept({ app: [{ type: "project.application.removed", payload: {} }] });
}

export function switchApp(
  states: AppInProject,
  { isInactive, ...frame }: AppFrame & { readonly isInactive: boolean },
): AppDecision {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  const type = isInactive ? "project.application.deactivated" : "project.application.reactivated";
  return refusalOfStatus(found.app, isInactive) ?? accept({ app: [{ type, payload: {} }] });
}

/** Gives the application another client secret; the one before is worth nothing from then on. */
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

/** The application where it lies in the project, and that in the organization. */
export function findApp({ app, project }: AppInProject, { organization, projectId }: AppFrame) {
  if (!isIn(project, organization)) return { kind: "refused", refusal: projectNotFound() } as const;
  if (app?.projectId !== projectId) {
    const refusal = reject("APP_NOT_FOUND", "The project has no application with this id.");
    return { kind: "refused", refusal } as const;
  }
  return { kind: "found", app } as const;
}
