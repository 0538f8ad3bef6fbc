import {
  APIAuthMethodType,
  OIDCAppType,
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
  OIDCTokenType,
} from "../../../gen/iam/app/v1/app_pb.js";
import { enumNames } from "../enum.ts";

/** The response types of OIDC clients. */
export const responseTypes = enumNames(OIDCResponseType, "OIDC_RESPONSE_TYPE_");
/** The grants of OIDC clients. */
export const grantTypes = enumNames(OIDCGrantType, "OIDC_GRANT_TYPE_");
/** The kinds of OIDC applications. */
export const appTypes = enumNames(OIDCAppType, "OIDC_APP_TYPE_");
/** The ways in which OIDC clients prove themselves. */
export const oidcAuthMethods = enumNames(OIDCAuthMethodType, "OIDC_AUTH_METHOD_TYPE_");
/** The forms of access tokens of OIDC clients. */
export const tokenTypes = enumNames(OIDCTokenType, "OIDC_TOKEN_TYPE_");
/** The ways in which API clients prove themselves. */
export const apiAuthMethods = enumNames(APIAuthMethodType, "API_AUTH_METHOD_TYPE_");
