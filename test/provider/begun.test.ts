import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { createPeers } from "../../src/port/peer.ts";
import { ringFamilies } from "../../src/provider/base/ring.ts";
import { countBegun } from "../../src/provider/base/tries.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { few, inFull } from "../harness/in-full.ts";
import { singly } from "../store/singly.ts";
import type { Browser } from "./browser.ts";
import { type App, begin, callback, logIn, type Parties, startParties } from "./relying.ts";
import { unitOf } from "./unit.ts";

/** What strangers make the service keep, before they have said who they are. */

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties({ peers: createPeers([["127.0.0.1", 32]]) });
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const from = (address: string) => ({ "x-forwarded-for": `203.0.113.200, ${address}` });

/** Counts something so often, all in one transaction. */
async function countOften(kind: "begun" | "tries", whose: string, times: number): Promise<void> {
  const artifacts = singly(parties.server.store.artifacts);
  const { nowMs } = parties.clock;
  const key = `${kind}:${hashSecret(whose)}`;
  const count = () => artifacts.count(key, nowMs + loginLimits.lockedMs, nowMs);
  await Promise.all(Array.from({ length: times }, count));
}

/** Has an address begin as much as it may, but for so much. */
const exhaust = (address: string, left: number) =>
  countOften("begun", address, loginLimits.begunOfAddress - left);

test("an address may begin so many logins, and no more until some time later", async () => {
  const { server, clock } = parties;
  const parts = unitOf(server.store, () => clock.nowMs);
  const one = "203.0.113.7";
  for (let i = 1; i < loginLimits.begunOfAddress; i += 1) await countBegun(parts, one);
  expect(await countBegun(parts, one)).toBe(true);
  expect(await countBegun(parts, one)).toBe(false);
  expect(await countBegun(parts, "203.0.113.8")).toBe(true);
  expect(await countBegun(parts, undefined)).toBe(true);
  const later = unitOf(server.store, () => clock.nowMs + loginLimits.lockedMs);
  expect(await countBegun(later, one)).toBe(true);
});

inFull("strangers filling the store: a /48 begins so many, from however many /64", async () => {
  const { server, clock } = parties;
  const parts = unitOf(server.store, () => clock.nowMs);
  await countOften("begun", "2001:db8:7::/48", loginLimits.begunOfSite - 1);
  expect(await countBegun(parts, "2001:db8:7:1::/64")).toBe(true);
  expect(await countBegun(parts, "2001:db8:7:2::/64")).toBe(false);
  expect(await countBegun(parts, "2001:db8:8:2::/64")).toBe(true);
});

/** The key under which the login is kept that a page is of. */
const keyOf = (url: string) => `Interaction:${hashSecret(url.split("/").at(-1) ?? "")}`;

/** Sends a form to a page, and does not go where it leads to; answers the status. */
async function post(browser: Browser, url: string, form: Record<string, string>): Promise<number> {
  const cookies = [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`);
  const headers = { cookie: cookies.join("; "), origin: new URL(url).origin };
  const body = new URLSearchParams(form);
  return (await fetch(url, { method: "POST", headers, body, redirect: "manual" })).status;
}

describe("strangers filling the store: one place in the ring is for", () => {
  const familyOf = async (key: string) =>
    (await parties.server.store.artifacts.find(key, parties.clock.nowMs))?.family;

  /** Does it as often as a part of the ring has places, and a few times at once. */
  async function often(act: () => Promise<number>): Promise<Set<number>> {
    const statuses = new Set<number>();
    for (let i = 0; i < loginLimits.begun / ringFamilies; i += 10) {
      for (const status of await Promise.all(Array.from({ length: 10 }, act))) statuses.add(status);
    }
    return statuses;
  }

  test("a login, however often it is given up", async () => {
    const browser = parties.browser();
    const { url } = await browser.open((await begin(app)).url.href);
    const family = await familyOf(keyOf(url));
    const cancel = () => post(browser, url, { step: "cancel" });
    expect(await often(cancel)).toEqual(new Set([303]));
    expect(family).toMatch(/^begun:/);
    expect(await familyOf(keyOf(url))).toBe(family);
    // The last of it leads back to the application.
    expect((await browser.send({}, "cancel")).url).toContain("error=access_denied");
  });

  inFull("a session of nobody, however often a logout is asked for in it", async () => {
    const { url } = parties.server;
    const first = await fetch(`${url}/oidc/v1/end_session?state=x`);
    const cookies = first.headers.getSetCookie().map((one) => one.split(";")[0] ?? "");
    const id = cookies.find((one) => one.startsWith("iam.session="))?.split("=")[1] ?? "";
    const key = `Session:${hashSecret(id)}`;
    const family = await familyOf(key);
    const headers = { cookie: cookies.join("; ") };
    const ask = () => fetch(`${url}/oidc/v1/end_session?state=y`, { headers });
    expect(await often(async () => (await ask()).status)).toEqual(new Set([200]));
    expect(family).toMatch(/^begun:/);
    expect(await familyOf(key)).toBe(family);
  });
});

describe("strangers filling the store: what is kept of one", () => {
  const ask = async (state: string) => {
    const { url } = await begin(app, { state });
    return await fetch(url, { redirect: "manual" });
  };

  test("has room for what an honest application sends", async () => {
    const state = "x".repeat(1_536);
    const person = await parties.givenPerson();
    const browser = parties.browser();
    await browser.open((await begin(app, { state })).url.href);
    const back = await browser.send({ userName: person.userName, password: person.password });
    expect(new URL(back.url).searchParams.get("state")).toBe(state);
  });

  test("has so many bytes, and not one more", async () => {
    const { url } = await begin(app, { state: "" });
    const others = Buffer.byteLength(JSON.stringify(Object.fromEntries(url.searchParams)));
    const state = "x".repeat(loginLimits.begunBytes - others);
    expect((await ask(state)).headers.get("location")).toContain("/ui/login/");
    const refused = new URL(String((await ask(`${state}x`)).headers.get("location")));
    expect(refused.origin + refused.pathname).toBe(callback);
    expect(refused.searchParams.get("error")).toBe("invalid_request");
    expect(refused.searchParams.get("error_description")).toContain("2048 bytes");
    expect(refused.searchParams.get("state")).toBe(`${state}x`);
  });

  few().each([12_000, 2_049])(
    "is refused to a logout of nobody with %s characters",
    async (length) => {
      const logout = (state: string) =>
        fetch(`${parties.server.url}/oidc/v1/end_session?state=${state}`);
      const before = parties.server.logged().length;
      const refused = await logout("x".repeat(length));
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining("<h1>"),
      ]);
      // Nobody has made a mistake here that operators should look at.
      const lines = parties.server
        .logged()
        .slice(before)
        .map((line) => JSON.parse(line));
      expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
      expect((await logout("x".repeat(1_500))).status).toBe(200);
    },
  );
});

describe("strangers filling the store: past it nothing is kept of", () => {
  const garbage = { cookie: "iam.session=garbage" };
  few(2).each([
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

describe("CVE-2024-47070: addresses that cannot be read share one count, which", () => {
  const login = async (forwarded: string) => {
    const { url } = await begin(app);
    const headers = { "x-forwarded-for": forwarded };
    return (await fetch(url, { headers, redirect: "manual" })).status;
  };
  const unreadable = ["unknown", "203.0.113.78, unknown", "_hidden", "", "203.0.113.256"];

  test("bounds the logins that they begin", async () => {
    parties.clock.nowMs += loginLimits.lockedMs;
    await exhaust("unknown", unreadable.length);
    for (const forwarded of unreadable) expect(await login(forwarded)).toBe(303);
    for (const forwarded of unreadable) expect(await login(forwarded)).toBe(429);
    expect(await login("203.0.113.41")).toBe(303);
  });

  inFull("bounds the passwords that they try, as that of any address does", async () => {
    parties.clock.nowMs += loginLimits.lockedMs;
    const hidden = parties.browser({ "x-forwarded-for": "_hidden" });
    const elsewhere = parties.browser(from("203.0.113.42"));
    for (const one of [hidden, elsewhere]) await one.open((await begin(app)).url.href);
    await countOften("tries", "address unknown", loginLimits.triesOfAddress - 1);
    const wrong = { userName: "nobody", password: "wrong" };
    expect((await hidden.send(wrong)).status).toBe(400);
    expect((await hidden.send(wrong)).status).toBe(429);
    expect((await elsewhere.send(wrong)).status).toBe(400);
  });
});

test("strangers filling the store: tries without an address count together", async () => {
  const here = parties.browser();
  await here.open((await begin(app)).url.href);
  await countOften("tries", "address unknown to us", loginLimits.triesOfMachine - 1);
  const wrong = { userName: "nobody", password: "wrong" };
  expect((await here.send(wrong)).status).toBe(400);
  expect((await here.send(wrong)).status).toBe(429);
  parties.clock.nowMs += loginLimits.lockedMs;
});
