import { createHash, createPrivateKey, webcrypto } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { lifetimes } from "../../src/provider/library/configuration.ts";
import { few, inFull } from "../harness/in-full.ts";
import { givenAsker, statusOfUserinfo } from "./asking.ts";
import {
  type App,
  begin,
  callback,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const offline = { scope: "openid offline_access" };

const fetchInfo = ({ config }: App, token: string, { userId }: Person) =>
  oidc.fetchUserInfo(config, token, userId);
const refused = { status: 401 };
const invalidGrant = { error: "invalid_grant" };

test("a code works once: when it comes again, all that came from it is revoked", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  const begun = await begin(app);
  await browser.open(begun.url.href);
  const back = await browser.send({ userName: person.userName, password: person.password });
  const { access_token } = await fetchTokens(app, begun, back.url);
  await fetchInfo(app, access_token, person);
  await expect(fetchTokens(app, begun, back.url)).rejects.toMatchObject(invalidGrant);
  await expect(fetchInfo(app, access_token, person)).rejects.toMatchObject(refused);
  expect(await parties.typesOf(person)).toEqual([
    "user.human.session.begun",
    "user.human.token.reused",
  ]);
});

inFull("of many who show a code at once, at most one gets tokens, which do not last", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  const begun = await begin(app);
  await browser.open(begun.url.href);
  const back = await browser.send({ userName: person.userName, password: person.password });
  const tries = Array.from({ length: 8 }, () => fetchTokens(app, begun, back.url));
  const got = (await Promise.allSettled(tries)).flatMap((one) =>
    one.status === "fulfilled" ? [one.value] : [],
  );
  expect(got.length).toBeLessThanOrEqual(1);
  for (const { access_token } of got) {
    await expect(fetchInfo(app, access_token, person)).rejects.toMatchObject(refused);
  }
});

test("a refresh token works once, and makes another one", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const first = await logIn(parties.browser(), app, person, offline);
  const old = String(first.refresh_token);
  const second = await oidc.refreshTokenGrant(app.config, old);
  expect(second.refresh_token).not.toBe(old);
  await fetchInfo(app, second.access_token, person);
  await expect(oidc.refreshTokenGrant(app.config, old)).rejects.toMatchObject(invalidGrant);
  // One who has the newest one may be the thief.
  const newest = String(second.refresh_token);
  await expect(oidc.refreshTokenGrant(app.config, newest)).rejects.toMatchObject(invalidGrant);
  await expect(fetchInfo(app, second.access_token, person)).rejects.toMatchObject(refused);
  expect(await parties.typesOf(person)).toEqual([
    "user.human.session.begun",
    "user.human.token.reused",
  ]);
});

inFull("a refresh token that is used goes on until 90 days after the login", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const { refresh_token } = await logIn(parties.browser(), app, person, offline);
  const loggedInMs = parties.clock.nowMs;
  let token = String(refresh_token);
  const refresh = async (afterMs: number) => {
    parties.clock.nowMs = loggedInMs + afterMs;
    token = String((await oidc.refreshTokenGrant(app.config, token)).refresh_token);
  };
  const dayMs = 24 * 60 * 60_000;
  const mostMs = lifetimes.lastingGrant * 1_000;
  try {
    for (let days = 13; days < 90; days += 13) await refresh(days * dayMs);
    await refresh(mostMs - 60_000);
    await expect(refresh(mostMs)).rejects.toMatchObject(invalidGrant);
  } finally {
    parties.clock.nowMs = loggedInMs;
  }
});

test("who has no right to a token cannot revoke it by using it again", async () => {
  const [app, other] = [await parties.givenApp(), await parties.givenApp()];
  const person = await parties.givenPerson();
  const { refresh_token } = await logIn(parties.browser(), app, person, offline);
  const token = String(refresh_token);
  await expect(oidc.refreshTokenGrant(other.config, token)).rejects.toMatchObject(invalidGrant);
  await oidc.refreshTokenGrant(app.config, token);
});

test("CVE-2026-27840: a part of a token, or one in other letters, is none", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const tokens = await logIn(parties.browser(), app, person, offline);
  const isActive = await givenAsker(parties);
  const [access, refresh] = [tokens.access_token, String(tokens.refresh_token)];
  const bent = (token: string) => [
    ...[token.slice(0, -1), token.slice(1), token.slice(0, 20), token.slice(0, token.length / 2)],
    ...[`${token}=`, `${token} `, token.toUpperCase(), `${token}\0`],
  ];
  for (const token of bent(access)) {
    expect([token, await isActive(token)]).toEqual([token, false]);
    if (token.includes("\0") || token.endsWith(" ")) continue;
    expect([token, await statusOfUserinfo(parties, token)]).not.toEqual([token, 200]);
  }
  for (const token of bent(refresh)) {
    await expect(oidc.refreshTokenGrant(app.config, token)).rejects.toMatchObject(invalidGrant);
  }
  await oidc.refreshTokenGrant(app.config, refresh);
});

test("a refresh token takes offline_access, and a person who is asked", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  expect(await logIn(browser, app, person)).not.toHaveProperty("refresh_token");
  const begun = await begin(app, offline);
  expect((await browser.open(begun.url.href)).text).toContain("<h1>Continue</h1>");
  const back = await browser.send({}, "proceed");
  expect(await fetchTokens(app, begun, back.url)).toHaveProperty("refresh_token");
});

few().each([
  ["opaque", {}],
  ["JWT", { accessTokenType: "OIDC_TOKEN_TYPE_JWT" }],
])("an application revokes its %s tokens, and nobody else's", async (_kind, made) => {
  const [app, other] = [await parties.givenApp(made), await parties.givenApp(made)];
  const person = await parties.givenPerson();
  const { access_token } = await logIn(parties.browser(), app, person);
  await oidc.tokenRevocation(other.config, access_token).catch(() => {});
  await fetchInfo(app, access_token, person);
  expect(await parties.typesOf(person)).toEqual(["user.human.session.begun"]);
  await oidc.tokenRevocation(app.config, access_token);
  await expect(fetchInfo(app, access_token, person)).rejects.toMatchObject(refused);
  await oidc.tokenRevocation(app.config, access_token);
  expect(await parties.typesOf(person)).toEqual([
    "user.human.session.begun",
    "user.human.token.revoked",
  ]);
});

test("a JWT that is no token is given back like any other text (RFC 7009, 2.2)", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const { access_token, id_token } = await logIn(parties.browser(), app, person);
  const [head = "", ...rest] = String(id_token).split(".");
  for (const text of [String(id_token), [head, ...rest.toReversed()].join("."), `${head}.x.y`]) {
    await oidc.tokenRevocation(app.config, text);
  }
  const { config, clientId } = app;
  const [url, twice] = [`${config.serverMetadata().revocation_endpoint}`, `token=${id_token}`];
  const body = new URLSearchParams(`client_id=${clientId}&${twice}&${twice}`);
  expect((await fetch(url, { method: "POST", body })).status).toBe(400);
  await fetchInfo(app, access_token, person);
});

describe("CVE-2023-22492: what is taken out of use or removed lets nobody in from then on:", () => {
  const users = "/management/v1/users";
  const apps = (app: App) => `/management/v1/projects/${parties.server.project}/apps/${app.appId}`;
  few().each([
    ["a user out of use", "POST", (_: App, { userId }: Person) => `${users}/${userId}/_deactivate`],
    ["a user who is gone", "DELETE", (_: App, { userId }: Person) => `${users}/${userId}`],
    ["an application out of use", "POST", (app: App) => `${apps(app)}/_deactivate`],
    ["an application that is gone", "DELETE", apps],
  ])("%s", async (_name, verb, path) => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const browser = parties.browser();
    const tokens = await logIn(browser, app, person, offline);
    await parties.call(verb, path(app, person), verb === "POST" ? {} : undefined);
    await expect(fetchInfo(app, tokens.access_token, person)).rejects.toMatchObject(refused);
    const refresh = String(tokens.refresh_token);
    await expect(oidc.refreshTokenGrant(app.config, refresh)).rejects.toMatchObject({
      error: expect.stringMatching(/^invalid_(grant|client)$/),
    });
    const silent = await begin(app, { prompt: "none" });
    const { url, status } = await browser.open(silent.url.href);
    expect([url.includes("code="), status === 0 || status >= 400]).toEqual([false, true]);
  });
});

describe("an application with a secret", () => {
  few().each(["BASIC", "POST"])(
    "shows it by %s, and a stored hash as the secret is none",
    async (method) => {
      const app = await parties.givenApp({ authMethodType: `OIDC_AUTH_METHOD_TYPE_${method}` });
      const person = await parties.givenPerson();
      expect((await logIn(parties.browser(), app, person)).claims()?.sub).toBe(person.userId);

      const hash = createHash("sha256").update(app.clientSecret).digest("hex");
      for (const secret of [hash, "", "wrong", app.clientSecret.slice(0, -1)]) {
        const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: "any" });
        const headers: { [name: string]: string } = {};
        if (method === "POST") {
          body.set("client_id", app.clientId);
          body.set("client_secret", secret);
        } else {
          const pair = Buffer.from(`${app.clientId}:${secret}`).toString("base64");
          headers.authorization = `Basic ${pair}`;
        }
        const url = `${parties.server.url}/oauth/v2/token`;
        const response = await fetch(url, { method: "POST", body, headers });
        expect([response.status, await response.json()]).toMatchObject([
          expect.any(Number),
          { error: expect.stringMatching(/^invalid_(client|request)$/) },
        ]);
      }
    },
  );

  test("need not use PKCE, and others must", async () => {
    const person = await parties.givenPerson();
    const given = { authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" };
    const [app, open] = [await parties.givenApp(given), await parties.givenApp()];
    const plain = ({ config }: App) =>
      oidc.buildAuthorizationUrl(config, { redirect_uri: callback, scope: "openid" }).href;
    const browser = parties.browser();
    await browser.open(plain(app));
    const { url } = await browser.send({
      ...{ userName: person.userName, password: person.password },
    });
    await oidc.authorizationCodeGrant(app.config, new URL(url), {});
    expect((await parties.browser().open(plain(open))).url).toContain("error=invalid_request");
  });
});

test("an application proves itself by a key of its own, until that is taken away", async () => {
  const { server, call } = parties;
  const person = await parties.givenPerson();
  const app = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" });
  const keys = `/management/v1/projects/${server.project}/apps/${app.appId}/keys`;
  const made = await call("POST", keys, { type: "KEY_TYPE_JSON" });
  const { key, keyId } = JSON.parse(Buffer.from(String(made.keyDetails), "base64").toString());
  const privateKey = await webcrypto.subtle.importKey(
    "pkcs8",
    createPrivateKey(key).export({ type: "pkcs8", format: "der" }),
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const config = await oidc.discovery(
    new URL(server.url),
    app.clientId,
    undefined,
    oidc.PrivateKeyJwt({ key: privateKey, kid: keyId }),
    { execute: [oidc.allowInsecureRequests] },
  );
  const proving = { ...app, config };
  const tokens = await logIn(parties.browser(), proving, person, offline);
  expect(tokens.claims()?.sub).toBe(person.userId);
  await call("DELETE", `${keys}/${keyId}`);
  const refresh = String(tokens.refresh_token);
  await expect(oidc.refreshTokenGrant(config, refresh)).rejects.toMatchObject({
    error: "invalid_client",
  });
});

test("nothing that lets anybody in is in the log", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  const begun = await begin(app, offline);
  const { url: at } = await browser.open(begun.url.href);
  // One only says that a login began in the browser.
  const held = () => [...browser.cookies.values()].filter(({ value }) => value !== "1");
  const pending = held().map(({ value }) => value);
  const back = await browser.send({ userName: person.userName, password: person.password });
  const code = String(new URL(back.url).searchParams.get("code"));
  const before = await parties.server.kept();
  const tokens = await fetchTokens(app, begun, back.url);
  const secrets = [
    ...pending,
    ...held().map(({ value }) => value),
    ...[code, tokens.access_token, String(tokens.refresh_token), person.password],
    String(at.split("/").at(-1)),
  ];
  const kept = before + (await parties.server.kept());
  expect(kept).toContain(person.userId);
  expect(secrets.filter((secret) => kept.includes(secret))).toEqual([]);
  const lines = parties.server.logged().join("\n");
  expect(secrets.filter((secret) => lines.includes(secret))).toEqual([]);
});
