import { createPrivateKey, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { signJws } from "../../src/provider/token/jws.ts";
import { post } from "./asking.ts";
import { begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

test("the times in tokens allow for the clock of the application, in whole seconds", async () => {
  const browser = parties.browser();
  const person = await parties.givenPerson();
  const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };
  const exact = await parties.givenApp(jwt);
  const first = await logIn(browser, exact, person);
  const authTime = Number(claimsOf(String(first.id_token)).auth_time);
  expect(authTime).toBeGreaterThan(0);
  for (const [clockSkew, skew] of [
    [undefined, 0],
    ["0.000000001s", 1],
    ["1s", 1],
    ["4.5s", 5],
    ["5s", 5],
  ] as const) {
    const app = await parties.givenApp({ ...jwt, ...(clockSkew ? { clockSkew } : {}) });
    const from = Math.floor(Date.now() / 1_000);
    const begun = await begin(app);
    const back = await browser.open(begun.url.href);
    // An id token that begins before now, and ends later, is taken as any other.
    const tokens = await fetchTokens(app, begun, back.url);
    const to = Math.floor(Date.now() / 1_000);
    for (const [token, lifeSeconds] of [
      [String(tokens.id_token), 3_600],
      [tokens.access_token, 300],
    ] as const) {
      const { iat, exp } = claimsOf(token);
      expect(iat).toBeGreaterThanOrEqual(from - skew);
      expect(iat).toBeLessThanOrEqual(to - skew);
      expect(exp).toBeGreaterThanOrEqual(from + lifeSeconds + skew);
      expect(exp).toBeLessThanOrEqual(to + lifeSeconds + skew);
    }
    const { auth_time } = claimsOf(String(tokens.id_token));
    expect([clockSkew, auth_time]).toEqual([clockSkew, authTime - skew]);
    // Nothing here lives longer for it.
    expect(tokens.expires_in).toBe(300);
  }
});

test("a log that is ahead of its machine makes no token of tomorrow", async () => {
  const ahead = await startParties();
  try {
    ahead.clock.nowMs += 20 * 60_000;
    const app = await ahead.givenApp({ clockSkew: "5s" });
    const tokens = await logIn(ahead.browser(), app, await ahead.givenPerson());
    const now = Math.floor(Date.now() / 1_000);
    expect(claimsOf(String(tokens.id_token)).iat).toBeLessThanOrEqual(now - 5);
    expect(claimsOf(String(tokens.id_token)).iat).toBeGreaterThan(now - 60);

    const { server, call } = ahead;
    const apps = `/management/v1/projects/${server.project}/apps`;
    const made = await call("POST", `${apps}/api`, {
      ...{ name: randomUUID(), authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" },
    });
    const added = await call("POST", `${apps}/${String(made.appId)}/keys`, { type: 1 });
    const file = JSON.parse(Buffer.from(String(added.keyDetails), "base64").toString());
    const clientId = String(made.clientId);
    const claims = { iss: clientId, sub: clientId, aud: server.url };
    const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    const ask = async (more: object) => {
      const signer = { key: createPrivateKey(file.key), keyId: file.keyId, type: "JWT" };
      const proof = { client_assertion: await signJws({ ...claims, ...more }, signer) };
      const fields = { token: "any", client_assertion_type: type, ...proof };
      return (await post(ahead, "/oauth/v2/introspect", fields)).status;
    };
    const once = { exp: now + 60, jti: randomUUID() };
    expect([await ask(once), await ask(once)]).toEqual([200, 401]);
    // It is known for as long as it would be good.
    ahead.clock.nowMs += 60_000;
    expect(await ask(once)).toBe(401);
    expect(await ask({ exp: now - 60 })).toBe(401);
  } finally {
    await ahead.close();
  }
});
