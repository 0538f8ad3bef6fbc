import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { createPeers } from "../../src/port/peer.ts";
import { countTry, isTooManyOf, noteRight } from "../../src/provider/base/tries.ts";
import { ellipticPair } from "../cases/webauthn.ts";
import { isFull } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { type Browser, errorIn, type Page } from "./browser.ts";
import { givenHolder, showPasskey } from "./passkeys.ts";
import { type App, begin, type Parties, type Person, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";
import { unitOf } from "./unit.ts";

const row = "an address that is used up";
const { failures, triesOfAddress, triesOfMachine, lockedMs } = loginLimits;

let parties: Parties;
let app: App;
let person: Person;

beforeAll(async () => {
  parties = await startParties({ peers: createPeers([["127.0.0.1", 32]]) });
  [app, person] = [await parties.givenApp(), await parties.givenPerson()];
});
afterAll(() => parties.close());
// What was counted before counts no more.
beforeEach(() => {
  parties.clock.nowMs += lockedMs;
});

const site = () => unitOf(parties.server.store, () => parties.clock.nowMs);
const at = (address: string) => parties.browser({ "x-forwarded-for": address });
const newAddress = () => ["198.51", ...randomBytes(2)].join(".");

/** Logs somebody in, or tries to, in a browser. */
async function attempt(
  browser: Browser,
  { userName, password }: Pick<Person, "userName" | "password">,
) {
  await browser.open((await begin(app, { prompt: "login" })).url.href);
  return await browser.send({ userName, password });
}

const isIn = ({ url }: Page) => url.includes("code=");
const isTooMany = (page: Page) =>
  page.status === 429 && errorIn(page)?.includes("too many attempts from your network") === true;

/** A browser with the page that asks it for a passkey. */
async function askingForPasskey(address: string): Promise<Browser> {
  const browser = at(address);
  await browser.open((await begin(app)).url.href);
  await browser.send({}, "passkey");
  return browser;
}

/** Counts so many wrong tries of an address, as passwords for names that nobody has do. */
async function useUp(address: string | undefined, tries: number = triesOfAddress): Promise<void> {
  const counting = Array.from({ length: tries }, (_, i) =>
    countTry(site(), { name: `nobody ${i}`, found: undefined, address }),
  );
  expect(new Set(await Promise.all(counting))).toEqual(new Set(["counts"]));
}

describe(`${row}:`, () => {
  inFull("right logins do not, however many there are", async () => {
    const address = newAddress();
    const known = at(address);
    await useUp(address, triesOfAddress - 1);
    for (let i = 0; i < (isFull ? 150 : 4); i += 1) {
      // In a browser that nobody knows, and in one that is known.
      const browser = i % 2 === 0 ? at(address) : known;
      expect(isIn(await attempt(browser, person))).toBe(true);
    }
    const wrong = { ...person, password: "wrong" };
    expect((await attempt(at(address), wrong)).status).toBe(400);
    expect(isTooMany(await attempt(at(address), wrong))).toBe(true);
  });

  test("wrong ones do, for strangers there, and not for known browsers and passkeys", async () => {
    const address = newAddress();
    const [holder, another] = [await givenHolder(parties), await parties.givenPerson()];
    const passkey = { ...holder.passkey, origin: parties.server.url };
    const wrong = { ...person, password: "wrong" };
    const own = at(address);
    expect(isIn(await attempt(own, person))).toBe(true);
    await useUp(address);
    for (const one of [wrong, person, another]) {
      expect(isTooMany(await attempt(at(address), one))).toBe(true);
    }
    expect(isIn(await attempt(at(newAddress()), another))).toBe(true);
    for (let i = 0; i < 2; i += 1) {
      expect(isIn(await attempt(own, person))).toBe(true);
      const browser = await askingForPasskey(address);
      expect(isIn(await showPasskey(browser, passkey))).toBe(true);
    }
    // A browser is known to one person, and a passkey is none before it was looked at.
    expect(isTooMany(await attempt(own, another))).toBe(true);
    const unknown = { ...passkey, credentialId: "A".repeat(43) };
    expect(isTooMany(await showPasskey(await askingForPasskey(address), unknown))).toBe(true);
  });

  test("answers to no question do not", async () => {
    const address = newAddress();
    const stranger = await askingForPasskey(address);
    const answer = { id: "AAAA", clientDataJSON: "e30" };
    await useUp(address, triesOfAddress - 2);
    for (let i = 0; i < 3; i += 1) {
      const page = await stranger.send(answer, "assertion");
      expect([page.status, errorIn(page)]).toEqual([
        400,
        expect.stringContaining("wasn’t accepted"),
      ]);
      await stranger.send({}, "passkey");
    }
    expect(isIn(await attempt(at(address), person))).toBe(true);
    // One that is wrong counts as a wrong password does.
    const unknown = { origin: parties.server.url, credentialId: "A".repeat(43), userHandle: "" };
    const { privateKey } = ellipticPair();
    const asked = await askingForPasskey(address);
    expect((await showPasskey(asked, { ...unknown, privateKey })).status).toBe(400);
    const wrong = { ...person, password: "wrong" };
    expect((await attempt(at(address), wrong)).status).toBe(400);
    expect(isTooMany(await attempt(at(address), wrong))).toBe(true);
  });

  inFull(
    "a known browser uses up its own tries alone: a line that a few accounts fill",
    async () => {
      const address = newAddress();
      const [own, another] = [at(address), await parties.givenPerson()];
      const others = at(address);
      expect(isIn(await attempt(own, person))).toBe(true);
      expect(isIn(await attempt(others, another))).toBe(true);
      const wrong = { ...person, password: "wrong" };
      const comparing = jest.spyOn(parties.server.passwords, "verifyPassword");
      for (let i = 0; i < failures; i += 1) expect((await attempt(own, wrong)).status).toBe(400);
      for (const [, , waits] of comparing.mock.calls) expect(waits?.ranked?.kind).toBe("known");
      // What it tries past them waits, and counts, as what strangers try.
      for (const given of [person, wrong]) {
        expect((await attempt(own, given)).status).toBe(400);
        expect(comparing.mock.lastCall?.[2]).toMatchObject({ ranked: { kind: "strangers" } });
      }
      comparing.mockRestore();
      await useUp(address, triesOfAddress - 2);
      expect(isTooMany(await attempt(own, person))).toBe(true);
      expect(isIn(await attempt(others, another))).toBe(true);
    },
  );

  inFull(
    "where none is known, strangers there do, and no known browsers and passkeys",
    async () => {
      const holder = await givenHolder(parties);
      const own = parties.browser();
      expect(isIn(await attempt(own, person))).toBe(true);
      await useUp(undefined, triesOfMachine);
      expect(isTooMany(await attempt(parties.browser(), person))).toBe(true);
      expect(isIn(await attempt(own, person))).toBe(true);
      const asked = parties.browser();
      await asked.open((await begin(app)).url.href);
      await asked.send({}, "passkey");
      const passkey = { ...holder.passkey, origin: parties.server.url };
      expect(isIn(await showPasskey(asked, passkey))).toBe(true);
    },
  );

  inFull("one-time codes count as passwords do", async () => {
    const address = newAddress();
    const otpCode = "JBSWY3DPEHPK3PXPJBSWY3DP";
    const careful = await parties.givenPerson({ otpCode });
    const own = at(address);
    const code = () => ({ code: codeAt(otpCode, parties.clock.nowMs) });
    await attempt(own, careful);
    expect(isIn(await own.send(code(), "otp"))).toBe(true);
    parties.clock.nowMs += 60_000;
    const stranger = at(address);
    await attempt(stranger, careful);
    await useUp(address);
    expect(errorIn(await stranger.send(code(), "otp"))).toContain("too many");
    await attempt(own, careful);
    expect(isIn(await own.send(code(), "otp"))).toBe(true);
  });

  test("tries at once get past no bound", async () => {
    const address = newAddress();
    const count = () => isTooManyOf(site(), address);
    const tooMany = await Promise.all(Array.from({ length: triesOfAddress + 1 }, count));
    expect(tooMany.filter(Boolean)).toHaveLength(1);
  });

  test("a try that was right is given back", async () => {
    const address = newAddress();
    const count = () => isTooManyOf(site(), address);
    await useUp(address);
    expect(await count()).toBe(true);
    for (let i = 0; i < 2; i += 1) await noteRight(site(), { found: undefined, address });
    expect([await count(), await count()]).toEqual([false, true]);
  });
});
