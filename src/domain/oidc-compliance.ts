import { isLoopback } from "../text/http-url.ts";
import type { AppType, GrantType, OIDCAuthMethod } from "./app/app.ts";

/**
 * How far an OIDC application keeps to the specifications (OIDC Core 1.0, RFC 6749, RFC 8252). Its
 * findings are reported to the creator of the application, and never refuse.
 */
export interface Compliance {
  readonly noneCompliant: boolean;
  /** The keys of the problems, in a fixed order. */
  readonly problems: readonly ProblemKey[];
}

const prefix = "Application.OIDC.V1.";

/** The key of a problem, which clients match on. */
export type ProblemKey = `${typeof prefix}${Problem}`;

type Problem =
  | "NotCompliant"
  | "NoRedirectUris"
  | "NotAllCombinationsAreAllowed"
  | "GrantType.Refresh.NoAuthCode"
  | "Implicit.RedirectUris.CustomNotAllowed"
  | "Implicit.RedirectUris.HttpNotAllowed"
  | "Code.RedirectUris.HttpOnlyForWeb"
  | "Code.RedirectUris.CustomOnlyForNative"
  | "Native.RedirectUris.MustBeHttpLocalhost"
  | "Native.AuthMethodType.NotNone"
  | "UserAgent.AuthMethodType.NotNone";

/** The settings that compliance depends on, with defaults filled in. */
export interface ComplianceInput {
  readonly appType: AppType;
  readonly authMethod: OIDCAuthMethod;
  readonly grantTypes: readonly GrantType[];
  /** Each one parses as an absolute URI. */
  readonly redirectUris: readonly string[];
  /** Skips the rules on http, not those on custom schemes. */
  readonly devMode: boolean;
}

/** Finds out how far the settings keep to the specifications. */
export function checkCompliance(input: ComplianceInput): Compliance {
  const found = [...redirectProblems(input), ...authMethodProblems(input)];
  const problems = [...missingUris(input), ...refreshProblems(input), ...found];
  const noneCompliant = problems.some((problem) => problem !== "NotAllCombinationsAreAllowed");
  const listed: readonly Problem[] = noneCompliant ? ["NotCompliant", ...problems] : problems;
  return { noneCompliant, problems: listed.map((problem) => `${prefix}${problem}` as const) };
}

function refreshProblems({ grantTypes }: ComplianceInput): readonly Problem[] {
  const refreshes = grantTypes.includes("REFRESH_TOKEN");
  const hasCode = grantTypes.includes("AUTHORIZATION_CODE") || grantTypes.includes("DEVICE_CODE");
  return when(refreshes && !hasCode, "GrantType.Refresh.NoAuthCode");
}

function missingUris({ grantTypes, redirectUris }: ComplianceInput): readonly Problem[] {
  const needsNone =
    grantTypes.includes("DEVICE_CODE") && !grantTypes.includes("AUTHORIZATION_CODE");
  return when(redirectUris.length === 0 && !needsNone, "NoRedirectUris");
}

function redirectProblems(input: ComplianceInput): readonly Problem[] {
  const schemes = input.redirectUris.map(schemeOf);
  if (schemes.every((scheme) => scheme === "https:")) return [];

  const custom = schemes.some((scheme) => scheme !== "https:" && scheme !== "http:");
  const http = schemes.includes("http:") && !input.devMode;
  const remoteHttp = http && input.redirectUris.some(isRemoteHttp);
  const native = input.appType === "NATIVE";
  const userAgent = input.appType === "USER_AGENT";

  const implicit = input.grantTypes.includes("IMPLICIT");
  const code = input.grantTypes.includes("AUTHORIZATION_CODE");
  if (implicit && code) {
    const problems = [
      ...when(custom && !native, "Implicit.RedirectUris.CustomNotAllowed"),
      ...when(http && userAgent, "Code.RedirectUris.HttpOnlyForWeb"),
      ...when(remoteHttp && native, "Native.RedirectUris.MustBeHttpLocalhost"),
    ];
    return problems.length > 0 ? problems : ["NotAllCombinationsAreAllowed"];
  }
  if (implicit) {
    return [
      ...when(custom, "Implicit.RedirectUris.CustomNotAllowed"),
      ...when(remoteHttp && native, "Native.RedirectUris.MustBeHttpLocalhost"),
      ...when(http && !native, "Implicit.RedirectUris.HttpNotAllowed"),
    ];
  }
  if (code) {
    return [
      ...when(http && userAgent, "Code.RedirectUris.HttpOnlyForWeb"),
      ...when(remoteHttp && native, "Native.RedirectUris.MustBeHttpLocalhost"),
      ...when(custom && !native, "Code.RedirectUris.CustomOnlyForNative"),
    ];
  }
  return [];
}

/** The scheme, with its colon, of a URI that was accepted: to parse all of it takes far longer. */
function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(":") + 1).toLowerCase();
}

function authMethodProblems({ appType, authMethod }: ComplianceInput): readonly Problem[] {
  if (authMethod === "NONE") return [];
  return [
    ...when(appType === "NATIVE", "Native.AuthMethodType.NotNone"),
    ...when(appType === "USER_AGENT", "UserAgent.AuthMethodType.NotNone"),
  ];
}

function isRemoteHttp(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === "http:" && !isLoopback(hostname);
}

function when(condition: boolean, problem: Problem): readonly Problem[] {
  return condition ? [problem] : [];
}
