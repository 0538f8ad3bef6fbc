import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  APIAuthMethodType,
  type App,
  type AppQuery,
  AppSchema,
  AppState,
  OIDCAppType,
  OIDCAuthMethodType,
  type OIDCConfig,
  OIDCConfigSchema,
  OIDCGrantType,
  OIDCResponseType,
  OIDCTokenType,
  OIDCVersion,
} from "../../../gen/iam/app/v1/app_pb.js";
import type {
  GetAppByIDRequest,
  GetAppByIDResponseSchema,
  ListAppsRequest,
  ListAppsResponseSchema,
} from "../../../gen/iam/management/v1/app_search_pb.js";
import { app, type OIDCConfig as Config, type AppState as State } from "../../domain/app/app.ts";
import { findApp } from "../../domain/app/change.ts";
import { existing } from "../../domain/noun.ts";
import { isIn, project, projectNotFound } from "../../domain/project.ts";
import { originOf } from "../../domain/uri.ts";
import type { Filter } from "../../store/query.ts";
import { type Call, callOf, refusalOf } from "../call.ts";
import { readDetails } from "../details.ts";
import { durationOf } from "../duration.ts";
import { allOf, type Found, findObject, listPage, textFilter, unknownQuery } from "../listing.ts";
import type { Service } from "../service.ts";
import { complianceMessage } from "./compliance-texts.ts";

/** The handlers that read applications. */
export function appReadHandlers(service: Service) {
  return {
    async getAppByID(
      { projectId, appId }: GetAppByIDRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof GetAppByIDResponseSchema>> {
      const call = callOf(context);
      const frame = { organization: call.organization, projectId };
      const [stored, within] = await Promise.all([
        findObject(service, app, appId),
        findObject(service, project, projectId),
      ]);
      const found = findApp({ app: stored?.state, project: within?.state }, frame);
      if (found.kind === "refused") throw refusalOf(found.refusal);
      return { app: appOf({ ...existing(stored), state: found.app }, call, "whole") };
    },

    async listApps(
      { projectId, query, queries }: ListAppsRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof ListAppsResponseSchema>> {
      const call = callOf(context);
      const within = await findObject(service, project, projectId);
      if (!isIn(within?.state, call.organization)) throw refusalOf(projectNotFound());
      const list = { parents: [projectId], where: allOf(queries.map(filterOf)) };
      const { details, objects } = await listPage(service, app, list, query);
      return { details, result: objects.map((one) => appOf(one, call, "listed")) };
    },
  };
}

/** An application as callers see it; the metadata of many would make a list too long. */
function appOf({ id, stored, state }: Found<State>, call: Call, as: "whole" | "listed"): App {
  return create(AppSchema, {
    id,
    details: readDetails(stored),
    state: state.isInactive ? AppState.INACTIVE : AppState.ACTIVE,
    name: state.name,
    config: configOf(state.config, call, as),
  });
}

function configOf(config: State["config"], call: Call, as: "whole" | "listed") {
  switch (config?.kind) {
    case "oidc":
      return { case: "oidcConfig", value: oidcConfigOf(config, call) } as const;
    case "api": {
      const authMethodType = APIAuthMethodType[`API_AUTH_METHOD_TYPE_${config.authMethod}`];
      return { case: "apiConfig", value: { clientId: config.clientId, authMethodType } } as const;
    }
    case "saml":
      return { case: "samlConfig", value: { metadata: metadataOf(config, as) } } as const;
    default:
      return { case: undefined } as const;
  }
}

function metadataOf(
  { metadataUrl, metadataXml }: { readonly metadataUrl?: string; readonly metadataXml: string },
  as: "whole" | "listed",
) {
  if (metadataUrl !== undefined) return { case: "metadataUrl", value: metadataUrl } as const;
  if (as === "listed") return { case: undefined } as const;
  return { case: "metadataXml", value: new TextEncoder().encode(metadataXml) } as const;
}

function oidcConfigOf(config: Config, { acceptLanguage }: Call): OIDCConfig {
  return create(OIDCConfigSchema, {
    redirectUris: [...config.redirectUris],
    responseTypes: config.responseTypes.map(
      (type) => OIDCResponseType[`OIDC_RESPONSE_TYPE_${type}`],
    ),
    grantTypes: config.grantTypes.map((type) => OIDCGrantType[`OIDC_GRANT_TYPE_${type}`]),
    appType: OIDCAppType[`OIDC_APP_TYPE_${config.appType}`],
    clientId: config.clientId,
    authMethodType: OIDCAuthMethodType[`OIDC_AUTH_METHOD_TYPE_${config.authMethod}`],
    postLogoutRedirectUris: [...config.postLogoutRedirectUris],
    version: OIDCVersion.OIDC_VERSION_1_0,
    ...complianceMessage(config, acceptLanguage),
    devMode: config.devMode,
    accessTokenType: OIDCTokenType[`OIDC_TOKEN_TYPE_${config.accessTokenType}`],
    accessTokenRoleAssertion: config.accessTokenRoleAssertion,
    idTokenRoleAssertion: config.idTokenRoleAssertion,
    idTokenUserinfoAssertion: config.idTokenUserinfoAssertion,
    clockSkew: durationOf(config.clockSkewNanos),
    additionalOrigins: [...config.additionalOrigins],
    allowedOrigins: [
      ...new Set([...config.redirectUris.flatMap(originOf), ...config.additionalOrigins]),
    ],
    skipNativeAppSuccessPage: config.skipNativeAppSuccessPage,
  });
}

function filterOf({ query }: AppQuery): Filter {
  if (query.case !== "nameQuery") throw unknownQuery();
  return textFilter("name", query.value.name, query.value.method);
}
