import type { HandlerContext } from "@connectrpc/connect";
import { apiHasSecret, app, oidcHasSecret } from "../../domain/app/app.ts";
import { addAPIApp, addOIDCApp } from "../../domain/app/create.ts";
import { project } from "../../domain/project.ts";
import type { Written } from "../../execute/command.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { callOf } from "../call.ts";
import { createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { perform, type Service } from "../service.ts";
import { complianceMessage } from "./compliance-texts.ts";
import { apiAuthMethods } from "./enums.ts";
import { readSettings } from "./settings.ts";

/** The handlers that create clients. */
export function appHandlers(service: Service) {
  return {
    async addOIDCApp(request, context) {
      const settings = readSettings(request);
      const fresh = freshApp(service, request, context);
      return await perform(service, context, {
        ...fresh.command,
        decide: (states) => addOIDCApp(states, fresh.app, settings),
        answer: (written) => ({
          ...fresh.answer(written, oidcHasSecret(settings.authMethod)),
          ...complianceMessage(settings, callOf(context).acceptLanguage),
        }),
      });
    },

    async addAPIApp(request, context) {
      const authMethod = apiAuthMethods.read(request.authMethodType);
      const fresh = freshApp(service, request, context);
      return await perform(service, context, {
        ...fresh.command,
        decide: (states) => addAPIApp(states, fresh.app, authMethod),
        answer: (written) => fresh.answer(written, apiHasSecret(authMethod)),
      });
    },
  } satisfies Handlers;
}

/** A new application with its ids and secret, what is answered of it, and the streams it takes. */
function freshApp(
  { newId, random }: Service,
  { projectId, name }: { readonly projectId: string; readonly name: string },
  context: HandlerContext,
) {
  const { organization } = callOf(context);
  const appId = newId();
  const clientSecret = createClientSecret(random);
  const clientSecretHash = hashSecret(clientSecret);
  const clientId = newId();
  return {
    app: { organization, projectId, name, clientId, clientSecretHash },
    answer: (written: Written, hasSecret: boolean) => ({
      ...{ appId, clientId, details: createdDetails(written) },
      clientSecret: hasSecret ? clientSecret : "",
    }),
    command: {
      writes: { app: { noun: app, id: appId, owner: organization, isNew: true } },
      relies: { project: { noun: project, id: projectId } },
    },
  };
}
