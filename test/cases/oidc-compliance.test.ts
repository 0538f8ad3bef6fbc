import { expect } from "@jest/globals";
import { OIDCAppType, OIDCAuthMethodType, OIDCGrantType } from "../../gen/iam/app/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { complianceText } from "../../src/api/app/compliance-texts.ts";
import type { ProblemKey } from "../../src/domain/oidc-compliance.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import type { GivenOIDC } from "./apps.ts";

const { addOIDCApp } = ManagementService.method;
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
type Row = readonly [
  what: string,
  given: GivenOIDC,
  problems: readonly string[],
  inDevMode: readonly string[],
];

const note = ["NotAllCombinationsAreAllowed"];
const noUris = ["NotCompliant", "NoRedirectUris"];
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

const rows: readonly Row[] = [
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

runCases("OIDC compliance", [
  ...rows.map(([what, given, problems]) => reports(what, given, problems)),
  ...rows.map(([what, given, _problems, inDevMode]) =>
    reports(`${what}, in development mode`, { ...given, devMode: true }, inDevMode),
  ),
]);

const oneClient = {
  clients: ["json"],
  because: "the header is read once, by the gate that stands before every protocol",
} as const;

runCases("languages of compliance", [
  speaks({}, "en"),
  speaks({ "accept-language": "" }, "en"),
  speaks({ "accept-language": "de" }, "de"),
  speaks({ "accept-language": "DE-at" }, "de"),
  speaks({ "accept-language": "fr-CH" }, "fr"),
  speaks({ "accept-language": "ja, es;q=0.3, it;q=0.5" }, "it"),
  speaks({ "accept-language": "ja" }, "en"),
  speaks({ "accept-language": "*" }, "en"),
  speaks({ "accept-language": ";;q=,=" }, "en"),
]);

function reports(what: string, given: GivenOIDC, problems: readonly string[]): Case {
  return row(what, addOIDCApp, ({ project, unique }) => ({
    request: { projectId: project, name: unique, ...given },
    expected: {
      ok({ noneCompliant, complianceProblems }) {
        expect(complianceProblems.map(({ key }) => key)).toEqual(problems.map(keyOf));
        // Present even where it is false.
        expect(noneCompliant).toBe(problems[0] === "NotCompliant");
        const texts = complianceProblems.map(({ localizedMessage }) => localizedMessage);
        expect(texts).toEqual(problems.map((problem) => complianceText(keyOf(problem), "en")));
      },
    },
  }));
}

function speaks(headers: { readonly [name: string]: string }, language: "en" | "de" | "fr" | "it") {
  return row(
    `${JSON.stringify(headers)} reads ${language}`,
    addOIDCApp,
    ({ project, unique }) => ({
      request: { projectId: project, name: unique },
      headers,
      expected: {
        ok({ complianceProblems }) {
          const expected = noUris.map((problem) => complianceText(keyOf(problem), language));
          const texts = complianceProblems.map(({ localizedMessage }) => localizedMessage);
          expect(texts).toEqual(expected);
        },
      },
    }),
    oneClient,
  );
}

function keyOf(problem: string): ProblemKey {
  return `Application.OIDC.V1.${problem}` as ProblemKey;
}
