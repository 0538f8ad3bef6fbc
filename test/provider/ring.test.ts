import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { createPeers } from "../../src/port/peer.ts";
import { createRing, ringFamilies } from "../../src/provider/base/ring.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { few, inFull } from "../harness/in-full.ts";
import { singly } from "../store/singly.ts";
import type { Browser } from "./browser.ts";
import { type App, begin, type Parties, startParties } from "./relying.ts";

// Where what strangers begin is kept.

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties({ peers: createPeers([["127.0.0.1", 32]]) });
  app = await parties.givenApp();
});
afterAll(() => parties.close());

/** The key under which the login is kept that a page is of. */
const keyOf = (url: string) => `Interaction:${hashSecret(url.split("/").at(-1) ?? "")}`;

/** Sends a form to a page, and does not go where it leads to; answers the status. */
async function post(browser: Browser, url: string, form: Record<string, string>): Promise<number> {
  const cookies = [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`);
  const headers = { cookie: cookies.join("; "), origin: new URL(url).origin };
  const body = new URLSearchParams(form);
  return (await fetch(url, { method: "POST", headers, body, redirect: "manual" })).status;
}

describe("strangers filling the store: all that is begun is kept in a ring, so that", () => {
  /** Lets so many parts of the ring be taken by others. */
  async function turn(times: number): Promise<void> {
    const { nowMs } = parties.clock;
    const count = { kind: "count", key: "begun:turn", expiresMs: nowMs + 1, isOnce: true } as const;
    const take = () => parties.server.store.artifacts.write([count], nowMs);
    await Promise.all(Array.from({ length: times }, take));
  }
  const ring = () => createRing({ store: parties.server.store, now: () => parties.clock.nowMs });

  test("what was begun goes when as much has been begun after it, and not before", async () => {
    const artifacts = singly(parties.server.store.artifacts);
    const { nowMs } = parties.clock;
    const one = ring();
    const family = await one.family();
    await artifacts.put({ key: "begun", family, payload: "", expiresMs: nowMs + 60_000 });
    for (let i = 1; i < loginLimits.begun / ringFamilies; i += 1) {
      expect(await one.family()).toBe(family);
    }
    await turn(ringFamilies - 2);
    expect(await one.family()).not.toBe(family);
    expect(await artifacts.find("begun", nowMs)).toBeDefined();
    // Another process takes its part next.
    expect(await ring().family()).toBe(family);
    expect(await artifacts.find("begun", nowMs)).toBeUndefined();
  });

  test("those who ask at once have different parts of one turn", async () => {
    const one = ring();
    const families = await Promise.all(
      Array.from({ length: (2 * loginLimits.begun) / ringFamilies }, () => one.family()),
    );
    expect(new Set(families).size).toBe(2);
  });

  few(2).each([
    ["a login that nobody goes on with goes", {}, false],
    ["so does one that was given up", { step: "cancel" }, false],
    ["one in which somebody has logged in stays", { step: "password" }, true],
  ])("%s", async (_what, filled, stays) => {
    const { userName, password } = await parties.givenPerson();
    const browser = parties.browser();
    const { url } = await browser.open((await begin(app)).url.href);
    if ("step" in filled) {
      expect(await post(browser, url, { ...filled, userName, password })).toBe(303);
    }
    const { artifacts } = parties.server.store;
    const key = keyOf(url);
    expect(await artifacts.find(key, parties.clock.nowMs)).toBeDefined();
    await Promise.all(Array.from({ length: ringFamilies }, () => ring().family()));
    expect((await artifacts.find(key, parties.clock.nowMs)) !== undefined).toBe(stays);
  });
});

inFull("strangers filling the store: what is refused turns no ring", async () => {
  const address = "203.0.113.25";
  const { nowMs } = parties.clock;
  const artifacts = singly(parties.server.store.artifacts);
  const count = () =>
    artifacts.count(`begun:${hashSecret(address)}`, nowMs + loginLimits.lockedMs, nowMs);
  await Promise.all(Array.from({ length: loginLimits.begunOfAddress }, count));
  const turns = async () => (await artifacts.find("begun:turn", nowMs))?.uses ?? 0;
  const { href } = (await begin(app)).url;
  const ask = async () =>
    (await fetch(href, { headers: { "x-forwarded-for": `203.0.113.200, ${address}` } })).status;
  const before = await turns();
  const all = Array.from({ length: (2 * loginLimits.begun) / ringFamilies }, ask);
  expect(new Set(await Promise.all(all))).toEqual(new Set([429]));
  // The part that was being filled may have been full.
  expect((await turns()) - before).toBeLessThanOrEqual(1);
});
