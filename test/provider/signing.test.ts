import { createHmac, createPublicKey, type JsonWebKey, sign, verify } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { signingLimits } from "../../src/domain/signing.ts";
import type { Execute } from "../../src/execute/execute.ts";
import { rotateSigningKeys } from "../../src/operate/signing.ts";
import { makeCurveKeyPair, makeKeyPair } from "../../src/secrets/key-pairs.ts";
import { type App, begin, callback, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeEach(async () => {
  parties = await startParties();
});
afterEach(() => parties.close());

const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };

/** What the command does, beside the service. */
function rotate(algorithm?: string, isUrgent = false, { execute } = parties.server) {
  const { store, keyring } = parties.server;
  const offline = { store, execute, keyring, newId: v7, now: () => parties.clock.nowMs };
  const alone = <T>(work: () => Promise<T>) => work();
  return rotateSigningKeys({ ...offline, alone }, { algorithm, isUrgent });
}

type Key = JsonWebKey & { readonly kid: string; readonly alg: string };

async function published(): Promise<readonly Key[]> {
  const response = await fetch(`${parties.server.url}/oauth/v2/keys`);
  return ((await response.json()) as { readonly keys: readonly Key[] }).keys;
}

const headOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());

/** An API of the project, to ask about tokens. */
async function givenAsking() {
  const { server, call } = parties;
  const made = await call("POST", `/management/v1/projects/${server.project}/apps/api`, {
    ...{ name: v7(), authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
  });
  const pair = Buffer.from(`${made.clientId}:${made.clientSecret}`).toString("base64");
  return async (token: string) => {
    const body = new URLSearchParams({ token });
    const headers = { authorization: `Basic ${pair}` };
    const response = await fetch(`${server.url}/oauth/v2/introspect`, {
      ...{ method: "POST", headers, body },
    });
    return ((await response.json()) as { readonly active: boolean }).active;
  };
}

/** Begins to log out as an application does; answers the status of the page. */
async function hint({ config }: App, token: string): Promise<number> {
  const { href } = oidc.buildEndSessionUrl(config, { id_token_hint: token });
  return (await fetch(href)).status;
}

/** Has openid-client check the signature too, with the keys and the discovery of now. */
async function checking(app: App): Promise<App> {
  const { url } = parties.server;
  const config = await oidc.discovery(new URL(url), app.clientId, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
  });
  return { ...app, config };
}

/** Past the look that each process takes once in a while. */
const lookMs = 60_001;

test("a key that another rotation takes out at once was added all the same", async () => {
  const { server } = parties;
  const execute: Execute = async (command) => {
    const outcome = await server.execute(command);
    await rotate("ES256", true);
    return outcome;
  };
  // The first key of all signs at once.
  await rotate("RS256", true);
  const nowMs = parties.clock.nowMs;
  const added = await rotate("RS256", false, { ...server, execute });
  expect(added.signsMs).toBeGreaterThanOrEqual(nowMs + signingLimits.publishedMs);
  const keys = await published();
  expect(keys.map(({ kid, alg }) => [kid === added.keyId, alg])).toEqual([[false, "ES256"]]);
});

describe("a key that is added", () => {
  test("is published at once, signs later, and what the key before signed stays good", async () => {
    const [made, person] = [await parties.givenApp(jwt), await parties.givenPerson()];
    const isActive = await givenAsking();
    const [first] = await published();
    const added = await rotate("ES256");
    expect(added.signsMs - parties.clock.nowMs).toBeGreaterThan(59 * 60_000);
    parties.clock.nowMs += lookMs;
    const both = await published();
    expect(both.map(({ kid, alg, kty }) => [kid, alg, kty])).toEqual([
      [first?.kid, "RS256", "RSA"],
      [added.keyId, "ES256", "EC"],
    ]);
    expect(both.filter((key) => "d" in key)).toEqual([]);

    parties.clock.nowMs = added.signsMs - 30_000;
    const app = await checking(made);
    const before = await logIn(parties.browser(), app, person);
    expect(headOf(String(before.id_token))).toMatchObject({ alg: "RS256", kid: first?.kid });
    expect(headOf(before.access_token)).toMatchObject({ alg: "RS256", kid: first?.kid });

    // Each process changes over at that time, though it has looked just now.
    parties.clock.nowMs = added.signsMs;
    const after = await logIn(parties.browser(), app, person);
    const signed = { alg: "ES256", kid: added.keyId };
    expect(headOf(String(after.id_token))).toMatchObject(signed);
    expect(headOf(after.access_token)).toMatchObject({ ...signed, typ: "at+jwt" });
    const key = both.find(({ kid }) => kid === added.keyId);
    const parts = after.access_token.split(".");
    const publicKey = createPublicKey({ key: { ...key }, format: "jwk" });
    const isSigned = verify(
      "sha256",
      Buffer.from(parts.slice(0, 2).join(".")),
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(parts[2] ?? "", "base64url"),
    );
    expect(isSigned).toBe(true);
    for (const { access_token, id_token } of [before, after]) {
      expect(await isActive(access_token)).toBe(true);
      expect(await hint(app, String(id_token))).toBe(200);
      await oidc.fetchUserInfo(app.config, access_token, person.userId);
    }

    parties.clock.nowMs = added.signsMs + signingLimits.keptMs;
    expect((await published()).map(({ kid }) => kid)).toEqual([added.keyId]);
    expect(await hint(app, String(before.id_token))).toBe(400);
    expect(await hint(app, String(after.id_token))).toBe(200);
  });

  test("of the same algorithm signs as well", async () => {
    const person = await parties.givenPerson();
    const made = await parties.givenApp();
    await published();
    const added = await rotate();
    expect(added.algorithm).toBe("RS256");
    parties.clock.nowMs = added.signsMs;
    const app = await checking(made);
    const { id_token } = await logIn(parties.browser(), app, person);
    expect(headOf(String(id_token))).toMatchObject({ alg: "RS256", kid: added.keyId });
  });

  test("in a hurry takes the place of all others, whose tokens are good no more", async () => {
    const [made, person] = [await parties.givenApp(jwt), await parties.givenPerson()];
    const isActive = await givenAsking();
    const before = await logIn(parties.browser(), made, person);
    const { keyId } = await rotate("ES256", true);
    parties.clock.nowMs += lookMs;
    expect((await published()).map(({ kid }) => kid)).toEqual([keyId]);
    expect(await isActive(before.access_token)).toBe(false);
    expect(await hint(made, String(before.id_token))).toBe(400);
    const info = oidc.fetchUserInfo(made.config, before.access_token, person.userId);
    await expect(info).rejects.toMatchObject({ status: 401 });
    const after = await logIn(parties.browser(), await checking(made), person);
    expect(headOf(String(after.id_token)).kid).toBe(keyId);
  });
});

test("other algorithms than the two are refused", async () => {
  for (const algorithm of ["HS256", "none", "PS256", "rs256"]) {
    await expect(rotate(algorithm)).rejects.toThrow("must be one of RS256, ES256");
  }
});

test("CVE-2026-11800: a key is valid for its own algorithm alone", async () => {
  const [app, person] = [await parties.givenApp(jwt), await parties.givenPerson()];
  const isActive = await givenAsking();
  const added = await rotate("ES256");
  parties.clock.nowMs += lookMs;
  const tokens = await logIn(parties.browser(), app, person);
  const keys = await published();
  const idOf = (alg: string) => keys.find((key) => key.alg === alg)?.kid;
  const secrets = keys.flatMap((key) => {
    const publicKey = createPublicKey({ key: { ...key }, format: "jwk" });
    const pem = publicKey.export({ type: "spki", format: "pem" });
    return [pem, pem.toString().trim(), JSON.stringify(key), key.n ?? key.x ?? ""];
  });
  const rsa = (await makeKeyPair()).privateKey;
  const curve = (await makeCurveKeyPair()).privateKey;
  for (const [token, isGood] of [
    [tokens.access_token, isActive],
    [String(tokens.id_token), async (text: string) => (await hint(app, text)) === 200],
  ] as const) {
    const [head = "", body = "", signature = ""] = token.split(".");
    expect(await isGood(token)).toBe(true);
    const { typ } = headOf(token);
    const withHead = (more: object) => {
      const changed = Buffer.from(JSON.stringify({ ...headOf(token), ...more }));
      return `${changed.toString("base64url")}.${body}`;
    };
    const signed = (text: string, key: string) => {
      const options = { key, dsaEncoding: "ieee-p1363" } as const;
      return `${text}.${sign("sha256", Buffer.from(text), options).toString("base64url")}`;
    };
    const forged = [
      `${head}.${body}.`,
      `${withHead({ alg: "none" })}.`,
      `${withHead({ alg: "none", kid: undefined })}.`,
      `${withHead({ alg: "ES256" })}.${signature}`,
      `${withHead({ kid: idOf("ES256") })}.${signature}`,
      `${withHead({ kid: idOf("ES256"), alg: "ES256" })}.${signature}`,
      `${withHead({ kid: "unknown" })}.${signature}`,
      signed(withHead({}), rsa),
      signed(withHead({ alg: "ES256" }), curve),
      signed(withHead({ alg: "ES256", kid: added.keyId }), curve),
      signed(withHead({ alg: "RS256", kid: added.keyId }), rsa),
      ...["RS256", "ES256"].flatMap((alg) =>
        secrets.map((secret) => {
          const text = withHead({ alg: "HS256", kid: idOf(alg), typ });
          return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
        }),
      ),
    ];
    for (const text of forged) expect([text, await isGood(text)]).toEqual([text, false]);
  }
});

test("discovery names the algorithms of all keys that are published", async () => {
  await published();
  await rotate("ES256");
  parties.clock.nowMs += lookMs;
  const at = `${parties.server.url}/.well-known/openid-configuration`;
  const { id_token_signing_alg_values_supported: offered } = (await (await fetch(at)).json()) as {
    readonly id_token_signing_alg_values_supported: readonly string[];
  };
  expect(offered).toEqual(["RS256", "ES256"]);
  const app = await parties.givenApp({
    responseTypes: ["OIDC_RESPONSE_TYPE_ID_TOKEN"],
    grantTypes: ["OIDC_GRANT_TYPE_IMPLICIT"],
  });
  const person = await parties.givenPerson();
  parties.clock.nowMs += signingLimits.publishedMs;
  const { url } = await begin(app, { response_type: "id_token", redirect_uri: callback });
  for (const name of ["code_challenge", "code_challenge_method"]) url.searchParams.delete(name);
  const browser = parties.browser();
  await browser.open(url.href);
  const back = await browser.send({ userName: person.userName, password: person.password });
  const told = new URLSearchParams(new URL(back.url).hash.slice(1));
  expect(headOf(String(told.get("id_token"))).alg).toBe("ES256");
});
