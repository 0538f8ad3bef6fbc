import type { HandlerContext } from "@connectrpc/connect";
import type {
  DeactivateAppRequest,
  ReactivateAppRequest,
  RegenerateAPIClientSecretRequest,
  RegenerateOIDCClientSecretRequest,
  RemoveAppRequest,
} from "../../../gen/iam/management/v1/app_change_pb.js";
import { app } from "../../domain/app/app.ts";
import {
  type AppFrame,
  type AppInProject,
  regenerateSecret,
  removeApp,
  switchApp,
} from "../../domain/app/change.ts";
import type { AppDecision } from "../../domain/app/create.ts";
import { project } from "../../domain/project.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { actorOf, callOf } from "../call.ts";
import { changedDetails } from "../details.ts";
import { type Service, written } from "../service.ts";

/** The handlers that take back or change applications. */
export function appChangeHandlers({ execute, random }: Service) {
  async function change(
    { projectId, appId }: { readonly projectId: string; readonly appId: string },
    context: HandlerContext,
    decide: (states: AppInProject, frame: AppFrame) => AppDecision,
  ) {
    const frame = { organization: callOf(context).organization, projectId };
    const outcome = await execute({
      ...actorOf(context),
      writes: { app: { noun: app, id: appId } },
      relies: { project: { noun: project, id: projectId } },
      decide: (states) => decide(states, frame),
    });
    return { details: changedDetails(written(outcome)) };
  }

  async function regenerate(
    request: RegenerateOIDCClientSecretRequest | RegenerateAPIClientSecretRequest,
    context: HandlerContext,
    type: "oidc" | "api",
  ) {
    const clientSecret = createClientSecret(random);
    const clientSecretHash = hashSecret(clientSecret);
    const changed = await change(request, context, (states, frame) =>
      regenerateSecret(states, { ...frame, type, clientSecretHash }),
    );
    return { ...changed, clientSecret };
  }

  return {
    removeApp: (request: RemoveAppRequest, context: HandlerContext) =>
      change(request, context, removeApp),

    deactivateApp: (request: DeactivateAppRequest, context: HandlerContext) =>
      change(request, context, (states, frame) =>
        switchApp(states, { ...frame, isInactive: true }),
      ),

    reactivateApp: (request: ReactivateAppRequest, context: HandlerContext) =>
      change(request, context, (states, frame) =>
        switchApp(states, { ...frame, isInactive: false }),
      ),

    regenerateOIDCClientSecret: (
      request: RegenerateOIDCClientSecretRequest,
      context: HandlerContext,
    ) => regenerate(request, context, "oidc"),

    regenerateAPIClientSecret: (
      request: RegenerateAPIClientSecretRequest,
      context: HandlerContext,
    ) => regenerate(request, context, "api"),
  };
}
