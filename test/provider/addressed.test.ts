import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loginCookie } from "../../src/provider/base/site.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { inFull } from "../harness/in-full.ts";
import { cookiesOf, isLetIn } from "./asking.ts";
import type { Browser } from "./browser.ts";
import { askAs } from "./mails.ts";
import { type App, begin, type Parties, type Person, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

const row = "CVE-2025-52553";
const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const uidOf = (url: string) => String(url.split("/").at(-1));
const cookieFor = (uid: string) => loginCookie({ publicUrl: () => parties.server.url }, uid);

/** Begins a login in a browser; answers the id in the address of its page. */
async function open(browser: Browser): Promise<string> {
  return uidOf((await browser.open((await begin(app)).url.href)).url);
}

/** A browser of somebody who has seen the address, with what the cookie of the login may be. */
function strangerAt(uid: string, value: string): Browser {
  const stranger = parties.browser();
  for (const name of ["iam.interaction", "iam.resume"]) stranger.hold(name, uid);
  stranger.hold(cookieFor(uid), value);
  return stranger;
}

/** Sends a form of the page of a login, and goes nowhere then. */
async function sendTo(uid: string, browser: Browser, fields: { readonly [name: string]: string }) {
  const body = new URLSearchParams(fields);
  const init = { method: "POST", body, headers: cookiesOf(browser), redirect: "manual" } as const;
  return await fetch(`${parties.server.url}/ui/login/${uid}`, init);
}

/** What strangers may guess that the cookie holds; the last is what the store has. */
async function guesses(uid: string): Promise<readonly string[]> {
  const own = parties.browser();
  const ofOther = own.cookies.get(cookieFor(await open(own)))?.value ?? "";
  const { artifacts } = parties.server.store;
  const kept = await artifacts.find(`Interaction:${hashSecret(uid)}`, parties.clock.nowMs);
  return ["1", "", uid, ofOther, String(JSON.parse(kept?.payload ?? "{}").browserHash)];
}

async function expectNothing(uid: string): Promise<void> {
  for (const value of await guesses(uid)) {
    const stranger = strangerAt(uid, value);
    expect((await stranger.open(`/ui/login/${uid}`)).text).toContain("This login has expired");
    for (const step of ["change", "cancel", "other", "proceed"]) {
      const { status } = await sendTo(uid, stranger, { step, password: "of the stranger 1" });
      expect([value, step, status]).toEqual([value, step, 400]);
    }
    const resumed = await stranger.open(`/oauth/v2/authorize/${uid}`);
    expect([resumed.status, resumed.url.includes("code=")]).toEqual([400, false]);
    expect(await isLetIn(stranger, app)).toBe(false);
  }
}

describe(`${row}: who knows the address of a page on which somebody logs in`, () => {
  inFull("does not choose the next password, where one is to be chosen", async () => {
    const person = await parties.givenPerson({ passwordChangeRequired: true });
    const browser = parties.browser();
    const uid = await open(browser);
    await browser.send({ userName: person.userName, password: person.password });
    await expectNothing(uid);
    expect((await browser.send({ password: "a better horse battery" })).url).toContain("code=");
  });

  inFull("does not come first when all has been shown", async () => {
    const person = await parties.givenPerson({ otpCode: secret });
    const browser = parties.browser();
    const uid = await open(browser);
    await browser.send({ userName: person.userName, password: person.password });
    const code = codeAt(secret, parties.clock.nowMs);
    const shown = await sendTo(uid, browser, { step: "otp", code });
    expect(shown.status).toBe(303);
    await expectNothing(uid);
    expect((await browser.open(String(shown.headers.get("location")))).url).toContain("code=");
  });

  test("does not end the login, before and after the password", async () => {
    const person: Person = await parties.givenPerson();
    const browser = parties.browser();
    const uid = await open(browser);
    await expectNothing(uid);
    const body = { step: "password", userName: person.userName, password: person.password };
    const shown = await sendTo(uid, browser, body);
    await expectNothing(uid);
    expect((await browser.open(String(shown.headers.get("location")))).url).toContain("code=");
  });

  test("is not told what it leads to, as who has asked for another password is", async () => {
    const { userName } = await parties.givenPerson();
    const browser = parties.browser();
    await askAs(browser, app, userName);
    const uid = browser.cookies.get("iam.forgotten")?.value ?? "";
    const own = await browser.open("/ui/password/changed");
    expect(own.text).toContain(`login/${uid}`);
    for (const value of await guesses(uid)) {
      const stranger = strangerAt(uid, value);
      stranger.hold("iam.forgotten", uid);
      expect((await stranger.open("/ui/password/changed")).text).not.toContain(uid);
    }
  });
});

test(`${row}: two logins in one browser have a secret each, and both go on`, async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser();
  const [one, other] = [await open(browser), await open(browser)];
  const [ofOne, ofOther] = [one, other].map((uid) => browser.cookies.get(cookieFor(uid))?.value);
  expect(ofOne).toMatch(/^[\w-]{43}$/);
  expect(ofOther).not.toBe(ofOne);
  const { userName, password } = person;
  await browser.open(`/ui/login/${one}`);
  expect((await browser.send({ userName, password })).url).toContain("code=");
  await browser.open(`/ui/login/${other}`);
  expect((await browser.send({ userName, password })).url).toContain("code=");
  expect([one, other].map((uid) => browser.cookies.has(cookieFor(uid)))).toEqual([false, false]);
});

test(`${row}: a browser that loses the secret midway begins anew`, async () => {
  const person = await parties.givenPerson({ otpCode: secret });
  const browser = parties.browser();
  const uid = await open(browser);
  await browser.send({ userName: person.userName, password: person.password });
  const kept = browser.cookies.get(cookieFor(uid))?.value ?? "";
  browser.hold(cookieFor(uid), "");
  const code = codeAt(secret, parties.clock.nowMs);
  const lost = await browser.send({ code }, "otp");
  expect([lost.status, lost.text.includes("This login has expired")]).toEqual([400, true]);
  browser.hold(cookieFor(uid), kept);
  await browser.open(`/ui/login/${uid}`);
  expect((await browser.send({ code }, "otp")).url).toContain("code=");
});
