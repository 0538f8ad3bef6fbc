import { createPrivateKey, createSign, randomUUID } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { assertionLimits, hasBegun, isTimely } from "../../src/provider/token/assertion.ts";
import { signJws } from "../../src/provider/token/jws.ts";
import { few, inFull } from "../harness/in-full.ts";
import { type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

/** Gives an application a key; answers what signs an assertion with it. */
async function givenSigner() {
  const { server, call } = parties;
  const app = await parties.givenApp({
    ...{ authMethodType: "OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" },
  });
  const path = `/management/v1/projects/${server.project}/apps/${app.appId}/keys`;
  const { keyDetails } = await call("POST", path, { type: "KEY_TYPE_JSON" });
  const file = JSON.parse(Buffer.from(String(keyDetails), "base64").toString());
  const signer = { key: createPrivateKey(file.key), keyId: file.keyId, type: "JWT" };
  const { clientId } = app;
  const right = { iss: clientId, sub: clientId, aud: server.url };
  return (lastsSeconds: number, { jti = randomUUID() as string, aud = right.aud } = {}) => {
    const exp = Math.floor(Date.now() / 1_000) + lastsSeconds;
    return signJws({ ...right, aud, exp, jti }, signer);
  };
}

/** Makes an application with so many keys; answers what signs anything with one of them. */
async function givenKeys(count: number, ending: object = {}) {
  const { server, call } = parties;
  const { appId, clientId } = await parties.givenApp({
    ...{ authMethodType: "OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" },
  });
  const path = `/management/v1/projects/${server.project}/apps/${appId}/keys`;
  const keys: { readonly keyId: string; readonly key: string }[] = [];
  for (let i = 0; i < count; i += 1) {
    const { keyDetails } = await call("POST", path, { type: "KEY_TYPE_JSON", ...ending });
    keys.push(JSON.parse(Buffer.from(String(keyDetails), "base64").toString()));
  }
  return (nth: number, header: object, claims: object = {}) => {
    const { keyId = "", key = "" } = keys[nth] ?? {};
    const exp = Math.floor(Date.now() / 1_000) + 60;
    const all = { iss: clientId, sub: clientId, aud: server.url, exp, jti: randomUUID() };
    const parts = [
      { alg: "RS256", kid: keyId, ...header },
      { ...all, ...claims },
    ];
    const text = parts.map((part) => encode(JSON.stringify(part))).join(".");
    return `${text}.${createSign("RSA-SHA256").update(text).sign(key).toString("base64url")}`;
  };
}

const encode = (text: string) => Buffer.from(text).toString("base64url");

/** Where an assertion may be shown, and what is asked for there. */
const endpoints = [
  ["/oauth/v2/token", { grant_type: "refresh_token", refresh_token: "any" }],
  ["/oauth/v2/introspect", { token: "any" }],
  ["/oauth/v2/revoke", { token: "any" }],
] as const;

/** Whether who shows an assertion is let in, whatever becomes of what is asked for. */
async function isLetIn(assertion: string, [path, fields]: (typeof endpoints)[number], at = "") {
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const proof = { client_assertion_type: type, client_assertion: assertion };
  const body = new URLSearchParams({ ...fields, ...proof });
  const { port } = parties.server;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const to = { port, host: "127.0.0.1", path: at + path, method: "POST", headers };
  request(to, (answer) => resolve(answer.resume().statusCode))
    .on("error", reject)
    .end(body.toString());
  return Number(await promise) <= 400;
}

few().each(endpoints)("an assertion shown again: at %s six at once", async (...endpoint) => {
  const assertion = await (await givenSigner())(60);
  const told = await Promise.all(Array.from({ length: 6 }, () => isLetIn(assertion, endpoint)));
  expect(told.filter(Boolean)).toEqual([true]);
  expect(await isLetIn(assertion, endpoint)).toBe(false);
});

test("an assertion shown again: what was shown at one endpoint is shown at all", async () => {
  const sign = await givenSigner();
  for (const first of endpoints) {
    const assertion = await sign(60.0003);
    expect(await isLetIn(assertion, first)).toBe(true);
    for (const other of endpoints) expect(await isLetIn(assertion, other)).toBe(false);
  }
  // One that has the same id and ends sooner lets neither in again.
  const id = randomUUID();
  const long = await sign(3_000, { jti: id });
  expect(await isLetIn(long, endpoints[0])).toBe(true);
  for (const again of [await sign(60, { jti: id }), long]) {
    expect(await isLetIn(again, endpoints[0])).toBe(false);
  }
  // Another application may give the same id.
  const jti = randomUUID();
  for (const signer of [sign, await givenSigner()]) {
    expect(await isLetIn(await signer(60, { jti }), endpoints[0])).toBe(true);
  }
});

few().each(endpoints)(
  "GHSA-7wfc-4796-gmg5: none for another service at %s",
  async (...endpoint) => {
    const sign = await givenSigner();
    const other = "http://other.example.com";
    const [path] = endpoint;
    for (const aud of [other, other + path, `${other}/oauth/v2/token`]) {
      // The address that the request is sent to, as proxies are told it (RFC 9112, 3.2.2).
      for (const at of ["", other])
        expect(await isLetIn(await sign(60, { aud }), endpoint, at)).toBe(false);
    }
    expect(await isLetIn(await sign(60), endpoint, other)).toBe(true);
  },
);

few().each(endpoints)("an assertion shown again: at %s for an hour", async (...endpoint) => {
  const sign = await givenSigner();
  expect(await isLetIn(await sign(3_600), endpoint)).toBe(true);
  for (const lastsSeconds of [3_610, 365 * 24 * 3_600, -10]) {
    expect(await isLetIn(await sign(lastsSeconds), endpoint)).toBe(false);
  }
});

test("clocks may differ by five seconds, and not by more", () => {
  const nowMs = 1_000_000_000;
  const most = (nowMs + assertionLimits.assertionMs) / 1_000 + 5;
  const timely = [most, most + 0.001, 999_995.001, 999_995].map((exp) => isTimely(exp, nowMs));
  expect(timely).toEqual([true, false, true, false]);
  expect(
    [undefined, "1000001", Number.POSITIVE_INFINITY].map((exp) => isTimely(exp, nowMs)),
  ).toEqual([false, false, false]);
  expect([1_000_005, 1_000_006, undefined].map((nbf) => hasBegun(nbf, nowMs))).toEqual([
    ...[true, false, true],
  ]);
  expect(["1000006", [1_000_006], null].some((nbf) => hasBegun(nbf, nowMs))).toBe(false);
});

few().each(endpoints)(
  "a JWT taken for another: an odd assertion is refused at %s",
  async (...endpoint) => {
    const sign = await givenKeys(1);
    expect(await isLetIn(await sign(0, {}), endpoint)).toBe(true);
    for (const header of [
      { crit: ["b64"] },
      { crit: ["b64"], b64: true },
      { crit: [] },
      { crit: null },
      { kid: 7 },
      { kid: null },
    ]) {
      expect([header, await isLetIn(await sign(0, header), endpoint)]).toEqual([header, false]);
    }
    for (const jti of [{}, 7, ["a"], true, null]) {
      expect([jti, await isLetIn(await sign(0, {}, { jti }), endpoint)]).toEqual([jti, false]);
    }
  },
);

inFull("of many keys the newest are tried for an assertion that names none", async () => {
  const { keysTried } = assertionLimits;
  const sign = await givenKeys(keysTried + 1);
  const none = { kid: undefined };
  for (const endpoint of endpoints) {
    expect(await isLetIn(await sign(0, none), endpoint)).toBe(false);
    expect(await isLetIn(await sign(0, {}), endpoint)).toBe(true);
    expect(await isLetIn(await sign(1, none), endpoint)).toBe(true);
    expect(await isLetIn(await sign(keysTried, none), endpoint)).toBe(true);
    // Nor does the name of a key that is not there have others tried.
    expect(await isLetIn(await sign(keysTried, { kid: "none" }), endpoint)).toBe(false);
  }
});

test("CVE-2025-31123: a key that has ended proves nothing, named or not", async () => {
  const endsMs = parties.clock.nowMs + 20_000;
  const ending = { expirationDate: new Date(endsMs).toISOString() };
  const [sign, lasting] = [await givenKeys(1, ending), await givenKeys(1)];
  for (const isGood of [true, false]) {
    for (const endpoint of endpoints) {
      for (const header of [{}, { kid: undefined }]) {
        expect(await isLetIn(await sign(0, header), endpoint)).toBe(isGood);
        expect(await isLetIn(lasting(0, header), endpoint)).toBe(true);
      }
    }
    parties.clock.nowMs = endsMs;
  }
});
