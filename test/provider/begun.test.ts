import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/login-state.ts";
import { createPeers } from "../../src/port/peer.ts";
import { countBegun } from "../../src/provider/login/tries.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { type App, begin, logIn, type Parties, startParties } from "./relying.ts";

/** What strangers make the service keep, before they have said who they are. */

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties({ peers: createPeers([["127.0.0.1", 32]]) });
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const from = (address: string) => ({ "x-forwarded-for": `203.0.113.200, ${address}` });

/** Has an address begin as much as it may, but for so much. */
async function exhaust(address: string, left: number): Promise<void> {
  const { artifacts } = parties.server.store;
  const { nowMs } = parties.clock;
  const key = `begun:${hashSecret(address)}`;
  for (let i = left; i < loginLimits.begunOfAddress; i += 1) {
    await artifacts.count(key, nowMs + loginLimits.lockedMs, nowMs);
  }
}

test("an address may begin so many logins, and no more until some time later", async () => {
  const { server, clock } = parties;
  const parts = { store: server.store, now: () => clock.nowMs };
  const one = "203.0.113.7";
  for (let i = 1; i < loginLimits.begunOfAddress; i += 1) await countBegun(parts, one);
  expect(await countBegun(parts, one)).toBe(true);
  expect(await countBegun(parts, one)).toBe(false);
  expect(await countBegun(parts, "203.0.113.8")).toBe(true);
  expect(await countBegun(parts, undefined)).toBe(true);
  const later = { ...parts, now: () => clock.nowMs + loginLimits.lockedMs };
  expect(await countBegun(later, one)).toBe(true);
});

describe("strangers filling the store: past it nothing is kept of", () => {
  const garbage = { cookie: "iam.session=garbage" };
  test.each([
    ["a login", "203.0.113.21", async () => (await begin(app)).url.href, {}],
    ["a logout of nobody", "203.0.113.22", async () => "/oidc/v1/end_session?state=x", {}],
    [
      "a session that is not there",
      "203.0.113.23",
      async () => (await begin(app, { prompt: "none" })).url.href,
      garbage,
    ],
  ])("%s", async (_what, address, urlOf, more) => {
    await exhaust(address, 1);
    const ask = async (sender: string) => {
      const url = new URL(await urlOf(), parties.server.url);
      const headers = { ...more, ...from(sender), accept: "text/html" };
      return await fetch(url, { headers, redirect: "manual" });
    };
    expect((await ask(address)).status).toBeLessThan(400);
    const refused = await ask(address);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("temporarily_unavailable");
    expect(refused.headers.get("location")).toBeNull();
    expect((await ask("203.0.113.24")).status).toBeLessThan(400);
  });
});

test("who is logged in goes straight on, however much others of the address begin", async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser(from("203.0.113.31"));
  await logIn(browser, app, person);
  await exhaust("203.0.113.31", 0);
  const { url } = await browser.open((await begin(app)).url.href);
  expect(url).toContain("code=");
});

test("a session ends so long after its login, however often it is used", async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser();
  await logIn(browser, app, person);
  const again = async () => (await browser.open((await begin(app, silent)).url.href)).url;
  const silent = { prompt: "none" };
  const begunMs = parties.clock.nowMs;
  parties.clock.nowMs = begunMs + loginLimits.sessionMs - 60_000;
  expect(await again()).toContain("code=");
  parties.clock.nowMs = begunMs + loginLimits.sessionMs + 1_000;
  expect(await again()).toContain("error=login_required");
});
