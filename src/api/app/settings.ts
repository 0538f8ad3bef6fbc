import type { UpdateOIDCAppConfigRequest } from "../../../gen/iam/management/v1/app_config_pb.js";
import type { AddOIDCAppRequest } from "../../../gen/iam/management/v1/app_pb.js";
import type { OIDCSettings } from "../../domain/app/app.ts";
import { type CompleteOIDCSettings, completeSettings } from "../../domain/app/create.ts";
import { toDuration, toNanos } from "../duration.ts";
import { appTypes, grantTypes, oidcAuthMethods, responseTypes, tokenTypes } from "./enums.ts";

/** The settings that a caller gives an OIDC application, complete. */
export function readSettings(
  request: AddOIDCAppRequest | UpdateOIDCAppConfigRequest,
): CompleteOIDCSettings {
  return completeSettings({
    redirectUris: request.redirectUris,
    responseTypes: request.responseTypes.map(responseTypes.read),
    grantTypes: request.grantTypes.map(grantTypes.read),
    appType: appTypes.read(request.appType),
    authMethod: oidcAuthMethods.read(request.authMethodType),
    postLogoutRedirectUris: request.postLogoutRedirectUris,
    version: "1.0",
    devMode: request.devMode,
    accessTokenType: tokenTypes.read(request.accessTokenType),
    accessTokenRoleAssertion: request.accessTokenRoleAssertion,
    idTokenRoleAssertion: request.idTokenRoleAssertion,
    idTokenUserinfoAssertion: request.idTokenUserinfoAssertion,
    clockSkewNanos: request.clockSkew === undefined ? 0 : toNanos(request.clockSkew),
    additionalOrigins: request.additionalOrigins,
    skipNativeAppSuccessPage: request.skipNativeAppSuccessPage,
    backChannelLogoutUri: request.backChannelLogoutUri,
  });
}

/** The settings of an OIDC application as callers see them, and give them. */
export function showSettings(settings: OIDCSettings) {
  return {
    redirectUris: [...settings.redirectUris],
    responseTypes: settings.responseTypes.map(responseTypes.show),
    grantTypes: settings.grantTypes.map(grantTypes.show),
    appType: appTypes.show(settings.appType),
    authMethodType: oidcAuthMethods.show(settings.authMethod),
    postLogoutRedirectUris: [...settings.postLogoutRedirectUris],
    devMode: settings.devMode,
    accessTokenType: tokenTypes.show(settings.accessTokenType),
    accessTokenRoleAssertion: settings.accessTokenRoleAssertion,
    idTokenRoleAssertion: settings.idTokenRoleAssertion,
    idTokenUserinfoAssertion: settings.idTokenUserinfoAssertion,
    clockSkew: toDuration(settings.clockSkewNanos),
    additionalOrigins: [...settings.additionalOrigins],
    skipNativeAppSuccessPage: settings.skipNativeAppSuccessPage,
    backChannelLogoutUri: settings.backChannelLogoutUri ?? "",
  };
}
