import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { scopeLimits } from "../../src/provider/token/scopes.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { basic, post } from "./asking.ts";
import type { Browser } from "./browser.ts";
import { askFor, assertionOf, givenSigner } from "./machines.ts";
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const keyed = (length: number) => `urn:iam:org:project:role:${"x".repeat(length)}`;
const longest = keyed(scopeLimits.roleCharacters);
/** Scopes of which the service offers the first and the last. */
const asked = ["openid", "read:all", keyed(scopeLimits.roleCharacters + 1), longest].join(" ");
const offered = `openid ${longest}`;

/** The scope that is kept under something of which the holder knows the secret. */
async function scopeOf(model: string, secret: string): Promise<string | undefined> {
  const key = `${model}:${hashSecret(secret)}`;
  const kept = await parties.server.store.artifacts.find(key, parties.clock.nowMs);
  return JSON.parse(kept?.payload ?? "{}").scope;
}

async function givenLoggedIn() {
  const browser = parties.browser();
  const tokens = await logIn(browser, app, await parties.givenPerson());
  return { browser, hint: String(tokens.id_token) };
}

/** Where a login leads to that needs no page. */
async function back(browser: Browser, parameters: { readonly [name: string]: string }) {
  const begun = await begin(app, { prompt: "none", ...parameters });
  const { url } = await browser.open(begun.url.href);
  return { begun, url, told: new URL(url).searchParams };
}

describe("tokens as long as their holder likes: a scope that is not offered is in none", () => {
  test("of a person", async () => {
    const { browser } = await givenLoggedIn();
    const { begun, url, told } = await back(browser, { scope: asked });
    expect(await scopeOf("AuthorizationCode", String(told.get("code")))).toBe(offered);
    const tokens = await fetchTokens(app, begun, url);
    expect(tokens.scope).toBe(offered);
    expect(await scopeOf("AccessToken", tokens.access_token)).toBe(offered);
    // What was granted before is no more than it was, either.
    const plain = await back(browser, { scope: "openid" });
    const { access_token } = await fetchTokens(app, plain.begun, plain.url);
    expect(await scopeOf("AccessToken", access_token)).toBe("openid");
  });

  test("of a machine, whether by its secret or its key", async () => {
    const { userId, path, file } = await givenSigner(parties);
    const { clientSecret } = await parties.call("PUT", `${path}/secret`, {});
    const headers = basic(userId, String(clientSecret));
    const fields = { grant_type: "client_credentials", scope: asked };
    const bySecret = await post(parties, "/oauth/v2/token", fields, headers);
    const byKey = await askFor(parties, await assertionOf(parties, file), { scope: asked });
    for (const { status, body } of [bySecret, byKey]) {
      expect([status, body.scope]).toEqual([200, offered]);
      expect(await scopeOf("ClientCredentials", String(body.access_token))).toBe(offered);
    }
    const none = await askFor(parties, await assertionOf(parties, file), { scope: "read:all" });
    expect(none.status).toBe(200);
    expect(none.body).not.toHaveProperty("scope");
  });
});

describe("tokens as long as their holder likes: the parameters of a login in a session", () => {
  test("have so many bytes, and not one more, besides the hint at who is logged in", async () => {
    const { browser, hint } = await givenLoggedIn();
    const { url } = await begin(app, { prompt: "none", nonce: "" });
    const others = Buffer.byteLength(JSON.stringify(Object.fromEntries(url.searchParams)));
    const nonce = "x".repeat(loginLimits.begunBytes - others);
    const { told } = await back(browser, { nonce, id_token_hint: hint });
    expect(told.get("code")).toMatch(/./);
    const refused = (await back(browser, { nonce: `${nonce}x` })).told;
    expect(refused.get("error")).toBe("invalid_request");
    expect(refused.get("error_description")).toContain(`${loginLimits.begunBytes} bytes`);
    expect(refused.get("code")).toBeNull();
  });
});
