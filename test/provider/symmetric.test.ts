import {
  createCipheriv,
  createHash,
  createHmac,
  pbkdf2Sync,
  randomBytes,
  randomUUID,
} from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { few } from "../harness/in-full.ts";
import { basic, post, type Told } from "./asking.ts";
import { begin, logIn, type Parties, startParties } from "./relying.ts";

// A secret that both sides have is no key: neither it nor the hash that is kept of it.

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** A JWT with a MAC by a secret, or without any. */
function macced(alg: "HS256" | "HS384" | "HS512" | "none", secret: string, claims: object): string {
  const text = `${encode({ alg, typ: "JWT" })}.${encode(claims)}`;
  if (alg === "none") return `${text}.`;
  return `${text}.${createHmac(`sha${alg.slice(2)}`, secret)
    .update(text)
    .digest("base64url")}`;
}

/** An unsigned JWT in a JWE (RFC 7516) whose key comes from a secret. */
function encrypted(alg: "dir" | "A256KW" | "PBES2-HS256+A128KW", secret: string, claims: object) {
  const salt = randomBytes(16);
  const more = alg.startsWith("PBES2") ? { p2s: salt.toString("base64url"), p2c: 1_000 } : {};
  const head = encode({ alg, enc: "A256GCM", cty: "JWT", ...more });
  const cek = alg === "dir" ? sha256(secret) : randomBytes(32);
  const wrap = (cipher: string, key: Buffer) => {
    const wrapping = createCipheriv(cipher, key, Buffer.alloc(8, 0xa6));
    return Buffer.concat([wrapping.update(cek), wrapping.final()]);
  };
  const saltInput = Buffer.concat([Buffer.from(alg), Buffer.alloc(1), salt]);
  const wrapped = {
    dir: () => Buffer.alloc(0),
    A256KW: () => wrap("id-aes256-wrap", sha256(secret)),
    "PBES2-HS256+A128KW": () =>
      wrap("id-aes128-wrap", pbkdf2Sync(secret, saltInput, 1_000, 16, "sha256")),
  }[alg]();
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", cek, iv).setAAD(Buffer.from(head));
  const plain = macced("none", secret, claims);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  const parts = [wrapped, iv, body, cipher.getAuthTag()].map((part) => part.toString("base64url"));
  return [head, ...parts].join(".");
}

/** The claims in each way in which a secret, or the hash of it, could vouch for them. */
function vouched(clientSecret: string, claims: object): readonly string[] {
  const hash = createHash("sha256").update(clientSecret).digest("hex");
  return [clientSecret, hash].flatMap((secret) => [
    ...(["HS256", "HS384", "HS512", "none"] as const).map((alg) => macced(alg, secret, claims)),
    ...(["dir", "A256KW", "PBES2-HS256+A128KW"] as const).map((alg) =>
      encrypted(alg, secret, claims),
    ),
  ]);
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const secretBy = (method: string) => ({ authMethodType: `OIDC_AUTH_METHOD_TYPE_${method}` });

function assertionOf(clientId: string, aud: string) {
  const now = Math.floor(Date.now() / 1_000);
  return { iss: clientId, sub: clientId, aud, iat: now, exp: now + 60, jti: randomUUID() };
}

/** What is encrypted is not even looked into. */
function expectRefused({ status, body }: Told, assertion: string): void {
  const isMacced = assertion.split(".").length === 3;
  const expected = isMacced ? [401, "invalid_client"] : [400, "invalid_request"];
  expect([assertion, status, body.error]).toEqual([assertion, ...expected]);
}

test("nothing symmetric is offered", async () => {
  const { url } = parties.server;
  const found = await (await fetch(`${url}/.well-known/openid-configuration`)).text();
  expect(found).not.toMatch(/client_secret_jwt|"HS\d|"dir"|A\d{3}(?:GCM)?KW|PBES2|encryption/);
});

describe("an application whose secret is", () => {
  few().each(["BASIC", "POST"])("shown by %s proves itself by no JWT", async (method) => {
    const app = await parties.givenApp(secretBy(method));
    const { url } = parties.server;
    for (const aud of [url, `${url}/oauth/v2/token`]) {
      for (const assertion of vouched(app.clientSecret, assertionOf(app.clientId, aud))) {
        const proof = { client_assertion_type: assertionType, client_assertion: assertion };
        const told = await post(parties, "/oauth/v2/token", {
          ...{ grant_type: "refresh_token", refresh_token: "any", ...proof },
        });
        expectRefused(told, assertion);
      }
    }
  });
});

test("an API proves itself by no JWT that its secret vouches for", async () => {
  const path = `/management/v1/projects/${parties.server.project}/apps/api`;
  const made = await parties.call("POST", path, {
    ...{ name: randomUUID(), authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
  });
  const [clientId, clientSecret] = [String(made.clientId), String(made.clientSecret)];
  for (const assertion of vouched(clientSecret, assertionOf(clientId, parties.server.url))) {
    const proof = { client_assertion_type: assertionType, client_assertion: assertion };
    const told = await post(parties, "/oauth/v2/introspect", { token: "any", ...proof });
    expect([told.status, told.body.error]).toEqual([401, "invalid_client"]);
  }
});

test("what the hash of a machine's secret is shown as gets no token", async () => {
  const machine = { userName: randomUUID(), name: "Robot" };
  const { userId } = await parties.call("POST", "/management/v1/users/machine", machine);
  const path = `/management/v1/users/${String(userId)}/secret`;
  const made = await parties.call("PUT", path, {});
  const [clientId, secret] = [String(made.clientId), String(made.clientSecret)];
  const fetchToken = (shown: string) =>
    post(parties, "/oauth/v2/token", { grant_type: "client_credentials" }, basic(clientId, shown));
  const hash = createHash("sha256").update(secret).digest("hex");
  expect((await fetchToken(hash)).body.error).toBe("invalid_client");
  expect((await fetchToken(secret)).status).toBe(200);
  for (const assertion of vouched(secret, assertionOf(clientId, parties.server.url))) {
    const told = await post(parties, "/oauth/v2/token", {
      ...{ grant_type: "client_credentials", client_assertion_type: assertionType },
      client_assertion: assertion,
    });
    expectRefused(told, assertion);
  }
});

test("no request and no token is believed for a secret that vouches for it", async () => {
  const app = await parties.givenApp(secretBy("BASIC"));
  const person = await parties.givenPerson();
  const browser = parties.browser();
  const { id_token, access_token } = await logIn(browser, app, person);
  const claimsOf = (token: string | undefined) =>
    JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString());
  const asked = { iss: app.clientId, aud: parties.server.url, client_id: app.clientId };
  for (const request of vouched(app.clientSecret, { ...asked, prompt: "none" })) {
    const { url } = await begin(app, { request });
    const page = await browser.open(url.href);
    expect(page.url).toContain("error=request_not_supported");
  }
  for (const token of vouched(app.clientSecret, claimsOf(id_token))) {
    const end = new URL(`${parties.server.url}/oidc/v1/end_session`);
    end.searchParams.set("id_token_hint", token);
    expect((await fetch(end)).status).toBe(400);
    const { url } = await begin(app, { prompt: "none", id_token_hint: token });
    expect((await browser.open(url.href)).url).toContain("error=invalid_request");
    const info = `${parties.server.url}/oidc/v1/userinfo`;
    const answer = await fetch(info, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
  }
  // The same person with what the service has signed goes on.
  const { url } = await begin(app, { prompt: "none", id_token_hint: String(id_token) });
  expect((await browser.open(url.href)).url).toContain("code=");
  expect(access_token).toEqual(expect.any(String));
});
