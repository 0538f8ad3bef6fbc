import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { nestingLimits } from "../../src/domain/nesting.ts";
import { discoveryLimits } from "../../src/provider/external/discovery.ts";
import { nestedJson } from "../harness/nested.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { foreignClient } from "./foreign.ts";
import { comeForged, type Forged, forge, jws, otherKey, publicPem, signBy } from "./forged.ts";
import { type App, fetchTokens, type Person } from "./relying.ts";

let parties: ExternalParties;
let app: App;
let idpId: string;
let person: Person;
let forged: Forged;

beforeAll(async () => {
  parties = await startExternal();
  app = await parties.givenApp();
  idpId = await parties.givenProvider();
  const link = { configId: idpId, externalUserId: "mallory", displayName: "Mallory" };
  person = await parties.givenPerson({ idps: [link] });
});
afterAll(() => parties.close());
beforeEach(() => {
  forged = forge(parties.foreign);
  // What it says that it may sign with lets nothing through that is not a signature of its key.
  forged.discovery = { id_token_signing_alg_values_supported: ["RS256", "HS256", "none"] };
});

const seconds = (after: number) => Math.floor(Date.now() / 1_000) + after;
const { skewSeconds } = discoveryLimits;
const nested = (times: number): unknown => JSON.parse(nestedJson(times));
const come = () => comeForged(parties, forged, { app, idpId });

const hs256 = (secret: string) => (claims: object) =>
  jws({ alg: "HS256", kid: "forged" }, { ...claims }, (text) =>
    createHmac("sha256", secret).update(text).digest("base64url"),
  );

test("an honest ID token lets the person in", async () => {
  const { begun, page } = await come();
  expect((await fetchTokens(app, begun, page.url)).claims()?.sub).toBe(person.userId);
});

describe("an ID token lets nobody in", () => {
  test.each<readonly [string, () => Partial<Forged>]>([
    ["with the nonce of another request", () => ({ claims: { nonce: "another" } })],
    ["without a nonce", () => ({ claims: { nonce: undefined } })],
    ["for another client", () => ({ claims: { aud: "another" } })],
    ["for others besides, without the one", () => ({ claims: { aud: ["other", "more"] } })],
    [
      "for others besides, in the name of another",
      () => ({ claims: { aud: [foreignClient.clientId, "more"], azp: "more" } }),
    ],
    ["of another issuer", () => ({ claims: { iss: "https://evil.example" } })],
    ["that expired too long ago", () => ({ claims: { exp: seconds(-skewSeconds - 1) } })],
    ["that never expires", () => ({ claims: { exp: undefined } })],
    ["that expires at a text", () => ({ claims: { exp: "never" } })],
    ["from no time", () => ({ claims: { iat: undefined } })],
    ["that holds too late", () => ({ claims: { nbf: seconds(skewSeconds + 2) } })],
    ["signed by another key", () => ({ sign: signBy(otherKey) })],
    ["signed by another key of no name", () => ({ sign: signBy(otherKey, "unknown") })],
    ["without a signature", () => ({ sign: (claims) => jws({ alg: "none" }, claims, () => "") })],
    [
      "that says RS256 and has no signature",
      () => ({ sign: (claims) => jws({ alg: "RS256", kid: "forged" }, claims, () => "") }),
    ],
    ["signed with the client secret", () => ({ sign: hs256(foreignClient.clientSecret) })],
    ["signed with the public key as a secret", () => ({ sign: hs256(publicPem) })],
    ["without a subject", () => ({ claims: { sub: undefined } })],
    ["with an empty subject", () => ({ claims: { sub: "" } })],
    ["with a number as its subject", () => ({ claims: { sub: 7 } })],
    ["with a list as its subject", () => ({ claims: { sub: ["mallory"] } })],
    ["with a subject of 201 characters", () => ({ claims: { sub: "m".repeat(201) } })],
    ["with a subject that cannot be seen", () => ({ claims: { sub: "mallory\u202e" } })],
    ["that is nested too deep", () => ({ claims: { more: nested(nestingLimits.depth) } })],
    ["that is none", () => ({ sign: () => "not a token" })],
  ])("%s", async (_, given) => {
    Object.assign(forged, given());
    const { page } = await come();
    expect(page).toMatchObject({ status: 502, url: expect.stringContaining(parties.server.url) });
    expect(page.text).toContain("didn’t confirm who you are");
  });

  test("where userinfo is of somebody else", async () => {
    forged.info = { sub: "ada", email: "ada@example.org", email_verified: true };
    expect((await come()).page.status).toBe(502);
  });
});

describe("an ID token lets the person in", () => {
  test.each<readonly [string, () => Partial<Forged>]>([
    // The clock goes on while the test does.
    ["that expired a moment ago", () => ({ claims: { exp: seconds(3 - skewSeconds) } })],
    ["that holds from a moment on", () => ({ claims: { nbf: seconds(skewSeconds - 2) } })],
    ["that is nested less", () => ({ claims: { more: nested(nestingLimits.depth - 1) } })],
    [
      "for others besides, in our name",
      () => ({
        claims: { aud: [foreignClient.clientId, "more"], azp: foreignClient.clientId },
      }),
    ],
  ])("%s", async (_, given) => {
    Object.assign(forged, given());
    const { begun, page } = await come();
    expect((await fetchTokens(app, begun, page.url)).claims()?.sub).toBe(person.userId);
  });

  test("with a subject of 200 characters, as somebody of its own", async () => {
    forged.claims = { sub: "m".repeat(200) };
    forged.info = { sub: "m".repeat(200) };
    expect((await come()).page).toMatchObject({ status: 200 });
  });
});

describe("what says nothing that may be believed", () => {
  test.each<readonly [string, Partial<Forged>]>([
    ["names with HTML", { info: { name: "<script>alert(1)</script>" } }],
    ["names that run the other way", { info: { name: "\u202enimda" } }],
    ["names of 10,000 characters", { info: { name: "n".repeat(10_000) } }],
    ["lists in place of texts", { info: { name: ["Ada"], email: ["ada@example.org"] } }],
    ["objects in place of texts", { info: { name: { first: "Ada" }, locale: {} } }],
    ["the prototype of objects", { info: JSON.parse(`{"__proto__": {"name": "Ada"}}`) }],
  ])("%s: shows the page, and nothing of that", async (_, given) => {
    const sub = crypto.randomUUID();
    Object.assign(forged, { claims: { sub }, info: { ...given.info, sub } });
    const { page } = await come();
    expect(page).toMatchObject({ status: 200 });
    expect(page.text).not.toMatch(/<script>alert|\u202e|n{1000}|\[object|&quot;first/);
  });
});
