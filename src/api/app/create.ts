import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  APIAuthMethodType,
  OIDCAppType,
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
  OIDCTokenType,
} from "../../../gen/iam/app/v1/app_pb.js";
import type {
  AddAPIAppRequest,
  AddAPIAppResponseSchema,
  AddOIDCAppRequest,
  AddOIDCAppResponseSchema,
} from "../../../gen/iam/management/v1/app_pb.js";
import {
  type APIAuthMethod,
  type AppType,
  apiHasSecret,
  app,
  type GrantType,
  type OIDCAuthMethod,
  type OIDCSettings,
  oidcHasSecret,
  type ResponseType,
  type OIDCTokenType as TokenType,
} from "../../domain/app/app.ts";
import { addAPIApp, addOIDCApp, completed, type NewApp } from "../../domain/app/create.ts";
import { project } from "../../domain/project.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { actorOf, callOf } from "../call.ts";
import { createdDetails } from "../details.ts";
import { nanosOf } from "../duration.ts";
import { type Service, written } from "../service.ts";
import { complianceMessage } from "./compliance-texts.ts";

/** The handlers on applications. */
export function appHandlers(service: Service) {
  return {
    async addOIDCApp(
      request: AddOIDCAppRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddOIDCAppResponseSchema>> {
      const { acceptLanguage } = callOf(context);
      const settings = completed(oidcSettings(request));
      const fresh = freshApp(service, request, context);
      const outcome = await service.execute({
        ...fresh.command,
        decide: (states) => addOIDCApp(states, fresh.app, settings),
      });

      const details = createdDetails(written(outcome));
      return {
        appId: fresh.appId,
        details,
        clientId: fresh.app.clientId,
        clientSecret: oidcHasSecret(settings.authMethod) ? fresh.clientSecret : "",
        ...complianceMessage(settings, acceptLanguage),
      };
    },

    async addAPIApp(
      request: AddAPIAppRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddAPIAppResponseSchema>> {
      const authMethod = apiAuthMethods[request.authMethodType];
      const fresh = freshApp(service, request, context);
      const outcome = await service.execute({
        ...fresh.command,
        decide: (states) => addAPIApp(states, fresh.app, authMethod),
      });
      return {
        appId: fresh.appId,
        details: createdDetails(written(outcome)),
        clientId: fresh.app.clientId,
        clientSecret: apiHasSecret(authMethod) ? fresh.clientSecret : "",
      };
    },
  };
}

/** The ids and the secret of a new application, and the streams that creating it takes. */
function freshApp(
  { newId, random }: Service,
  { projectId, name }: { readonly projectId: string; readonly name: string },
  context: HandlerContext,
) {
  const { organization } = callOf(context);
  const appId = newId();
  const clientSecret = createClientSecret(random);
  const created: NewApp = {
    organization,
    projectId,
    name,
    clientId: newId(),
    clientSecretHash: hashSecret(clientSecret),
  };
  return {
    appId,
    clientSecret,
    app: created,
    command: {
      ...actorOf(context),
      writes: { app: { noun: app, id: appId, owner: organization } },
      relies: { project: { noun: project, id: projectId } },
    },
  };
}

function oidcSettings(request: AddOIDCAppRequest): OIDCSettings {
  return {
    redirectUris: request.redirectUris,
    responseTypes: request.responseTypes.map((type) => responseTypes[type]),
    grantTypes: request.grantTypes.map((type) => grantTypes[type]),
    appType: appTypes[request.appType],
    authMethod: oidcAuthMethods[request.authMethodType],
    postLogoutRedirectUris: request.postLogoutRedirectUris,
    version: "1.0",
    devMode: request.devMode,
    accessTokenType: tokenTypes[request.accessTokenType],
    accessTokenRoleAssertion: request.accessTokenRoleAssertion,
    idTokenRoleAssertion: request.idTokenRoleAssertion,
    idTokenUserinfoAssertion: request.idTokenUserinfoAssertion,
    clockSkewNanos: request.clockSkew === undefined ? 0 : nanosOf(request.clockSkew),
    additionalOrigins: request.additionalOrigins,
    skipNativeAppSuccessPage: request.skipNativeAppSuccessPage,
  };
}

const responseTypes: { readonly [type in OIDCResponseType]: ResponseType } = {
  [OIDCResponseType.OIDC_RESPONSE_TYPE_CODE]: "CODE",
  [OIDCResponseType.OIDC_RESPONSE_TYPE_ID_TOKEN]: "ID_TOKEN",
  [OIDCResponseType.OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN]: "ID_TOKEN_TOKEN",
};

const grantTypes: { readonly [type in OIDCGrantType]: GrantType } = {
  [OIDCGrantType.OIDC_GRANT_TYPE_AUTHORIZATION_CODE]: "AUTHORIZATION_CODE",
  [OIDCGrantType.OIDC_GRANT_TYPE_IMPLICIT]: "IMPLICIT",
  [OIDCGrantType.OIDC_GRANT_TYPE_REFRESH_TOKEN]: "REFRESH_TOKEN",
  [OIDCGrantType.OIDC_GRANT_TYPE_DEVICE_CODE]: "DEVICE_CODE",
};

const appTypes: { readonly [type in OIDCAppType]: AppType } = {
  [OIDCAppType.OIDC_APP_TYPE_WEB]: "WEB",
  [OIDCAppType.OIDC_APP_TYPE_USER_AGENT]: "USER_AGENT",
  [OIDCAppType.OIDC_APP_TYPE_NATIVE]: "NATIVE",
};

const oidcAuthMethods: { readonly [type in OIDCAuthMethodType]: OIDCAuthMethod } = {
  [OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_BASIC]: "BASIC",
  [OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_POST]: "POST",
  [OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_NONE]: "NONE",
  [OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT]: "PRIVATE_KEY_JWT",
};

const tokenTypes: { readonly [type in OIDCTokenType]: TokenType } = {
  [OIDCTokenType.OIDC_TOKEN_TYPE_BEARER]: "BEARER",
  [OIDCTokenType.OIDC_TOKEN_TYPE_JWT]: "JWT",
};

const apiAuthMethods: { readonly [type in APIAuthMethodType]: APIAuthMethod } = {
  [APIAuthMethodType.API_AUTH_METHOD_TYPE_BASIC]: "BASIC",
  [APIAuthMethodType.API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT]: "PRIVATE_KEY_JWT",
};
