import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { createPeers } from "../../src/port/peer.ts";
import { createPasswords } from "../../src/secrets/passwords/passwords.ts";
import { HashingOverloaded } from "../../src/secrets/passwords/threads.ts";
import { createRandom } from "../../src/secrets/random.ts";
import { inFull } from "../harness/in-full.ts";
import { remembering } from "../harness/passwords.ts";
import { type Browser, errorIn } from "./browser.ts";
import { type App, begin, type Parties, type Person, startParties } from "./relying.ts";

// Passwords that the service is too busy to compare.

let parties: Parties;
let app: App;
let isBusy = false;

beforeAll(async () => {
  const real = remembering(createPasswords({ random: createRandom(randomBytes) }));
  parties = await startParties({
    peers: createPeers([["127.0.0.1", 32]]),
    passwords: {
      ...real,
      verifyPassword: async (...given) => {
        if (isBusy) throw new HashingOverloaded();
        return await real.verifyPassword(...given);
      },
    },
  });
  app = await parties.givenApp();
});
afterAll(() => parties.close());

async function attempt(browser: Browser, { userName, password }: Person) {
  await browser.open((await begin(app, { prompt: "login" })).url.href);
  return await browser.send({ userName, password });
}

/** Tries so often while the service is busy that as many wrong ones would lock. */
async function tryInVain(browser: Browser, person: Person): Promise<void> {
  isBusy = true;
  for (let tries = 0; tries <= loginLimits.failures; tries += 1) {
    expect(await attempt(browser, person)).toMatchObject({ status: 429 });
  }
  isBusy = false;
}

inFull("use up no try of a person whose browser is strange", async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser({ "x-forwarded-for": "198.51.100.1" });
  await tryInVain(browser, person);
  expect((await attempt(browser, person)).url).toContain("code=");
});

test("use up no try in a browser that is known", async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser({ "x-forwarded-for": "198.51.100.2" });
  expect((await attempt(browser, person)).url).toContain("code=");
  await tryInVain(browser, person);
  expect((await attempt(browser, person)).url).toContain("code=");
});

inFull("leave what was used up before as it is", async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser({ "x-forwarded-for": "198.51.100.3" });
  for (let tries = 1; tries < loginLimits.failures; tries += 1) {
    await attempt(browser, { ...person, password: "wrong" });
  }
  await tryInVain(browser, person);
  const page = await attempt(browser, { ...person, password: "wrong" });
  expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining("Wrong user name")]);
  expect((await attempt(browser, person)).url).not.toContain("code=");
});
