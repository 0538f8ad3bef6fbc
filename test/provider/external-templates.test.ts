import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { v7 } from "uuid";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { allowing, start, stop } from "../fetch/listener.ts";
import { heading } from "./browser.ts";
import { type App, begin, fetchTokens, type Parties, startParties } from "./relying.ts";

/** GitHub, Google and Entra, by the shapes of their answers: one server is all of their hosts. */

const pair = await generateKeyPair("RS256");
const keys = {
  keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k", alg: "RS256", use: "sig" }],
};

/** What answers, by host and path; what was sent goes along. */
type Answers = { [path: string]: (sent: URLSearchParams, request: IncomingMessage) => unknown };
let answers: Answers = {};

const server = createServer(async (request, response) => {
  const [path = ""] = String(request.url).split("?", 1);
  const sent = new URLSearchParams(await text(request));
  const answer = await answers[path]?.(sent, request);
  const { status = answer === undefined ? 404 : 200, ...body } = Object(answer);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(Array.isArray(answer) ? answer : body));
});

let parties: Parties;
let app: App;

beforeAll(async () => {
  const port = await start(server);
  const allow = allowing(`127.0.0.1/32:${port}`);
  const real = createFetcher({ allow, http: true });
  const fetcher: typeof real = {
    ...real,
    send: (given, sent) => {
      const { host, pathname, search, protocol } = new URL(given);
      expect(protocol).toBe("https:");
      return real.send(`http://127.0.0.1:${port}/${host}${pathname}${search}`, sent);
    },
  };
  parties = await startParties({ fetcher });
  app = await parties.givenApp();
});
beforeEach(() => {
  answers = {};
});
afterAll(async () => {
  await parties.close();
  server.closeAllConnections();
  await stop(server);
});

async function given(template: string, more: object = {}): Promise<string> {
  const { id } = await parties.call("POST", `/management/v1/idps/${template}`, {
    ...{ name: v7(), clientId: "client", clientSecret: "their secret" },
    providerOptions: { isLinkingAllowed: true, isCreationAllowed: true },
    ...more,
  });
  return String(id);
}

/** Begins a login there; answers where the browser was led, and what brings it back. */
async function goTo(idpId: string, parameters: { readonly prompt?: string } = {}) {
  const begun = await begin(app, { idp_hint: idpId, ...parameters });
  const browser = parties.browser();
  const { url } = await browser.open(begun.url.href);
  const asked = new URL(url);
  const back = (code = "a code") => {
    const query = { code, state: asked.searchParams.get("state") ?? "" };
    return browser.open(`${asked.searchParams.get("redirect_uri")}?${new URLSearchParams(query)}`);
  };
  return { begun, asked, back };
}

const linked = (configId: string, externalUserId: string) =>
  parties.givenPerson({ idps: [{ configId, externalUserId, displayName: "Ada" }] });

async function emailVerifiedOf(idpId: string): Promise<boolean> {
  const { back } = await goTo(idpId);
  // The form has the address; only a verified one may be the user name.
  const page = await back();
  expect(heading(page)).toBe("No account is linked yet");
  return page.text.includes("ada@example.com");
}

describe("GitHub", () => {
  const user = { id: 583231, login: "ada", name: "Ada Lovelace", email: "public@example.com" };
  const emails = [
    { email: "other@example.com", primary: false, verified: true },
    { email: "ada@example.com", primary: true, verified: true },
  ];
  const shapes = (more: Answers = {}): Answers => ({
    "/github.com/login/oauth/access_token": (sent) => {
      expect(Object.fromEntries(sent)).toMatchObject({
        ...{ client_id: "client", client_secret: "their secret", code: "a code" },
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      });
      return { access_token: "gho_x", scope: "read:user,user:email", token_type: "bearer" };
    },
    "/api.github.com/user": (_sent, { headers }) => {
      expect(headers.authorization).toBe("Bearer gho_x");
      return user;
    },
    "/api.github.com/user/emails": () => emails,
    ...more,
  });

  test("logs in who is linked by the number of the user", async () => {
    answers = shapes();
    const idpId = await given("github");
    const person = await linked(idpId, "583231");
    const { begun, asked, back } = await goTo(idpId);
    expect(asked.origin + asked.pathname).toBe("https://github.com/login/oauth/authorize");
    expect(asked.searchParams.get("scope")).toBe("read:user user:email");
    const { url } = await back();
    expect((await fetchTokens(app, begun, url)).claims()?.sub).toBe(person.userId);
    // It has no way to say when it asked.
    const anew = await (await goTo(idpId, { prompt: "login" })).back();
    expect(anew.url).toContain("code=");
  });

  test.each<readonly [string, Answers]>([
    [
      "a code that it refuses with status 200",
      {
        "/github.com/login/oauth/access_token": () => ({ error: "bad_verification_code" }),
      },
    ],
    ["an API that fails", { "/api.github.com/user": () => ({ status: 500 }) }],
    ["addresses that may not be read", { "/api.github.com/user/emails": () => ({ status: 404 }) }],
    ["a user without a number", { "/api.github.com/user": () => ({ ...user, id: "ada" }) }],
    ["no user", { "/api.github.com/user": () => [] }],
  ])("logs nobody in with %s", async (_, more) => {
    answers = shapes(more);
    const { back } = await goTo(await given("github"));
    const page = await back();
    expect([page.status, heading(page)]).toEqual([502, "You weren’t logged in"]);
  });

  test.each([
    ["knows the client", "bad_verification_code", true],
    ["has another secret", "incorrect_client_credentials", false],
  ])("%s, which a trial tells", async (_, error, isKnown) => {
    answers = { "/github.com/login/oauth/access_token": () => ({ error }) };
    const path = `/management/v1/idps/${await given("github")}/_test`;
    const { steps } = await parties.call("POST", path, {});
    const [client] = steps as readonly { readonly name: string; readonly ok?: boolean }[];
    expect([client?.name, client?.ok ?? false]).toEqual(["client", isKnown]);
  });

  test.each<readonly [string, unknown, boolean]>([
    ["the primary one that is verified", emails, true],
    ["one that is not verified", [{ ...emails[1], verified: false }], false],
    ["one that is not the primary one", [{ ...emails[1], primary: false }], false],
    ["none", [], false],
  ])("has as the address of a person %s", async (_, all, isThere) => {
    answers = shapes({
      "/api.github.com/user": () => ({ ...user, name: null, login: null }),
      "/api.github.com/user/emails": () => all,
    });
    expect(await emailVerifiedOf(await given("github"))).toBe(isThere);
  });
});

/** What an OpenID provider answers of which the hosts are these. */
function openID(issuer: string, hosts: { readonly [name: string]: string }, claims: object) {
  let nonce = "";
  const shapes: Answers = {
    [`/${hosts.discovery}/.well-known/openid-configuration`]: () => ({
      issuer,
      authorization_endpoint: "https://accounts.example.com/auth",
      ...{ token_endpoint: `https://${hosts.token}`, jwks_uri: `https://${hosts.keys}` },
      token_endpoint_auth_methods_supported: ["client_secret_post"],
    }),
    [`/${hosts.keys}`]: () => keys,
    [`/${hosts.token}`]: async () => {
      const now = Math.floor(Date.now() / 1_000);
      const said = { iss: issuer, aud: "client", iat: now, exp: now + 300, nonce, ...claims };
      const header = { alg: "RS256", kid: "k" };
      const token = await new SignJWT(said).setProtectedHeader(header).sign(pair.privateKey);
      return { access_token: "a", token_type: "Bearer", expires_in: 300, id_token: token };
    },
  };
  answers = shapes;
  return (asked: URL) => {
    nonce = asked.searchParams.get("nonce") ?? "";
  };
}

test("Google logs in who is linked by sub", async () => {
  const note = openID(
    "https://accounts.google.com",
    {
      discovery: "accounts.google.com",
      ...{ token: "oauth2.googleapis.com/token", keys: "www.googleapis.com/oauth2/v3/certs" },
    },
    { sub: "1107", email: "ada@example.com", email_verified: true, hd: "example.com", name: "Ada" },
  );
  const idpId = await given("google");
  const person = await linked(idpId, "1107");
  const { begun, asked, back } = await goTo(idpId);
  note(asked);
  const { url } = await back();
  expect((await fetchTokens(app, begun, url)).claims()?.sub).toBe(person.userId);
});

describe("Entra", () => {
  const tenant = "00000000-0000-4000-8000-00000000000a";
  const other = "00000000-0000-4000-8000-00000000000b";
  const host = "login.microsoftonline.com";
  const hosts = {
    discovery: `${host}/common/v2.0`,
    ...{ token: `${host}/common/oauth2/v2.0/token`, keys: `${host}/common/discovery/v2.0/keys` },
  };
  const issuerOf = (tid: string) => `https://${host}/${tid}/v2.0`;
  const said = (more: object = {}) => ({
    ...{ iss: issuerOf(tenant), tid: tenant, sub: "s", email: "ada@example.com", ...more },
  });
  const begun = (claims: object) => openID(`https://${host}/{tenantid}/v2.0`, hosts, claims);

  test("tells people apart by tenant and sub", async () => {
    const idpId = await given("azure");
    const person = await linked(idpId, `${tenant}:s`);
    const note = begun(said());
    const first = await goTo(idpId);
    note(first.asked);
    const { url } = await first.back();
    expect((await fetchTokens(app, first.begun, url)).claims()?.sub).toBe(person.userId);
    const noteOther = begun(said({ iss: issuerOf(other), tid: other }));
    const second = await goTo(idpId);
    noteOther(second.asked);
    expect(heading(await second.back())).toBe("No account is linked yet");
  });

  test("whose issuer is another tenant than the token says logs nobody in", async () => {
    const idpId = await given("azure");
    const note = begun(said({ tid: other }));
    const { asked, back } = await goTo(idpId);
    note(asked);
    expect((await back()).status).toBe(502);
  });
});
