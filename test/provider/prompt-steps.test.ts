import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { type Browser, heading } from "./browser.ts";
import { givenRuled } from "./policies.ts";
import { password as chosen, codeIn, mailsTo, register } from "./registering.ts";
import { begin, fetchTokens, logIn, type Parties, type Person, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties({ delivers: true });
});
afterAll(() => parties.close());

const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";
const policy = { allowRegister: true };

/** Shows the first page for the prompt, and goes from what it asks to the one to log in. */
async function toFirst(browser: Browser, prompt: string) {
  const app = await (await givenRuled(parties, policy)).givenApp();
  const before = await parties.givenPerson();
  await logIn(browser, app, before);
  const begun = await begin(app, { prompt });
  await browser.open(begun.url.href);
  const { page } = browser;
  await browser.send({}, prompt === "create" ? "register-leave" : "other");
  return { app, begun, page };
}

const prompts = [
  ["create", "Create an account"],
  ["select_account", "Continue"],
] as const;

describe.each(prompts)("with the prompt %s", (prompt, first) => {
  test.each<[next: string, given: object, answer: (browser: Browser) => Promise<unknown>]>([
    [
      "Enter a one-time code",
      { otpCode: secret },
      (browser) => browser.send({ code: codeAt(secret, parties.clock.nowMs) }, "otp"),
    ],
    [
      "Choose a new password",
      { passwordChangeRequired: true },
      (browser) => browser.send({ password: "another horse battery" }, "change"),
    ],
  ])("who logs in instead goes on to: %s", async (next, given, answer) => {
    const browser = parties.browser();
    const { app, begun, page } = await toFirst(browser, prompt);
    expect([heading(page), heading(browser.page)]).toEqual([first, "Log in"]);
    const { userName, password, userId }: Person = await parties.givenPerson(given);
    await browser.send({ userName, password });
    expect(heading(browser.page)).toBe(next);
    await browser.open(page.url);
    expect(heading(browser.page)).toBe(next);
    await answer(browser);
    expect((await fetchTokens(app, begun, browser.page.url)).claims()?.sub).toBe(userId);
  });
});

test("who registers with the prompt create sets up the second factor that is forced", async () => {
  const app = await (await givenRuled(parties, { ...policy, forceMfa: true })).givenApp();
  const browser = parties.browser();
  const email = `${v7()}@example.com`;
  const { begun } = await register(browser, app, email, { prompt: "create" });
  await browser.send({ code: codeIn((await mailsTo(parties, email))[0]) }, "register-code");
  await browser.send({ password: chosen }, "register-password");
  expect(heading(browser.page)).toBe("Set up an authenticator app");
  await browser.send({}, "setup");
  const [, shared = ""] = /<code[^>]*>([A-Z2-7]{16,})<\/code>/.exec(browser.page.text) ?? [];
  await browser.send({ code: codeAt(shared, parties.clock.nowMs) }, "setup-code");
  expect(heading(browser.page)).toBe("Your authenticator app is set up");
  await browser.send({}, "setup-done");
  const claims = (await fetchTokens(app, begun, browser.page.url)).claims();
  expect(claims).toMatchObject({ amr: ["pwd", "otp"] });
});
