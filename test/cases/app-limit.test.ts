import { OIDCGrantType, OIDCResponseType } from "../../gen/iam/app/v1/app_pb.js";
import { runCases, type World } from "../harness/cases.ts";
import { eitherApp, type GivenOIDC, oidcRefused, oidcStored } from "./apps.ts";

const { OIDC_RESPONSE_TYPE_CODE } = OIDCResponseType;
const { OIDC_GRANT_TYPE_AUTHORIZATION_CODE } = OIDCGrantType;

/** As many distinct URIs as asked for. */
function uris(count: number): string[] {
  return Array.from({ length: count }, (_none, index) => `https://a.example/${index}`);
}

/** A URI of exactly so many characters, each of them an emoji where it may be. */
function uriOf(characters: number, filler = "a"): string {
  const start = "https://a.example/";
  return start + filler.repeat(characters - start.length);
}

/** An origin of exactly so many characters; the host of a custom scheme has no limit of its own. */
function originOf(characters: number): string {
  const start = "myapp://";
  return start + "a".repeat(characters - start.length);
}

function origins(count: number): string[] {
  return Array.from({ length: count }, (_none, index) => `https://a${index}.example`);
}

runCases("limits of AddOIDCApp", [
  oidcStored("takes a name of 200 characters", { name: "n".repeat(200) }, {}),
  oidcStored("counts an emoji as one character of a name", { name: "😀".repeat(200) }, {}),
  oidcRefused("refuses a name of white space", { name: " \t\n\u00a0\u2003" }, ["name"]),
  oidcRefused("refuses a name of invisible characters", { name: "\u200b\u3164\ufeff" }, ["name"]),

  ...entries("redirect_uris", (count) => ({ redirectUris: uris(count) })),
  ...entries("post_logout_redirect_uris", (count) => ({ postLogoutRedirectUris: uris(count) })),
  ...entries("additional_origins", (count) => ({ additionalOrigins: origins(count) })),
  oidcStored("takes 100 response types", { responseTypes: codes(100) }, {}),
  oidcStored("takes 100 grants", { grantTypes: codeGrants(100) }, {}),

  ...characters("redirect_uris", (length) => ({ redirectUris: [uriOf(length)] })),
  ...characters("post_logout_redirect_uris", (length) => ({
    postLogoutRedirectUris: [uriOf(length)],
  })),
  ...characters("additional_origins", (length) => ({ additionalOrigins: [originOf(length)] })),
  ...characters("redirect_uris", (length) => ({ redirectUris: [uriOf(length, "😀")] }), "emoji"),
  oidcRefused("refuses a redirect URI with U+0000", { redirectUris: ["https://a.example/\0"] }, [
    "redirect_uris[0]",
  ]),
]);

runCases("limits of project ids", [
  ...eitherApp("looks for an id of 1 character", unknownProject("p")),
  ...eitherApp("looks for an id of 200 emoji", unknownProject("😀".repeat(200))),
]);

function unknownProject(projectId: string) {
  return ({ unique }: World) => ({
    request: { projectId, name: unique },
    expected: { code: 5, reason: "PROJECT_NOT_FOUND" },
  });
}

/** A list at its limit, which is stored whole, and one past it. */
function entries(field: string, given: (count: number) => GivenOIDC) {
  return [
    oidcStored(`takes 100 entries of ${field}`, given(100), given(100) as object),
    oidcRefused(`refuses 101 entries of ${field}`, given(101), [field]),
  ];
}

function characters(field: string, given: (length: number) => GivenOIDC, of = "characters") {
  return [
    oidcStored(`takes 2,048 ${of} in ${field}`, given(2_048), given(2_048) as object),
    oidcRefused(`refuses 2,049 ${of} in ${field}`, given(2_049), [`${field}[0]`]),
  ];
}

function codes(count: number): OIDCResponseType[] {
  return Array.from({ length: count }, () => OIDC_RESPONSE_TYPE_CODE);
}

function codeGrants(count: number): OIDCGrantType[] {
  return Array.from({ length: count }, () => OIDC_GRANT_TYPE_AUTHORIZATION_CODE);
}
