import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { recoveryLimits } from "../../src/domain/user/state/recovery.ts";
import { cookiesOf } from "./asking.ts";
import { type Browser, errorIn, heading } from "./browser.ts";
import { logInByApp, ownFactors } from "./own-factors.ts";
import { type App, begin, fetchTokens, type Parties, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const row = "a recovery code as a back door";
const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";
const used = "user.human.recovery_code.used";
const wrongCode = "0000-0000-0000-0000";

/** Somebody with an app and recovery codes, and the browser in which they were shown. */
async function givenHolder() {
  const person = await parties.givenPerson({ otpCode: secret });
  const known = parties.browser();
  await logInByApp(parties, { app, browser: known }, { ...person, secret });
  const codes = await (await ownFactors(parties, person)).giveCodes();
  return { person, known, codes: codes ?? [] };
}

/** A browser in which a person is asked for a recovery code. */
async function asked(
  { userName, password }: { readonly userName: string; readonly password: string },
  browser = parties.browser(),
) {
  const begun = await begin(app, { prompt: "login" });
  await browser.open(begun.url.href);
  await browser.send({ userName, password });
  expect(heading(await browser.send({}, "recovery"))).toBe("Enter a recovery code");
  return { browser, begun };
}

/** The types of what came after the codes. */
const typesOf = async (person: { readonly userId: string }) =>
  (await parties.typesOf(person)).slice(5);

describe(`${row}: a recovery code`, () => {
  test("stands in for a one-time code, and works once", async () => {
    const { person, codes } = await givenHolder();
    const [code = ""] = codes;
    const { browser, begun } = await asked(person);
    const typed = code.toLowerCase().replaceAll("-", " ");
    const back = await browser.send({ code: typed }, "recovery-code");
    const tokens = await fetchTokens(app, begun, back.url);
    expect(tokens.claims()).toMatchObject({ sub: person.userId, amr: ["pwd", "otp"] });
    const another = await asked(person);
    const again = await another.browser.send({ code }, "recovery-code");
    expect([again.status, errorIn(again)]).toEqual([
      400,
      expect.stringContaining("already been used"),
    ]);
    expect(await typesOf(person)).toEqual([
      used,
      "user.human.notice.added",
      "user.human.session.begun",
      "user.human.login.failed",
    ]);
    await browser.open("/account/sessions");
    expect(browser.page.text).toContain("password, recovery code");
  });

  test("lets one of two in who show it at once", async () => {
    const { person, codes } = await givenHolder();
    const [one, other] = [await asked(person), await asked(person)];
    const sent = [one, other].map(({ browser }) =>
      browser.send({ code: String(codes[0]) }, "recovery-code"),
    );
    const urls = (await Promise.all(sent)).map(({ url }) => url.includes("code="));
    expect(urls.toSorted()).toEqual([false, true]);
    expect((await typesOf(person)).filter((type) => type === used)).toEqual([used]);
  });

  test("is asked for behind a right password, and no other", async () => {
    const { person, codes } = await givenHolder();
    const browser = parties.browser();
    const { url } = await browser.open((await begin(app)).url.href);
    for (const step of ["recovery", "recovery-code"]) {
      const body = new URLSearchParams({ step, code: String(codes[0]), ...person });
      const headers = cookiesOf(browser);
      const { status } = await fetch(url, { method: "POST", body, headers, redirect: "manual" });
      expect([step, status]).toEqual([step, 400]);
    }
    expect(await typesOf(person)).toEqual([]);
  });

  test("is asked of nobody who needs none", async () => {
    const person = await parties.givenPerson({ passwordChangeRequired: true });
    const { userName, password } = person;
    const browser = parties.browser();
    const { url } = await browser.open((await begin(app)).url.href);
    await browser.send({ userName, password });
    for (const step of ["recovery", "recovery-code"]) {
      const body = new URLSearchParams({ step, code: wrongCode });
      const headers = cookiesOf(browser);
      const { status } = await fetch(url, { method: "POST", body, headers, redirect: "manual" });
      expect([step, status]).toEqual([step, 303]);
    }
    expect(await parties.typesOf(person)).toEqual([]);
  });

  test("of which none is left is not asked for, and the way back leads to the app", async () => {
    const person = await parties.givenPerson({ otpCode: secret });
    const { userName, password } = person;
    const browser = parties.browser();
    const begun = await begin(app);
    await browser.open(begun.url.href);
    await browser.send({ userName, password });
    const page = await browser.send({}, "recovery");
    expect(heading(page)).toBe("You have no recovery codes");
    expect(page.text).not.toContain(`name="code"`);
    expect(heading(await browser.send({}, "app"))).toBe("Enter a one-time code");
    const back = await browser.send({ code: codeAt(secret, parties.clock.nowMs) }, "otp");
    expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(person.userId);
  });

  test("of before is void once there are others, or the app is gone", async () => {
    const { person, codes } = await givenHolder();
    const others = await (await ownFactors(parties, person)).giveCodes();
    const { browser } = await asked(person);
    await browser.send({ code: String(codes[0]) }, "recovery-code");
    expect(errorIn(browser.page)).toContain("isn’t valid");
    const [, next] = others ?? [];
    expect((await browser.send({ code: String(next) }, "recovery-code")).url).toContain("code=");
    await parties.call("DELETE", `/management/v1/users/${person.userId}/auth_factors/otp`);
    expect((await ownFactors(parties, person)).state.human?.recoveryCodes).toEqual([]);
  });
});

describe(`${row}: wrong ones`, () => {
  const { lockedMs } = loginLimits;
  /** The password before them counts as one try of ten, and each of them as two. */
  const compared = recoveryLimits.failures - 1;

  async function sendWrong(browser: Browser, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      await browser.send({ code: wrongCode }, "recovery-code");
      expect(errorIn(browser.page)).toContain("isn’t valid");
    }
  }

  test("lock unknown browsers after five, and no known one", async () => {
    const { person, known, codes } = await givenHolder();
    const right = { code: String(codes[0]) };
    const { browser } = await asked(person);
    await sendWrong(browser, compared);
    expect(errorIn(await browser.send(right, "recovery-code"))).toContain("too many attempts");
    expect(await typesOf(person)).not.toContain("user.human.locked");
    parties.clock.nowMs += lockedMs;
    const another = await asked(person);
    await sendWrong(another.browser, recoveryLimits.failures - compared);
    expect((await typesOf(person)).slice(-2)).toEqual([
      "user.human.login.failed",
      "user.human.locked",
    ]);
    expect((await another.browser.send(right, "recovery-code")).status).toBe(400);
    expect(await typesOf(person)).not.toContain(used);
    const back = await (await asked(person, known)).browser.send(right, "recovery-code");
    expect(back.url).toContain("code=");
    parties.clock.nowMs += lockedMs;
    const later = await asked(person);
    const next = { code: String(codes[1]) };
    expect((await later.browser.send(next, "recovery-code")).url).toContain("code=");
  });

  test("are compared no more often, however many come at once", async () => {
    const { person } = await givenHolder();
    const { browser } = await asked(person);
    const { url } = browser.page;
    const body = new URLSearchParams({ step: "recovery-code", code: wrongCode });
    const init = { method: "POST", body, headers: cookiesOf(browser) };
    const pages = await Promise.all(
      Array.from({ length: recoveryLimits.failures + 3 }, async () =>
        (await fetch(url, init)).text(),
      ),
    );
    expect(pages.filter((page) => page.includes("isn’t valid"))).toHaveLength(compared);
    expect(pages.filter((page) => page.includes("too many"))).toHaveLength(8 - compared);
  });

  test("are as many of a known browser", async () => {
    const { person, known, codes } = await givenHolder();
    const { browser } = await asked(person, known);
    await sendWrong(browser, compared);
    await browser.send({ code: String(codes[0]) }, "recovery-code");
    expect(errorIn(browser.page)).toContain("too many attempts");
  });
});
