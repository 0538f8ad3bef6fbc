import { OIDCAppType, OIDCAuthMethodType, OIDCGrantType } from "../../gen/iam/app/v1/app_pb.js";
import type { GivenOIDC } from "./apps.ts";

const { OIDC_GRANT_TYPE_AUTHORIZATION_CODE: code, OIDC_GRANT_TYPE_IMPLICIT: implicit } =
  OIDCGrantType;
const { OIDC_GRANT_TYPE_REFRESH_TOKEN: refresh, OIDC_GRANT_TYPE_DEVICE_CODE: device } =
  OIDCGrantType;
const none = { authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_NONE };
const native = { appType: OIDCAppType.OIDC_APP_TYPE_NATIVE, ...none };
const userAgent = { appType: OIDCAppType.OIDC_APP_TYPE_USER_AGENT, ...none };
const idToken = { responseTypes: [1] };

const https = "https://app.example.com/callback";
const http = "http://app.example.com/callback";
const loopback = "http://localhost:3000/callback";
const custom = "com.example.app:/callback";

/** The short keys in their order; `NotCompliant` first means that `noneCompliant` is true. */
export type ComplianceRow = readonly [
  what: string,
  given: GivenOIDC,
  problems: readonly string[],
  inDevMode: readonly string[],
];

const note = ["NotAllCombinationsAreAllowed"];
export const noUris = ["NotCompliant", "NoRedirectUris"];
const noRefresh = ["NotCompliant", "GrantType.Refresh.NoAuthCode"];
const implicitCustom = ["NotCompliant", "Implicit.RedirectUris.CustomNotAllowed"];
const implicitHttp = ["NotCompliant", "Implicit.RedirectUris.HttpNotAllowed"];
const codeHttp = ["NotCompliant", "Code.RedirectUris.HttpOnlyForWeb"];
const codeCustom = ["NotCompliant", "Code.RedirectUris.CustomOnlyForNative"];
const nativeHttp = ["NotCompliant", "Native.RedirectUris.MustBeHttpLocalhost"];
const nativeSecret = ["NotCompliant", "Native.AuthMethodType.NotNone"];
const userAgentSecret = ["NotCompliant", "UserAgent.AuthMethodType.NotNone"];

const both = { grantTypes: [code, implicit] };
const onlyImplicit = { grantTypes: [implicit], ...idToken };

/** Applications, and what is reported of each. */
export const complianceRows: readonly ComplianceRow[] = [
  ["a web application with https", { redirectUris: [https] }, [], []],
  ["a web application with http", { redirectUris: [http] }, [], []],
  ["no redirect URI", {}, noUris, noUris],
  ["the device grant alone", { grantTypes: [device] }, [], []],
  ["both code grants without a URI", { grantTypes: [device, code] }, noUris, noUris],
  [
    "refreshing without a code",
    { grantTypes: [refresh, implicit], ...idToken, redirectUris: [https] },
    noRefresh,
    noRefresh,
  ],
  [
    "refreshing without a code and without a URI",
    { grantTypes: [refresh, implicit], ...idToken },
    [...noUris, "GrantType.Refresh.NoAuthCode"],
    [...noUris, "GrantType.Refresh.NoAuthCode"],
  ],
  ["refreshing by a device", { grantTypes: [refresh, device] }, [], []],

  ["code and implicit, https", { ...both, redirectUris: [https] }, [], []],
  ["code and implicit, http", { ...both, redirectUris: [https, http] }, note, note],
  [
    "code and implicit, custom",
    { ...both, redirectUris: [custom] },
    implicitCustom,
    implicitCustom,
  ],
  [
    "code and implicit, http, user agent",
    { ...both, ...userAgent, redirectUris: [http] },
    codeHttp,
    note,
  ],
  [
    "code and implicit, http, native",
    { ...both, ...native, redirectUris: [http] },
    nativeHttp,
    note,
  ],
  [
    "code and implicit, loopback, native",
    { ...both, ...native, redirectUris: [loopback, custom] },
    note,
    note,
  ],
  [
    "code and implicit, everything wrong",
    { ...both, ...userAgent, redirectUris: [http, custom] },
    [...implicitCustom, "Code.RedirectUris.HttpOnlyForWeb"],
    implicitCustom,
  ],

  ["implicit, https", { ...onlyImplicit, redirectUris: [https] }, [], []],
  [
    "implicit, custom, native",
    { ...onlyImplicit, ...native, redirectUris: [custom] },
    implicitCustom,
    implicitCustom,
  ],
  ["implicit, http, web", { ...onlyImplicit, redirectUris: [loopback] }, implicitHttp, []],
  [
    "implicit, http, user agent",
    { ...onlyImplicit, ...userAgent, redirectUris: [http] },
    implicitHttp,
    [],
  ],
  ["implicit, http, native", { ...onlyImplicit, ...native, redirectUris: [http] }, nativeHttp, []],
  ["implicit, loopback, native", { ...onlyImplicit, ...native, redirectUris: [loopback] }, [], []],

  ["code, http, user agent", { ...userAgent, redirectUris: [loopback] }, codeHttp, []],
  ["code, http, native", { ...native, redirectUris: [loopback, http] }, nativeHttp, []],
  ["code, loopback, native", { ...native, redirectUris: [loopback, custom] }, [], []],
  ["code, custom, web", { redirectUris: [custom] }, codeCustom, codeCustom],
  [
    "code, http and custom, user agent",
    { ...userAgent, redirectUris: [http, custom] },
    [...codeHttp, "Code.RedirectUris.CustomOnlyForNative"],
    codeCustom,
  ],

  [
    "a native application with a secret",
    { ...native, authMethodType: 0, redirectUris: [https] },
    nativeSecret,
    nativeSecret,
  ],
  [
    "a browser application with a key",
    { ...userAgent, authMethodType: 3, redirectUris: [https] },
    userAgentSecret,
    userAgentSecret,
  ],
  [
    "a native application with the note and a secret",
    { ...native, ...both, authMethodType: 1, redirectUris: [custom] },
    ["NotCompliant", ...note, "Native.AuthMethodType.NotNone"],
    ["NotCompliant", ...note, "Native.AuthMethodType.NotNone"],
  ],
];
