import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { basic, cookiesOf, post } from "./asking.ts";
import { heading } from "./browser.ts";
import { type App, begin, callback, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;
let person: Person;

beforeAll(async () => {
  parties = await startParties();
  person = await parties.givenPerson();
});
afterAll(() => parties.close());

type Asked = { readonly [name: string]: string };

/** An application, what a login asks for, and the settings that it has instead from then on. */
type Row = readonly [what: string, given: object, asked: Asked, changed: object];

const byCode = {
  redirectUris: [callback],
  responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
  grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"],
  authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE",
};
const byImplicit = {
  responseTypes: ["OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN"],
  grantTypes: ["OIDC_GRANT_TYPE_IMPLICIT"],
};
const bySecret = { authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" };
const native = {
  ...{ appType: "OIDC_APP_TYPE_NATIVE", redirectUris: ["http://127.0.0.1:4100/callback"] },
};
const elsewhere = "https://elsewhere.example.com/callback";
const withoutPKCE = { code_challenge: "", code_challenge_method: "" };
const anotherPort = { redirect_uri: "http://127.0.0.1:9/callback" };

const shownByCodes: readonly Row[] = [
  ["an address to come back to that is gone", {}, {}, { redirectUris: [elsewhere] }],
  ["no proof but PKCE, which was not used", bySecret, withoutPKCE, {}],
  ["no loopback any more", native, anotherPort, {}],
];

const over: readonly Row[] = [
  ...shownByCodes,
  ["no codes", {}, {}, byImplicit],
  ["no implicit grant", byImplicit, { response_type: "id_token token", ...withoutPKCE }, {}],
];

const on: readonly Row[] = [
  ["one address more", {}, {}, { redirectUris: [callback, elsewhere] }],
  ["no proof but PKCE, which was used", bySecret, {}, {}],
  ["a secret, without PKCE", bySecret, withoutPKCE, { ...bySecret, devMode: true }],
  ["any port of loopback", native, anotherPort, { ...native, devMode: true }],
];

async function change({ appId }: App, changed: object): Promise<void> {
  const path = `/management/v1/projects/${parties.server.project}/apps/${appId}/oidc_config`;
  await parties.call("PUT", path, { ...byCode, ...changed });
}

/** Opens the page of a login. */
async function open(given: object, asked: Asked) {
  const app = await parties.givenApp(given);
  const begun = await begin(app, asked);
  for (const [name, value] of [...begun.url.searchParams]) {
    if (value === "") begun.url.searchParams.delete(name);
  }
  const browser = parties.browser();
  expect(heading(await browser.open(begun.url.href))).toBe("Log in");
  const { userName, password } = person;
  return { app, begun, browser, shown: { userName, password } };
}

/** Shows the code that a browser came back with; answers the error, if there is one. */
async function showCode({ app, begun }: Awaited<ReturnType<typeof open>>, back: string) {
  const { authMethodType } = await configOf(app);
  const fields = {
    grant_type: "authorization_code",
    code: String(new URL(back).searchParams.get("code")),
    redirect_uri: String(begun.url.searchParams.get("redirect_uri")),
    ...(begun.url.searchParams.has("code_challenge") ? { code_verifier: begun.verifier } : {}),
  };
  const isPublic = authMethodType === "OIDC_AUTH_METHOD_TYPE_NONE";
  const { body } = isPublic
    ? await post(parties, "/oauth/v2/token", { ...fields, client_id: app.clientId })
    : await post(parties, "/oauth/v2/token", fields, basic(app.clientId, app.clientSecret));
  return body.error;
}

async function configOf({ appId }: App): Promise<{ readonly authMethodType?: string }> {
  const path = `/management/v1/projects/${parties.server.project}/apps/${appId}`;
  const { app } = await parties.call("GET", path);
  return (app as { readonly oidcConfig: object }).oidcConfig;
}

describe("settings changed while a login is open end it:", () => {
  test.each(over)("%s", async (_what, given, asked, changed) => {
    const { app, browser, shown } = await open(given, asked);
    await change(app, changed);
    const page = await browser.send(shown);
    expect([page.status, heading(page)]).toEqual([400, "This login has expired"]);
  });

  test.each(over)("%s, when all was shown", async (_what, given, asked, changed) => {
    const { app, browser, shown } = await open(given, asked);
    const body = new URLSearchParams({ step: "password", ...shown });
    const sent = await fetch(browser.page.url, {
      ...{ method: "POST", body, headers: cookiesOf(browser), redirect: "manual" },
    });
    expect(sent.status).toBe(303);
    await change(app, changed);
    const page = await browser.open(String(sent.headers.get("location")));
    expect([page.status, new URL(page.url).origin]).toEqual([400, parties.server.url]);
  });

  test.each(shownByCodes)("%s, when the code is shown", async (_what, given, asked, changed) => {
    const login = await open(given, asked);
    const { url } = await login.browser.send(login.shown);
    await change(login.app, changed);
    expect(await showCode(login, url)).toBe("invalid_grant");
  });
});

describe("a login goes on with", () => {
  test.each(on)("%s", async (_what, given, asked, changed) => {
    const login = await open(given, asked);
    await change(login.app, changed);
    const { url } = await login.browser.send(login.shown);
    await change(login.app, { ...changed, additionalOrigins: ["https://spa.example.com"] });
    expect(await showCode(login, url)).toBeUndefined();
  });
});
