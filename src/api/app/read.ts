import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type AppQuery,
  AppSchema,
  AppState,
  OIDCConfigSchema,
  OIDCVersion,
} from "../../../gen/iam/app/v1/app_pb.js";
import {
  app,
  type OIDCConfig,
  refuseApp,
  type SAMLConfig,
  type AppState as State,
} from "../../domain/app/app.ts";
import { mustExist } from "../../domain/noun.ts";
import { project } from "../../domain/project.ts";
import { originOf } from "../../domain/uri.ts";
import { type Found, readObject } from "../../execute/read-object.ts";
import type { Filter } from "../../store/query.ts";
import { type Call, callOf, Refused } from "../call.ts";
import { readDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { assertKnownQuery, listPage, matchAll, matchText } from "../listing.ts";
import { requireProject } from "../project.ts";
import type { Service } from "../service.ts";
import type { AppIds } from "./change.ts";
import { complianceMessage } from "./compliance-texts.ts";
import { apiAuthMethods } from "./enums.ts";
import { showSettings } from "./settings.ts";

/** The handlers that read applications. */
export function appReadHandlers(service: Service) {
  return {
    async getAppByID({ projectId, appId }, context) {
      const found = await readApp(service, { projectId, appId }, context);
      return { app: showApp(found, callOf(context), "whole") };
    },

    async listApps({ projectId, query, queries }, context) {
      const call = callOf(context);
      await requireProject(service, projectId, context);
      const list = { parents: [projectId], where: matchAll(queries.map(readQuery)) };
      const { details, objects } = await listPage(service, context, app, list, query);
      return { details, result: objects.map((one) => showApp(one, call, "listed")) };
    },
  } satisfies Handlers;
}

/** The application of the project, where the call may see it. Throws `Refused` elsewhere. */
export async function readApp(
  service: Pick<Service, "store">,
  { projectId, appId }: AppIds,
  context: HandlerContext,
): Promise<Found<State>> {
  const { organization } = callOf(context);
  const [stored, within] = await Promise.all([
    readObject(service.store, app, appId),
    readObject(service.store, project, projectId),
  ]);
  const states = { app: stored?.state, project: within?.state };
  const refused = refuseApp(states, { organization, projectId });
  if (refused !== undefined) throw new Refused(refused.rejection);
  return mustExist(stored);
}

/** An application as callers see it; the metadata of many would make a list too long. */
function showApp({ id, stored, state }: Found<State>, call: Call, as: "whole" | "listed") {
  return create(AppSchema, {
    id,
    details: readDetails(stored),
    state: state.isInactive ? AppState.INACTIVE : AppState.ACTIVE,
    name: state.name,
    config: showConfig(state.config, call, as),
  });
}

function showConfig(config: State["config"], call: Call, as: "whole" | "listed") {
  switch (config?.kind) {
    case "oidc":
      return { case: "oidcConfig", value: showOIDCConfig(config, call) } as const;
    case "api": {
      const authMethodType = apiAuthMethods.show(config.authMethod);
      return { case: "apiConfig", value: { clientId: config.clientId, authMethodType } } as const;
    }
    case "saml":
      return {
        case: "samlConfig",
        value: { metadata: showMetadata(config, as), entityId: config.entityId },
      } as const;
    default:
      return { case: undefined } as const;
  }
}

function showMetadata({ metadataUrl, metadataXml }: SAMLConfig, as: "whole" | "listed") {
  if (metadataUrl !== undefined) return { case: "metadataUrl", value: metadataUrl } as const;
  if (as === "listed") return { case: undefined } as const;
  return { case: "metadataXml", value: new TextEncoder().encode(metadataXml) } as const;
}

function showOIDCConfig(config: OIDCConfig, { acceptLanguage }: Call) {
  return create(OIDCConfigSchema, {
    ...showSettings(config),
    clientId: config.clientId,
    version: OIDCVersion.OIDC_VERSION_1_0,
    ...complianceMessage(config, acceptLanguage),
    allowedOrigins: [
      ...new Set([...config.redirectUris.flatMap(originOf), ...config.additionalOrigins]),
    ],
  });
}

function readQuery({ query }: AppQuery): Filter {
  if (query.case !== "nameQuery") return assertKnownQuery();
  return matchText("name", query.value.name, query.value.method);
}
