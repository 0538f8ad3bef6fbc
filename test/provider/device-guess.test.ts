import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { createPeers } from "../../src/port/peer.ts";
import { deviceLimits } from "../../src/provider/base/device.ts";
import { countBegun, countDeviceCode } from "../../src/provider/base/tries.ts";
import type { ArtifactWrite } from "../../src/store/artifact.ts";
import { type Browser, ofOwnPage } from "./browser.ts";
import { type Asked, ask, enter, enterAs, ofDevices } from "./devices.ts";
import { type App, type Parties, type Person, startParties } from "./relying.ts";
import { unitOf } from "./unit.ts";

const row = "the code of a device that is guessed";
const { triesOfPerson, triesOfAddress, triesOfSite, triesOfMachine, tries } = deviceLimits;

let parties: Parties;
let app: App;
let person: Person;
let asked: Asked;

beforeAll(async () => {
  parties = await startParties({ peers: createPeers([["127.0.0.1", 32]]) });
  [app, person] = [await parties.givenApp(ofDevices), await parties.givenPerson()];
});
afterAll(() => parties.close());
// What was counted before counts no more.
beforeEach(async () => {
  parties.clock.nowMs += deviceLimits.triesMs;
  asked = await ask(app);
});

const at = (address: string) => parties.browser({ "x-forwarded-for": address });
const newAddress = () => ["198.51", ...randomBytes(2)].join(".");
const site = () => unitOf(parties.server.store, () => parties.clock.nowMs);

/** The status of a wrong code. */
async function guess(browser: Browser): Promise<number> {
  await browser.open("/device");
  return (await browser.send({ user_code: "BCDF-GHJK" })).status;
}

/** Counts wrong codes of strangers, all at once. */
async function useUp(addressOf: (i: number) => string | undefined, times: number) {
  const count = (_: unknown, i: number) =>
    countDeviceCode(site(), { userId: undefined, address: addressOf(i) });
  return await Promise.all(Array.from({ length: times }, count));
}

/** What a wrong code of a stranger counts last: for all of them. */
async function countedFor(address: string): Promise<ArtifactWrite | undefined> {
  const counts: ArtifactWrite[] = [];
  const { unit, now } = site();
  const write = async (changes: readonly ArtifactWrite[]) => {
    counts.push(...changes);
    return changes.map(() => 1);
  };
  const artifacts = { ...unit.artifacts, write };
  await countDeviceCode({ unit: { ...unit, artifacts }, now }, { userId: undefined, address });
  return counts.at(-1);
}

describe(row, () => {
  test("an address has so many tries, after which a right code waits, too", async () => {
    const address = newAddress();
    await useUp(() => address, triesOfAddress - 1);
    expect(await guess(at(address))).toBe(400);
    expect(await guess(at(address))).toBe(429);
    const { status, text } = await enter(at(address), asked);
    expect([status, text]).toEqual([429, expect.stringContaining("too many attempts")]);
    expect((await enter(at(newAddress()), asked)).status).toBe(200);
    parties.clock.nowMs += deviceLimits.triesMs;
    expect(await guess(at(address))).toBe(400);
  });

  test("right codes use nothing up", async () => {
    const browser = at(newAddress());
    await enter(browser, asked);
    for (let times = 1; times <= triesOfAddress; times += 1)
      expect(await guess(at("203.0.113.9"))).toBe(400);
    expect(await guess(at("203.0.113.9"))).toBe(429);
    const address = newAddress();
    await useUp(() => address, triesOfAddress - 1);
    for (const _ of "abc") expect((await enter(at(address), asked)).status).toBe(200);
    expect(await guess(at(address))).toBe(400);
  });

  test("a /48 of IPv6 has so many, from however many addresses", async () => {
    const inSite = (i: number) => `2001:db8:7:${i.toString(16)}::/64`;
    const counted = await useUp(inSite, triesOfSite + 1);
    expect(counted.filter((one) => one === undefined)).toHaveLength(1);
  });

  test("so many come from where no address is known", async () => {
    const counted = await useUp(() => undefined, triesOfMachine + 1);
    expect(counted.filter((one) => one === undefined)).toHaveLength(1);
  });

  test("all strangers together have so many, which keeps nobody out who is logged in", async () => {
    const browser = at(newAddress());
    await enterAs(browser, await ask(app), person);
    const one = await countedFor(newAddress());
    await parties.server.store.artifacts.write(Array(tries - 1).fill(one), parties.clock.nowMs);
    expect(await guess(at(newAddress()))).toBe(400);
    expect(await guess(at(newAddress()))).toBe(429);
    expect((await enter(browser, asked)).status).toBe(200);
  });

  test("a person who is logged in has so many, in whatever browser", async () => {
    const [one, other] = [at(newAddress()), at(newAddress())];
    for (const browser of [one, other]) await enterAs(browser, await ask(app), person);
    for (let times = 1; times <= triesOfPerson; times += 1) {
      expect(await guess(times % 2 === 0 ? one : other)).toBe(400);
    }
    expect(await guess(one)).toBe(429);
    expect((await enter(other, asked)).status).toBe(429);
    parties.clock.nowMs += deviceLimits.triesMs;
    expect(await guess(one)).toBe(400);
  });

  test("to enter one code again and again counts as logins that are begun", async () => {
    const address = newAddress();
    const counting = Array.from({ length: loginLimits.begunOfAddress }, () =>
      countBegun(site(), address),
    );
    await Promise.all(counting);
    // Where nobody follows, nothing else counts it.
    const body = new URLSearchParams({ user_code: asked.user_code });
    const headers = { ...ofOwnPage, "x-forwarded-for": address };
    const sent = { method: "POST", body, headers, redirect: "manual" } as const;
    expect((await fetch(`${parties.server.url}/device`, sent)).status).toBe(429);
  });
});
