import type { HandlerContext } from "@connectrpc/connect";
import { type AppDecision, type AppFrame, type AppInProject, app } from "../../domain/app/app.ts";
import {
  regenerateSecret,
  removeApp,
  renameApp,
  switchApp,
  updateOIDCApp,
} from "../../domain/app/change.ts";
import { project } from "../../domain/project.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { actorOf, callOf } from "../call.ts";
import { changedDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { requireAnswer, type Service } from "../service.ts";
import { complianceMessage } from "./compliance-texts.ts";
import { readSettings } from "./settings.ts";

/** How a request names an application. */
export interface AppIds {
  readonly projectId: string;
  readonly appId: string;
}

/** The handlers that take back or change applications. */
export function appChangeHandlers(service: Service) {
  const change = changeOfApps(service);

  function switchTo(isInactive: boolean, request: AppIds, context: HandlerContext) {
    return change(request, context, (states, frame) => switchApp(states, { ...frame, isInactive }));
  }

  async function regenerate(type: "oidc" | "api", request: AppIds, context: HandlerContext) {
    const clientSecret = createClientSecret(service.random);
    const clientSecretHash = hashSecret(clientSecret);
    const decide = (states: AppInProject, frame: AppFrame) =>
      regenerateSecret(states, { ...frame, type, clientSecretHash });
    return await change(request, context, decide, { clientSecret });
  }

  return {
    updateApp: (request, context) =>
      change(request, context, (states, frame) =>
        renameApp(states, { ...frame, name: request.name }),
      ),
    updateOIDCAppConfig: (request, context) => {
      const settings = readSettings(request);
      const decide = (states: AppInProject, frame: AppFrame) =>
        updateOIDCApp(states, frame, settings);
      const compliance = complianceMessage(settings, callOf(context).acceptLanguage);
      return change(request, context, decide, compliance);
    },
    removeApp: (request, context) => change(request, context, removeApp),
    deactivateApp: (request, context) => switchTo(true, request, context),
    reactivateApp: (request, context) => switchTo(false, request, context),
    regenerateOIDCClientSecret: (request, context) => regenerate("oidc", request, context),
    regenerateAPIClientSecret: (request, context) => regenerate("api", request, context),
  } satisfies Handlers;
}

/** Changes applications as is decided; answers the details of that, and what else is given. */
export function changeOfApps({ execute }: Pick<Service, "execute">) {
  return async <More extends object>(
    { projectId, appId }: AppIds,
    context: HandlerContext,
    decide: (states: AppInProject, frame: AppFrame) => AppDecision,
    more?: More,
  ) => {
    const frame = { organization: callOf(context).organization, projectId };
    const outcome = await execute({
      ...commandOn({ projectId, appId }, context),
      decide: (states) => decide(states, frame),
      answer: (written) => ({ details: changedDetails(written), ...more }),
    });
    return requireAnswer(outcome);
  };
}

/** The part of a command that changes an application, but for the decision. */
export function commandOn({ projectId, appId }: AppIds, context: HandlerContext) {
  return {
    ...actorOf(context),
    writes: { app: { noun: app, id: appId } },
    relies: { project: { noun: project, id: projectId } },
  };
}
