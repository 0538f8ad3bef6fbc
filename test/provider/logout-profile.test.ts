import { generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Asked, createAsking, type Profile } from "./profile.ts";
import { type Parties, startParties } from "./relying.ts";

/**
 * The certification plan for logouts that an application begins, module by module; of that for
 * those that applications are told of, `logout.test.ts` has the other module.
 */

let parties: Parties;
let profile: Profile;

beforeAll(async () => {
  parties = await startParties();
  const app = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" });
  const person = await parties.givenPerson();
  profile = { parties, app, posting: app, person, mode: "query" };
});
afterAll(() => parties.close());

const bye = "https://app.example.com/bye";
const logouts: readonly (readonly [
  module: string,
  asked: (idToken: string) => Asked,
  end: string,
])[] = [
  [
    "oidcc-rp-initiated-logout",
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: bye, state: "s" }),
    `${bye}?state=s`,
  ],
  [
    "oidcc-rp-initiated-logout-no-state",
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: bye }),
    bye,
  ],
  [
    "oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
    (hint) => ({ id_token_hint: hint, state: "s" }),
    "You’re logged out",
  ],
  ["oidcc-rp-initiated-logout-no-params", () => ({}), "You’re logged out"],
  ["oidcc-rp-initiated-logout-only-state", () => ({ state: "s" }), "You’re logged out"],
  [
    "oidcc-rp-initiated-logout-no-id-token-hint",
    () => ({ post_logout_redirect_uri: bye, state: "s" }),
    "You’re logged out",
  ],
  [
    "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${bye}/other` }),
    "post_logout_redirect_uri not registered",
  ],
  [
    "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${bye}?x=1` }),
    "post_logout_redirect_uri not registered",
  ],
  [
    "oidcc-rp-initiated-logout-modified-id-token-hint",
    (hint) => ({ id_token_hint: unsigned(hint), post_logout_redirect_uri: bye }),
    "could not validate id_token_hint",
  ],
  [
    "oidcc-rp-initiated-logout-bad-id-token-hint",
    (hint) => ({ id_token_hint: signedByOthers(hint), post_logout_redirect_uri: bye }),
    "could not validate id_token_hint",
  ],
  [
    "a hint that is none",
    () => ({ id_token_hint: "bad", post_logout_redirect_uri: bye }),
    "could not decode id_token_hint",
  ],
];

/** The claims of a JWT in one that says that it is not signed. */
function unsigned(jwt: string): string {
  const [head = "", body = ""] = jwt.split(".");
  const header = JSON.parse(Buffer.from(head, "base64url").toString());
  const none = Buffer.from(JSON.stringify({ ...header, alg: "none" })).toString("base64url");
  return `${none}.${body}.`;
}

/** The same signed with a key that is not the service's. */
function signedByOthers(jwt: string): string {
  const [head = "", body = ""] = jwt.split(".");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const text = `${head}.${body}`;
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

describe("the plan RP-initiated logout", () => {
  test("oidcc-rp-initiated-logout-discovery-endpoint-verification", () => {
    const { url } = parties.server;
    const { end_session_endpoint: end } = profile.app.config.serverMetadata();
    expect(end).toBe(`${url}/oidc/v1/end_session`);
  });

  test("oidcc-backchannel-logout-discovery-endpoint-verification", () => {
    const found = profile.app.config.serverMetadata();
    const { backchannel_logout_supported, backchannel_logout_session_supported } = found;
    expect([backchannel_logout_supported, backchannel_logout_session_supported]).toEqual([
      ...[true, true],
    ]);
  });

  test.each(logouts)("%s", async (_module, asked, expected) => {
    const browser = parties.browser();
    const { ask, tokensOf } = createAsking(profile);
    const { id_token } = await tokensOf({}, { browser });
    const query = new URLSearchParams(asked(String(id_token)));
    await browser.open(`/oidc/v1/end_session?${query}`);
    const isRefused = browser.page.status >= 400;
    if (!isRefused) await browser.send({});
    const { url, text } = browser.page;
    if (expected.startsWith("https:")) expect(url).toBe(expected);
    else expect(text).toContain(expected);
    const silent = await ask({ prompt: "none" }, { browser });
    expect(silent.told.get("error")).toBe(isRefused ? null : "login_required");
  });
});

test("what comes as a form is what comes as an address (RP-Initiated Logout 1.0, 2)", async () => {
  const browser = parties.browser();
  const { ask, tokensOf } = createAsking(profile);
  const { id_token } = await tokensOf({}, { browser });
  const body = new URLSearchParams({ id_token_hint: String(id_token), state: "s" });
  const { url } = parties.server;
  const sent = { method: "POST", body, redirect: "manual" } as const;
  const { status, headers } = await fetch(`${url}/oidc/v1/end_session`, sent);
  expect(status).toBe(303);
  await browser.open(new URL(String(headers.get("location")), `${url}/oidc/v1/`).href);
  await browser.send({});
  expect(browser.page.text).toContain("You’re logged out");
  expect((await ask({ prompt: "none" }, { browser })).told.get("error")).toBe("login_required");
});

test("a person reads whether a login or a logout was refused, or is over", async () => {
  const browser = parties.browser({ accept: "text/html" });
  for (const [path, title] of [
    ["/oauth/v2/authorize?client_id=x", "This app can’t log you in"],
    ["/oidc/v1/end_session?client_id=x", "This app can’t log you out"],
    // As where a browser did not bring along what it has begun.
    ["/oauth/v2/authorize/unknown", "This login has expired"],
  ] as const) {
    expect((await browser.open(path)).text).toContain(`<h1>${title}</h1>`);
  }
});

test("a verb that a path does not have is refused with those that it has", async () => {
  const { url } = parties.server;
  for (const [method, path, allowed] of [
    ["GET", "/oauth/v2/token", "POST, OPTIONS"],
    ["GET", "/oauth/v2/introspect", "POST"],
    ["DELETE", "/oidc/v1/userinfo", "OPTIONS, GET, POST"],
    ["PUT", "/oidc/v1/end_session", "GET, HEAD, POST"],
    ["POST", "/.well-known/openid-configuration", "GET, HEAD, OPTIONS"],
  ] as const) {
    const { status, headers } = await fetch(url + path, { method });
    expect([path, status, headers.get("allow")]).toEqual([path, 405, allowed]);
  }
});
