import { expect } from "@jest/globals";
import {
  OIDCAppType,
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
  OIDCTokenType,
  OIDCVersion,
} from "../../gen/iam/app/v1/app_pb.js";
import type { AddOIDCAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { type GivenOIDC, oidcRefused, oidcStored } from "./apps.ts";
import { granted } from "./stored.ts";

const { addOIDCApp } = ManagementService.method;
const { OIDC_RESPONSE_TYPE_CODE, OIDC_RESPONSE_TYPE_ID_TOKEN } = OIDCResponseType;
const { OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN } = OIDCResponseType;
const { OIDC_GRANT_TYPE_AUTHORIZATION_CODE, OIDC_GRANT_TYPE_IMPLICIT } = OIDCGrantType;
const { OIDC_GRANT_TYPE_REFRESH_TOKEN, OIDC_GRANT_TYPE_DEVICE_CODE } = OIDCGrantType;
const { OIDC_APP_TYPE_WEB, OIDC_APP_TYPE_USER_AGENT, OIDC_APP_TYPE_NATIVE } = OIDCAppType;
const { OIDC_AUTH_METHOD_TYPE_BASIC, OIDC_AUTH_METHOD_TYPE_POST } = OIDCAuthMethodType;
const { OIDC_AUTH_METHOD_TYPE_NONE, OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT } = OIDCAuthMethodType;
const { OIDC_TOKEN_TYPE_BEARER, OIDC_TOKEN_TYPE_JWT } = OIDCTokenType;
const undefinedNumber = Number("99");
const negativeNumber = Number("-1");

runCases("AddOIDCApp", [
  oidcStored("stores the defaults where nothing is said", {}, {}),
  oidcStored("stores a web application", { appType: OIDC_APP_TYPE_WEB }, { appType: "WEB" }),
  oidcStored(
    "stores a browser one",
    { appType: OIDC_APP_TYPE_USER_AGENT },
    { appType: "USER_AGENT" },
  ),
  oidcStored("stores a native one", { appType: OIDC_APP_TYPE_NATIVE }, { appType: "NATIVE" }),
  oidcStored("stores version 1.0", { version: OIDCVersion.OIDC_VERSION_1_0 }, { version: "1.0" }),
  oidcStored(
    "stores opaque access tokens",
    { accessTokenType: OIDC_TOKEN_TYPE_BEARER },
    { accessTokenType: "BEARER" },
  ),
  oidcStored(
    "stores JWT access tokens",
    { accessTokenType: OIDC_TOKEN_TYPE_JWT },
    { accessTokenType: "JWT" },
  ),
  flag("devMode"),
  flag("accessTokenRoleAssertion"),
  flag("idTokenRoleAssertion"),
  flag("idTokenUserinfoAssertion"),
  flag("skipNativeAppSuccessPage"),
  oidcStored(
    "stores where it is told of logouts",
    { backChannelLogoutUri: " https://app.example.com/logout?a=b " },
    { backChannelLogoutUri: "https://app.example.com/logout?a=b" },
  ),

  secretOf("basic", OIDC_AUTH_METHOD_TYPE_BASIC, "BASIC", /^[\w-]{43}$/),
  secretOf("post", OIDC_AUTH_METHOD_TYPE_POST, "POST", /^[\w-]{43}$/),
  secretOf("none", OIDC_AUTH_METHOD_TYPE_NONE, "NONE", /^$/),
  secretOf("JWT", OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT, "PRIVATE_KEY_JWT", /^$/),

  oidcStored(
    "stores every response type and grant in the given order",
    {
      responseTypes: [
        OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN,
        OIDC_RESPONSE_TYPE_CODE,
        OIDC_RESPONSE_TYPE_ID_TOKEN,
      ],
      grantTypes: [
        OIDC_GRANT_TYPE_DEVICE_CODE,
        OIDC_GRANT_TYPE_REFRESH_TOKEN,
        OIDC_GRANT_TYPE_IMPLICIT,
        OIDC_GRANT_TYPE_AUTHORIZATION_CODE,
      ],
    },
    {
      responseTypes: ["ID_TOKEN_TOKEN", "CODE", "ID_TOKEN"],
      grantTypes: ["DEVICE_CODE", "REFRESH_TOKEN", "IMPLICIT", "AUTHORIZATION_CODE"],
    },
  ),
  oidcStored(
    "folds doubles in both",
    {
      responseTypes: [OIDC_RESPONSE_TYPE_ID_TOKEN, OIDC_RESPONSE_TYPE_ID_TOKEN],
      grantTypes: [OIDC_GRANT_TYPE_IMPLICIT, OIDC_GRANT_TYPE_IMPLICIT],
    },
    { responseTypes: ["ID_TOKEN"], grantTypes: ["IMPLICIT"] },
  ),

  oidcRefused(
    "refuses an undefined response type at its place",
    { responseTypes: [OIDC_RESPONSE_TYPE_CODE, undefinedNumber, negativeNumber] },
    ["response_types[1]", "response_types[2]"],
  ),
  oidcRefused(
    "refuses an undefined grant at its place",
    { grantTypes: [OIDC_GRANT_TYPE_AUTHORIZATION_CODE, undefinedNumber] },
    ["grant_types[1]"],
  ),
  oidcRefused(
    "lists everything that the contract forbids at once",
    { name: "", appType: undefinedNumber, version: undefinedNumber },
    ["name", "app_type", "version"],
  ),
  oidcRefused(
    "lists everything that the settings break at once",
    {
      name: " ",
      redirectUris: ["no"],
      postLogoutRedirectUris: ["no"],
      additionalOrigins: ["no"],
      responseTypes: [OIDC_RESPONSE_TYPE_ID_TOKEN],
      clockSkew: { seconds: 6n },
    },
    [
      "name",
      "redirect_uris[0]",
      "post_logout_redirect_uris[0]",
      "clock_skew",
      "additional_origins[0]",
      "response_types",
    ],
  ),

  row("gives every application ids and a secret of its own", addOIDCApp, async (world) => {
    const { project, unique } = world;
    const before = { projectId: project, name: `${unique} before` };
    const first = granted<AddOIDCAppResponse>(await world.call(addOIDCApp, before));
    return {
      request: { projectId: project, name: unique },
      expected: {
        ok({ appId, clientId, clientSecret }) {
          const ids = [appId, clientId, first.appId, first.clientId];
          expect(new Set([...ids, clientSecret, first.clientSecret]).size).toBe(6);
        },
      },
    };
  }),
]);

type Flag =
  | "devMode"
  | "accessTokenRoleAssertion"
  | "idTokenRoleAssertion"
  | "idTokenUserinfoAssertion"
  | "skipNativeAppSuccessPage";

function flag(field: Flag) {
  return oidcStored(`stores ${field}`, { [field]: true } satisfies GivenOIDC, { [field]: true });
}

/** That the log holds the secret's hash and nothing else of it, the payload as a whole shows. */
function secretOf(
  title: string,
  authMethodType: OIDCAuthMethodType,
  authMethod: "BASIC" | "POST" | "NONE" | "PRIVATE_KEY_JWT",
  form: RegExp,
) {
  const expected = (message: AddOIDCAppResponse) => expect(message.clientSecret).toMatch(form);
  return oidcStored(`stores ${title}`, { authMethodType }, { authMethod }, expected);
}
