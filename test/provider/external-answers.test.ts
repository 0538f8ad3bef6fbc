import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import type { OpenIDSignIn } from "../../src/provider/external/discovery.ts";
import { createOpenIDProtocol } from "../../src/provider/external/oidc.ts";
import { allowing, type Listener, listen } from "../fetch/listener.ts";
import { heading } from "./browser.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { foreignClient, startForeign } from "./foreign.ts";
import { backOf, type Forged, forge } from "./forged.ts";
import { type App, begin, fetchTokens } from "./relying.ts";

let parties: ExternalParties;
let app: App;
let forged: Forged;
/** What answers in the network of the service, which no provider may lead it to. */
let inside: Listener;

beforeAll(async () => {
  const foreign = await startForeign();
  inside = await listen();
  const fetcher = createFetcher({
    ...{ allow: allowing(`127.0.0.1/32:${foreign.port}`), http: true },
    limits: { timeoutMs: 700 },
  });
  parties = await startExternal({ fetcher, foreign });
  app = await parties.givenApp();
});
afterAll(async () => {
  await parties.close();
  await inside.close();
});
beforeEach(() => {
  forged = forge(parties.foreign);
});

/** Of a provider that is asked for the first time: nothing of its answers is remembered. */
async function given() {
  return await parties.givenProvider({ more: { name: v7() } });
}

/** Begins a login there; answers the page that is shown, or where the browser was sent. */
async function start(idpId: string) {
  const browser = parties.browser();
  const begun = await begin(app, { idp_hint: idpId });
  const page = await browser.open(begun.url.href);
  const { searchParams } = new URL(page.url);
  forged.nonce = searchParams.get("nonce") ?? "";
  return { browser, begun, page, state: searchParams.get("state") ?? "" };
}

async function come() {
  const idpId = await given();
  const { browser, begun, state } = await start(idpId);
  const page = await browser.open(backOf(parties, idpId, { code: "c", state }));
  return { begun, page };
}

const json = { "content-type": "application/json" };
const config = "/.well-known/openid-configuration";
const big = (response: ServerResponse) => {
  response.writeHead(200, json);
  response.on("error", () => response.destroy());
  response.end(JSON.stringify({ issuer: "x".repeat(10_000_000) }));
};
const slow = (response: ServerResponse) => {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write(" "), 100);
  response.on("close", () => clearInterval(timer));
};
const packed = (response: ServerResponse) =>
  void response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync("{}"));
const into = (response: ServerResponse) =>
  void response.writeHead(307, { location: `${inside.origin}/secret` }).end();
const failing = (response: ServerResponse) => void response.writeHead(503).end("<b>no</b>");
const page = (response: ServerResponse) =>
  void response.writeHead(200, { "content-type": "text/html" }).end("<script>alert(1)</script>");

const bodies = {
  big,
  slow,
  packed,
  into,
  failing,
  page,
  "no JSON": "{",
  "a list": "[]",
  null: "null",
};
const each = Object.entries(bodies);

describe("a configuration leads nobody to a provider", () => {
  test.each<readonly [string, object]>([
    ["of another issuer", { issuer: "https://evil.example" }],
    ["without an issuer", { issuer: undefined }],
    ["that leads to a script", { authorization_endpoint: "javascript:alert(1)" }],
    ["that leads to a script after a line", { authorization_endpoint: "java\nscript:1" }],
    ["that leads to data", { authorization_endpoint: "data:text/html,<script>1</script>" }],
    ["that leads to a file", { authorization_endpoint: "file:///etc/passwd" }],
    ["that leads to a path", { authorization_endpoint: "/auth" }],
    ["that leads to a number", { authorization_endpoint: 7 }],
    ["that leads nowhere", { authorization_endpoint: undefined }],
  ])("%s", async (_, discovery) => {
    forged.discovery = { ...discovery };
    const { page: shown } = await start(await given());
    expect(shown).toMatchObject({ status: 502, url: expect.stringContaining(parties.server.url) });
    expect(shown.text).not.toMatch(/alert\(|evil|script:/);
  });

  test.each(each)("that is %s", async (_, body) => {
    forged.bodies = { [config]: body };
    const { page: shown } = await start(await given());
    expect(shown).toMatchObject({ status: 502, url: expect.stringContaining(parties.server.url) });
    expect(inside.connections()).toBe(0);
  });

  test("and is asked for again at the next login", async () => {
    const idpId = await given();
    forged.bodies = { [config]: failing };
    expect((await start(idpId)).page.status).toBe(502);
    forged.bodies = {};
    expect((await start(idpId)).page.url).toContain(`${parties.foreign.issuer}/auth?`);
  });
});

describe("what an endpoint answers lets nobody in", () => {
  const endpoints = ["/token", "/jwks", "/me"];

  test.each(endpoints.flatMap((path) => each.map(([name, body]) => [path, name, body] as const)))(
    "where %s is %s",
    async (path, _, body) => {
      forged.bodies = { [path]: body };
      const { page: shown } = await come();
      expect(shown).toMatchObject({ status: 502 });
      expect(["You weren’t logged in", "The other service isn’t responding"]).toContain(
        heading(shown),
      );
      expect(shown.text).not.toMatch(/alert\(|<b>no/);
      expect(inside.connections()).toBe(0);
    },
  );

  test.each(["token_endpoint", "jwks_uri", "userinfo_endpoint"])(
    "where the %s is inside the network",
    async (endpoint) => {
      forged.discovery = { [endpoint]: `${inside.origin}/secret` };
      const from = parties.server.logged().length;
      expect((await come()).page.status).toBe(502);
      expect(inside.connections()).toBe(0);
      // Whether anybody listens there is not said, nor what.
      expect(parties.server.logged().slice(from).join("\n")).not.toMatch(/refused: ECONN/);
    },
  );
});

test("what is honest lets somebody in", async () => {
  const sub = v7();
  const idpId = await given();
  const link = { configId: idpId, externalUserId: sub, displayName: sub };
  const { userId } = await parties.givenPerson({ idps: [link] });
  [forged.claims, forged.info] = [{ sub }, { sub }];
  const { browser, begun, state } = await start(idpId);
  const back = await browser.open(backOf(parties, idpId, { code: "c", state }));
  expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(userId);
});

describe("a provider with TLS", () => {
  const issuer = "https://idp.example.com";
  const signIn: OpenIDSignIn = {
    kind: "oidc",
    issuer,
    ...foreignClient,
    scopes: ["openid"],
    usesPkce: true,
    isIdTokenMapping: false,
    verifies: "CLAIM",
    subject: "SUB",
    anew: "login",
    displayNameMapping: "UNSPECIFIED",
    usernameMapping: "UNSPECIFIED",
  };
  const ask = {
    provider: { id: "p", organization: "o", signIn },
    secrets: { state: "s", nonce: "n", verifier: "v".repeat(43) },
    callback: "https://iam.example.com/idps/p/callback",
  };

  function addressBy(authorization_endpoint: string): Promise<URL> {
    const said = { issuer, authorization_endpoint, jwks_uri: `${issuer}/jwks` };
    const body = Buffer.from(JSON.stringify(said));
    const send = async () => ({ status: 200, mediaType: "application/json", body });
    return createOpenIDProtocol({ send, machineNow: Date.now }).address(ask);
  }

  test("leads people to an address with TLS", async () => {
    expect((await addressBy(`${issuer}/auth`)).href).toContain(`${issuer}/auth?`);
  });

  test.each(["http://idp.example.com/auth", "javascript:alert(1)", "ftp://idp.example.com/"])(
    "leads nobody to %s",
    async (address) => {
      await expect(addressBy(address)).rejects.toMatchObject({ reason: "UNUSABLE" });
    },
  );
});
