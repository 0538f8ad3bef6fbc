import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { UnsecuredJWT } from "jose";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { oursOf } from "../../src/provider/token/client.ts";
import { signerKeysOf, signerMetadataOf } from "../../src/provider/token/machine-client.ts";
import { apiScope } from "../../src/provider/token/scopes.ts";
import { inactive, made, userWith } from "../domain/user/users.ts";
import { few } from "../harness/in-full.ts";
import { basic, post } from "./asking.ts";
import {
  askFor,
  assertionOf,
  givenSigner,
  isGoodToken,
  type KeyFile,
  machineGrant,
  machineToken,
  type Odd,
  projectStatus,
  refusedGrant as refused,
  type Signer,
} from "./machines.ts";
import { type Parties, startParties } from "./relying.ts";

let parties: Parties;
let signer: Signer;

beforeAll(async () => {
  parties = await startParties();
  signer = await givenSigner(parties);
});
afterAll(() => parties.close());

const tokenOf = (file: KeyFile, scope?: string) => machineToken(parties, file, scope);
const addProject = (token: string) => projectStatus(parties, token);
const isGood = (token: string) => isGoodToken(parties, token);

describe("a machine with a key", () => {
  test.each([
    ["ACCESS_TOKEN_TYPE_BEARER", /^[\w-]{43}$/, 3_600],
    ["ACCESS_TOKEN_TYPE_JWT", /^[\w-]+\.[\w-]+\.[\w-]+$/, 300],
  ])("gets a token for itself, as with a secret: %s", async (accessTokenType, form, seconds) => {
    const { userId, file } = await givenSigner(parties, { accessTokenType });
    expect(file).toMatchObject({ type: "serviceaccount", userId });
    const assertion = await assertionOf(parties, file);
    const scope = `openid ${apiScope}`;
    const told = await askFor(parties, assertion, { scope });
    expect(told).toEqual({
      status: 200,
      body: {
        ...{ access_token: expect.stringMatching(form), token_type: "Bearer", scope },
        expires_in: seconds,
      },
    });
    const token = String(told.body.access_token);
    expect(await isGood(token)).toBe(true);
    const [event] = (await parties.server.events()).slice(-1);
    expect(event).toMatchObject({ type: "project.added", actor: userId });
    // It has no id, so it may come again.
    expect(await askFor(parties, assertion)).toMatchObject({ status: 200 });
    expect(await addProject(await tokenOf(file, "openid"))).toBe(401);
  });

  test("gets one through openid-client, which names a client", async () => {
    const config = await oidc.discovery(
      new URL(parties.server.url),
      signer.userId,
      undefined,
      oidc.None(),
      { execute: [oidc.allowInsecureRequests] },
    );
    expect(config.serverMetadata().grant_types_supported).toContain(machineGrant);
    const assertion = await assertionOf(parties, signer.file);
    const asked = { assertion, scope: apiScope };
    const { access_token } = await oidc.genericGrantRequest(config, machineGrant, asked);
    expect(await addProject(access_token)).toBe(200);
  });

  test("proves itself by the public key that it was given", async () => {
    const { userId, path } = signer;
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
    const given = { publicKey: Buffer.from(pem).toString("base64") };
    const { keyId, keyDetails } = await parties.call("POST", `${path}/keys`, given);
    expect(keyDetails).toBeUndefined();
    const key = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    const file = { type: "", keyId: String(keyId), key, userId };
    expect(await isGood(await tokenOf(file))).toBe(true);
  });

  test("makes things in which who made the key has a hand", async () => {
    const headers = { authorization: `Bearer ${await tokenOf(signer.file)}` };
    const url = `${parties.server.url}${signer.path}/keys`;
    const sent = { ...headers, "content-type": "application/json" };
    expect((await fetch(url, { method: "POST", headers: sent, body: "{}" })).status).toBe(200);
    const [event] = (await parties.server.events()).slice(-1);
    expect(event).toMatchObject({ type: "user.machine.key.added", actor: signer.userId });
    expect(JSON.parse(String(event?.payload)).via).toEqual([parties.server.admin.userId]);
  });
});

describe("an assertion in another's name", () => {
  const odd = async (given: Odd) =>
    await askFor(parties, await assertionOf(parties, signer.file, given));
  const now = () => Math.floor(Date.now() / 1_000);

  test.each<readonly [string, () => object]>([
    ["for several, of which we are one", () => ({ aud: ["x", parties.server.url] })],
    ["for the token endpoint", () => ({ aud: `${parties.server.url}/oauth/v2/token` })],
    ["of any age that has not ended", () => ({ iat: 1, exp: now() + 10 })],
    ["that does not say when it was made", () => ({ iat: undefined })],
  ])("is taken %s", async (_, claims) => {
    expect(await odd({ claims: claims() })).toMatchObject({ status: 200 });
  });

  few().each<readonly [string, () => Odd]>([
    ["of another machine", () => ({ claims: { iss: v7(), sub: v7() } })],
    ["by another machine", () => ({ claims: { iss: v7() } })],
    ["for another", () => ({ claims: { sub: v7() } })],
    ["of nobody", () => ({ claims: { iss: undefined, sub: undefined } })],
    ["of a person", () => ({ claims: { iss: "nobody", sub: "nobody" } })],
    ["for another service", () => ({ claims: { aud: "https://other.example.com" } })],
    ["for nobody", () => ({ claims: { aud: undefined } })],
    ["that has ended", () => ({ claims: { exp: now() - 10 } })],
    ["that does not end", () => ({ claims: { exp: undefined } })],
    ["for more than an hour", () => ({ claims: { exp: now() + 3_700 } })],
    ["that has yet to begin", () => ({ claims: { nbf: now() + 60 } })],
    ["that will be made", () => ({ claims: { iat: now() + 60 } })],
    ["that has yet to begin, in a text", () => ({ claims: { nbf: String(now() + 60) } })],
    ["that was made at no time", () => ({ claims: { iat: null } })],
    ["with an odd id", () => ({ claims: { jti: 7 } })],
    ["that names no key", () => ({ header: { kid: undefined } })],
    ["that names another key", () => ({ header: { kid: v7() } })],
    ["that names what is no key", () => ({ header: { kid: "__proto__" } })],
    ["of another algorithm", () => ({ header: { alg: "PS256" } })],
    [
      "by another's key",
      () => ({ key: generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey }),
    ],
  ])("is refused %s, in the same words", async (_, given) => {
    expect(await odd(given())).toEqual(refused);
  });

  test("is refused without a signature, or with one of the public part", async () => {
    const { userId, keyId, key } = signer.file;
    const claims = { iss: userId, sub: userId, aud: parties.server.url, exp: now() + 60 };
    expect(await askFor(parties, new UnsecuredJWT(claims).encode())).toEqual(refused);
    const parts = [{ alg: "HS256", kid: keyId }, claims];
    const text = parts
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const pem = createPublicKey(key).export({ format: "pem", type: "spki" });
    const mac = createHmac("sha256", pem).update(text).digest("base64url");
    expect(await askFor(parties, `${text}.${mac}`)).toEqual(refused);
    for (const none of ["", "x", "a.b.c", "e30.e30.e30"]) {
      expect(await askFor(parties, none)).toMatchObject({ status: 400 });
    }
  });

  test("with an id is taken once", async () => {
    const assertion = await assertionOf(parties, signer.file, { claims: { jti: randomUUID() } });
    const told = await Promise.all(Array.from({ length: 4 }, () => askFor(parties, assertion)));
    expect(told.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  test("is no client: who proves itself besides is refused", async () => {
    const assertion = await assertionOf(parties, signer.file);
    const app = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" });
    const { clientSecret } = await parties.call("PUT", `${signer.path}/secret`, {});
    for (const [id, secret] of [
      [app.clientId, app.clientSecret],
      [signer.userId, String(clientSecret)],
      [signer.userId, "wrong"],
    ] as const) {
      const { status } = await askFor(parties, assertion, {}, basic(id, secret));
      expect(status).toBeGreaterThanOrEqual(400);
    }
    // Nor is one that proves a machine by its secret.
    expect(
      await askFor(parties, "x", {}, basic(signer.userId, String(clientSecret))),
    ).toMatchObject({ body: { error: expect.stringMatching(/^invalid_/) } });
    await parties.call("DELETE", `${signer.path}/secret`);
  });

  test("is taken for the organization of the machine alone, as a secret is", async () => {
    const { organization: own } = parties.server.admin;
    const { clientSecret } = await parties.call("PUT", `${signer.path}/secret`, {});
    const headers = basic(signer.userId, String(clientSecret));
    const bySecret = (scope: string) =>
      post(parties, "/oauth/v2/token", { grant_type: "client_credentials", scope }, headers);
    const byKey = async (scope: string) =>
      askFor(parties, await assertionOf(parties, signer.file), { scope });
    for (const ask of [byKey, bySecret]) {
      expect(await ask(`openid urn:iam:org:id:${own}`)).toMatchObject({ status: 200 });
      for (const other of [v7(), "x", `${own} urn:iam:org:id:${v7()}`]) {
        const { status, body } = await ask(`openid urn:iam:org:id:${other}`);
        expect([status, body.error]).toEqual([400, "invalid_scope"]);
      }
    }
    await parties.call("DELETE", `${signer.path}/secret`);
    // Who has proven nothing does not learn of which organization a machine is.
    const key = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
    const unproven = await assertionOf(parties, signer.file, { key });
    const scope = `urn:iam:org:id:${v7()}`;
    expect(await askFor(parties, unproven, { scope })).toEqual(refused);
  });

  test("missing, or with a scope that is none, is a malformed request", async () => {
    const assertion = await assertionOf(parties, signer.file);
    expect((await askFor(parties, assertion, { scope: '"' })).body.error).toBe("invalid_scope");
    const body = new URLSearchParams({ grant_type: machineGrant });
    const url = `${parties.server.url}/oauth/v2/token`;
    expect(await (await fetch(url, { method: "POST", body })).json()).toEqual({
      ...{ error: "invalid_request", error_description: "the assertion is missing" },
    });
  });
});

test("GHSA-pvm5-9frx-264r: a signature is checked for who has no such key, too", () => {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const { n = "", e = "" } = pair.publicKey.export({ format: "jwk" });
  const state = userWith({ keys: { k: { publicKey: { kty: "RSA", n, e }, ...made } } });
  const found = { userId: "u", state, changedMs: 0 };
  const moduli = [
    signerKeysOf(found, "k", Date.now()),
    signerKeysOf(found, "other", Date.now()),
    signerKeysOf({ ...found, state: inactive(state) }, "k", Date.now()),
    signerKeysOf(undefined, "k", Date.now()),
  ].flatMap((keys) => keys.map((key) => [key.asymmetricKeyDetails, key.equals(pair.publicKey)]));
  const details = { modulusLength: 2_048, publicExponent: 65_537n };
  expect(moduli).toEqual([true, false, false, false].map((isOwn) => [details, isOwn]));
});

test("long names of what does not exist: what is made of a caller has no key but its own", () => {
  const keys = { k: { publicKey: { kty: "RSA", n: "n", e: "AQAB" }, ...made } } as const;
  const found = { userId: "u", state: userWith({ keys }), changedMs: 0 };
  const proofs = [undefined, "k", "x".repeat(1_000), "toString", ["k"]].map(
    (named) => oursOf(signerMetadataOf(found, named)).proof,
  );
  expect(proofs).toEqual(["", "k", "", "", ""].map((keyId) => ({ keyId })));
  expect(signerMetadataOf(undefined, "k")).toEqual(signerMetadataOf(undefined, "other"));
});
