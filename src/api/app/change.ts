import type { HandlerContext } from "@connectrpc/connect";
import {
  type AppDecision,
  type AppEvent,
  type AppFrame,
  type AppInProject,
  app,
} from "../../domain/app/app.ts";
import {
  addRedirectUri,
  configureApp,
  regenerateSecret,
  removeApp,
  removeRedirectUri,
  renameApp,
  switchApp,
} from "../../domain/app/change.ts";
import { project } from "../../domain/project.ts";
import type { Written } from "../../execute/command.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { callOf } from "../call.ts";
import { decideWhole } from "../changing.ts";
import { changedDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { perform, type Service } from "../service.ts";
import { complianceMessage } from "./compliance-texts.ts";
import { apiAuthMethods } from "./enums.ts";
import { readSettings, showSettings } from "./settings.ts";

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
    return await change(request, context, decide, () => ({ clientSecret }));
  }

  return {
    updateApp: (request, context) =>
      change(request, context, (states, frame) =>
        renameApp(states, { ...frame, name: request.name }),
      ),
    updateOIDCAppConfig: (request, context) => {
      const decide = (states: AppInProject, frame: AppFrame) => {
        const { config } = states.app ?? {};
        const current = config?.kind === "oidc" ? showSettings(config) : undefined;
        return decideWhole(request, context, current, (whole) =>
          configureApp(states, frame, "oidc", readSettings(whole)),
        );
      };
      return change(request, context, decide, complianceIn(context));
    },
    updateAPIAppConfig: (request, context) => {
      const authMethod = apiAuthMethods.read(request.authMethodType);
      return change(request, context, (states, frame) =>
        configureApp(states, frame, "api", { authMethod }),
      );
    },
    addRedirectURI: ({ uri, ...ids }, context) =>
      change(
        ids,
        context,
        (states, frame) => addRedirectUri(states, { ...frame, uri: uri.trim() }),
        complianceIn(context),
      ),
    removeRedirectURI: ({ uri, ...ids }, context) =>
      change(ids, context, (states, frame) =>
        removeRedirectUri(states, { ...frame, uri: uri.trim() }),
      ),
    removeApp: (request, context) => change(request, context, removeApp),
    deactivateApp: (request, context) => switchTo(true, request, context),
    reactivateApp: (request, context) => switchTo(false, request, context),
    regenerateOIDCClientSecret: (request, context) => regenerate("oidc", request, context),
    regenerateAPIClientSecret: (request, context) => regenerate("api", request, context),
  } satisfies Handlers;
}

/** What is answered of the compliance of an OIDC application that was changed. */
function complianceIn(context: HandlerContext) {
  return ({ events }: Pick<Written, "events">) => {
    const [changed] = events as readonly AppEvent[];
    if (changed?.type !== "project.application.config.oidc.changed") {
      throw new TypeError("the settings of an OIDC application were not changed");
    }
    return complianceMessage(changed.payload, callOf(context).acceptLanguage);
  };
}

/** Changes applications as is decided; answers the details of that, and what is made of it. */
export function changeOfApps(service: Pick<Service, "execute">) {
  return async <More extends object>(
    { projectId, appId }: AppIds,
    context: HandlerContext,
    decide: (states: AppInProject, frame: AppFrame) => AppDecision,
    more?: (written: Written) => More,
  ) => {
    const frame = { organization: callOf(context).organization, projectId };
    return await perform(service, context, {
      ...commandOn({ projectId, appId }),
      decide: (states) => decide(states, frame),
      answer: (written) => ({ details: changedDetails(written), ...more?.(written) }),
    });
  };
}

/** The part of a command that changes an application, but for the decision. */
export function commandOn({ projectId, appId }: AppIds) {
  return {
    writes: { app: { noun: app, id: appId } },
    relies: { project: { noun: project, id: projectId } },
  };
}
