import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import type { HumanState } from "../../src/domain/user/state/login-state.ts";
import type { FoundUser } from "../../src/provider/base/rows.ts";
import { countTry, noteRight } from "../../src/provider/base/tries.ts";
import { type Browser, errorIn } from "./browser.ts";
import { type App, begin, type Parties, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";
import { unitOf } from "./unit.ts";

const { codesOfDay, codesMs, failures, lockedMs } = loginLimits;
const otpCode = "JBSWY3DPEHPK3PXPJBSWY3DP";

let parties: Parties;
let app: App;
beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

test("one-time codes guessed on and on: a known browser has so many in a day", async () => {
  const { userName, password } = await parties.givenPerson({ otpCode });
  const { clock } = parties;
  const browsers = [parties.browser(), parties.browser()] as const;
  const [own, other] = browsers;
  const open = async (browser: Browser) => {
    await browser.open((await begin(app, { prompt: "login" })).url.href);
    await browser.send({ userName, password });
  };
  const logIn = async (browser: Browser) => {
    // Each code is valid once.
    clock.nowMs += 60_000;
    await open(browser);
    const page = await browser.send({ code: codeAt(otpCode, clock.nowMs) }, "otp");
    return page.url.includes("code=") ? "in" : errorIn(page);
  };
  for (const browser of browsers) expect(await logIn(browser)).toBe("in");
  const startMs = clock.nowMs;
  const guess = async (): Promise<string | undefined> => {
    let told: string | undefined;
    // The first try of each quarter of an hour is the password.
    for (let tries = 1; tries < failures; tries += 1) {
      if (tries === 1) await open(own);
      told = errorIn(await own.send({ code: "000000" }, "otp"));
      tried += 1;
      if (tried === codesOfDay) break;
    }
    clock.nowMs += lockedMs;
    return told;
  };
  let tried = 0;
  while (tried < codesOfDay) expect(await guess()).toContain("isn’t valid");
  // A login in the other browser forgives nothing here, and is none the worse for it.
  expect(await logIn(other)).toBe("in");
  expect(await logIn(own)).toContain("too many wrong codes in this browser");
  clock.nowMs = startMs + codesMs + 60_000;
  for (let times = 0; times < 3; times += 1) expect(await logIn(own)).toBe("in");
});

test("one-time codes guessed on and on: a right one uses none of those of the day up", async () => {
  const { store } = parties.server;
  let nowMs = Date.now();
  const site = unitOf(store, () => nowMs);
  const login = { failures: 0, sinceMs: 0, sessions: [], browsers: ["known"], consents: [] };
  const state = { human: { login } as Partial<HumanState> };
  const found = { userId: v7(), state } as FoundUser;
  const given = { name: found.userId, found, browser: "known", address: undefined, isCode: true };
  const told = new Set<string>();
  for (let times = 0; times <= codesOfDay; times += 1) {
    if (times % failures === 0) nowMs += lockedMs;
    told.add(await countTry(site, given));
    await noteRight(site, given);
  }
  expect([...told]).toEqual(["counts"]);
  for (let times = 0; times < codesOfDay; times += 1) await countTry(site, given);
  expect(await countTry(site, given)).toBe("too many of the day");
});
