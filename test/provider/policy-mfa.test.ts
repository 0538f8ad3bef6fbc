import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setupLimits } from "../../src/provider/base/pending-otp.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { cookiesOf, isLetIn } from "./asking.ts";
import { type Browser, errorIn, heading, type Page } from "./browser.ts";
import { givenHolder, showPasskey } from "./passkeys.ts";
import { givenRuled } from "./policies.ts";
import {
  type App,
  type Begun,
  begin,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const forced = { forceMfa: true };
const asks = "Set up an authenticator app";
const done = "Your authenticator app is set up";
const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";

/** Opens a login and shows the password. */
async function withPassword(
  app: App,
  { userName, password }: Person,
  parameters: { readonly [name: string]: string } = {},
) {
  const [browser, begun] = [parties.browser(), await begin(app, parameters)];
  await browser.open(begun.url.href);
  await browser.send({ userName, password });
  return { browser, begun };
}

/** Sets the app up that is asked for; answers its secret. */
async function setUp(browser: Browser): Promise<string> {
  await browser.send({}, "setup");
  const [, shared = ""] = /<code[^>]*>([A-Z2-7]{16,})<\/code>/.exec(browser.page.text) ?? [];
  await browser.send({ code: codeAt(shared, parties.clock.nowMs) }, "setup-code");
  return shared;
}

const codesIn = ({ page }: { readonly page: Pick<Page, "text"> }) =>
  [...page.text.matchAll(/<li><code[^>]*>([^<]+)<\/code><\/li>/g)].map(([, code = ""]) => code);

async function claimsOf(app: App, begun: Begun, browser: Browser) {
  return (await fetchTokens(app, begun, browser.page.url)).claims();
}

describe("a policy that is passed by: where a second factor is forced", () => {
  test("who has none sets one up before anything is granted", async () => {
    const app = await (await givenRuled(parties, forced)).givenApp();
    const person = await parties.givenPerson();
    const { browser, begun } = await withPassword(app, person);
    expect(heading(browser.page)).toBe(asks);
    expect(await parties.typesOf(person)).toEqual([]);
    const { url } = browser.page;
    expect(await isLetIn(browser, app)).toBe(false);
    await browser.open(url);
    await setUp(browser);
    expect([heading(browser.page), codesIn(browser).length]).toEqual([done, 10]);
    expect(await parties.typesOf(person)).toEqual([
      ...["user.human.otp.added", "user.human.otp.used", "user.human.notice.added"],
      "user.human.recovery_codes.set",
    ]);
    const [recovery = ""] = codesIn(browser);
    await browser.send({}, "setup-done");
    expect(await claimsOf(app, begun, browser)).toMatchObject({
      ...{ sub: person.userId, amr: ["pwd", "otp"], acr: "urn:iam:acr:mfa" },
    });
    expect(await isLetIn(browser, app)).toBe(true);

    // From then on it is asked for, and a recovery code stands in.
    const again = await withPassword(app, person);
    expect(heading(again.browser.page)).toBe("Enter a one-time code");
    await again.browser.send({}, "recovery");
    await again.browser.send({ code: recovery }, "recovery-code");
    expect((await claimsOf(app, again.begun, again.browser))?.sub).toBe(person.userId);
  });

  test("a wrong code sets nothing up, and too many void the secret", async () => {
    const app = await (await givenRuled(parties, forced)).givenApp();
    const person = await parties.givenPerson();
    const { browser } = await withPassword(app, person);
    await browser.send({}, "setup");
    for (let tries = 1; tries <= 4; tries += 1) {
      const { status, text } = await browser.send({ code: "000000" }, "setup-code");
      expect([status, errorIn({ text })]).toEqual([400, expect.stringContaining("valid")]);
    }
    const over = await browser.send({ code: "000000" }, "setup-code");
    expect([over.status, heading(over)]).toEqual([400, asks]);
    expect(await parties.typesOf(person)).toEqual([]);
    await browser.send({ step: "setup-done" }, "setup");
    expect(heading(browser.page)).toBe(asks);
  });

  test("the secret of one person sets nothing up for another in the same login", async () => {
    const app = await (await givenRuled(parties, forced)).givenApp();
    const [one, other] = [await parties.givenPerson(), await parties.givenPerson()];
    const { browser } = await withPassword(app, one);
    await browser.send({}, "setup");
    const [, shared = ""] = /<code[^>]*>([A-Z2-7]{16,})<\/code>/.exec(browser.page.text) ?? [];
    const { userName, password } = other;
    await browser.send({ step: "password", userName, password }, "setup-code");
    const code = codeAt(shared, parties.clock.nowMs);
    const page = await browser.send({ step: "setup-code", code }, "setup");
    expect([page.status, heading(page)]).toEqual([400, asks]);
    expect(await parties.typesOf(other)).toEqual([]);
  });

  test("the codes that are shown last are valid where the form came twice", async () => {
    const app = await (await givenRuled(parties, forced)).givenApp();
    const person = await parties.givenPerson();
    const { browser } = await withPassword(app, person);
    const { url } = browser.page;
    await browser.send({}, "setup");
    const [, shared = ""] = /<code[^>]*>([A-Z2-7]{16,})<\/code>/.exec(browser.page.text) ?? [];
    const form = { step: "setup-code", code: codeAt(shared, parties.clock.nowMs) };
    const headers = cookiesOf(browser);
    const send = async () => {
      const sent = { method: "POST", body: new URLSearchParams(form), headers };
      return await (await fetch(url, { ...sent, redirect: "manual" })).text();
    };
    const { artifacts } = parties.server.store;
    const uid = new URL(url).pathname.split("/").at(-1) ?? "";
    const step = await artifacts.find(`LoginStep:${hashSecret(uid)}`, parties.clock.nowMs);
    const pages = [...(await Promise.all([send(), send()])), await send()];
    // As the second finds it while the first is answered.
    await artifacts.write([{ kind: "put", artifact: step! }], parties.clock.nowMs);
    pages.push(await send());
    const codes = pages.map((text) => codesIn({ page: { text } }));
    expect(codes.map(({ length }) => length)).toEqual([10, 10, 10, 10]);
    const types = await parties.typesOf(person);
    expect(types.filter((type) => type === "user.human.otp.added")).toHaveLength(1);
    const again = await withPassword(app, person);
    await again.browser.send({}, "recovery");
    await again.browser.send({ code: codes.at(-1)?.[0] ?? "" }, "recovery-code");
    expect((await claimsOf(app, again.begun, again.browser))?.sub).toBe(person.userId);
  });

  test("nobody gets an app where the policy asks for none any more", async () => {
    const ruled = await givenRuled(parties, forced);
    const person = await parties.givenPerson();
    const { browser } = await withPassword(await ruled.givenApp(), person);
    await browser.send({}, "setup");
    const [, shared = ""] = /<code[^>]*>([A-Z2-7]{16,})<\/code>/.exec(browser.page.text) ?? [];
    await ruled.change({ forceMfa: false });
    await browser.send({ code: codeAt(shared, parties.clock.nowMs) }, "setup-code");
    expect(await parties.typesOf(person)).not.toContain("user.human.otp.added");
  });

  test("the login goes on for as long as the secret waits", async () => {
    const app = await (await givenRuled(parties, forced)).givenApp();
    const { browser } = await withPassword(app, await parties.givenPerson());
    parties.clock.nowMs += setupLimits.pendingMs - 2_000;
    await browser.send({}, "setup");
    const [, shared = ""] = /<code[^>]*>([A-Z2-7]{16,})<\/code>/.exec(browser.page.text) ?? [];
    parties.clock.nowMs += setupLimits.pendingMs - 1_000;
    await browser.send({ code: codeAt(shared, parties.clock.nowMs) }, "setup-code");
    expect(heading(browser.page)).toBe(done);
  });

  test("another password is chosen first where that is asked for, too", async () => {
    const app = await (await givenRuled(parties, forced)).givenApp();
    const person = await parties.givenPerson({ passwordChangeRequired: true });
    const { browser, begun } = await withPassword(app, person);
    expect(heading(browser.page)).toBe("Choose a new password");
    await browser.send({ step: "setup" }, "change");
    expect(heading(browser.page)).toBe("Choose a new password");
    await browser.send({ password: "a better horse battery" }, "change");
    expect(heading(browser.page)).toBe(asks);
    await setUp(browser);
    await browser.send({}, "setup-done");
    expect((await claimsOf(app, begun, browser))?.sub).toBe(person.userId);
  });

  test("a passkey is enough", async () => {
    const app = await (await givenRuled(parties, forced)).givenApp();
    const holder = await givenHolder(parties);
    const [browser, begun] = [parties.browser(), await begin(app)];
    await browser.open(begun.url.href);
    await browser.send({ userName: "" }, "passkey");
    await showPasskey(browser, holder.passkey);
    const claims = await claimsOf(app, begun, browser);
    expect(claims).toMatchObject({ sub: holder.userId, acr: "urn:iam:acr:mfa" });
  });

  test("by the person's organization, it is so for every application", async () => {
    const ruled = await givenRuled(parties, forced);
    const person = await parties.givenPerson({}, ruled.organization);
    const { browser } = await withPassword(await parties.givenApp(), person);
    expect(heading(browser.page)).toBe(asks);
  });

  test("where both have no way in common, nobody is let in", async () => {
    const [app, ofPerson] = [
      await (await givenRuled(parties, forced)).givenApp(),
      await givenRuled(parties, { secondFactors: [] }),
    ];
    const person = await parties.givenPerson({}, ofPerson.organization);
    const { browser } = await withPassword(app, person);
    expect(heading(browser.page)).toBe("You cannot log in this way");
  });

  test("who was logged in by a password alone logs in again", async () => {
    const ruled = await givenRuled(parties, {});
    const app = await ruled.givenApp();
    const [browser, person] = [
      parties.browser(),
      await parties.givenPerson({}, ruled.organization),
    ];
    await logIn(browser, app, person);
    await browser.open("/account");
    expect(heading(browser.page)).toBe("Overview");
    expect(await isLetIn(browser, app)).toBe(true);
    await ruled.change(forced);
    expect(await isLetIn(browser, app)).toBe(false);
    await browser.open("/account");
    expect(heading(browser.page)).toBe("Log in");
  });

  test("the app is replaced on the account page, but not removed", async () => {
    const ruled = await givenRuled(parties, forced);
    const person = await parties.givenPerson({ otpCode: secret }, ruled.organization);
    const browser = parties.browser();
    await browser.open("/account/authenticator");
    await browser.send({ userName: person.userName, password: person.password }, "password");
    await browser.send({ code: codeAt(secret, parties.clock.nowMs) }, "otp");
    expect(browser.page.text).toContain("You can replace the app, but not remove it.");
    await browser.send({ step: "remove" }, "begin");
    expect(await parties.typesOf(person)).not.toContain("user.human.otp.removed");
  });
});

describe("the class of a login", () => {
  const wanting = (acr: object) => ({ claims: JSON.stringify({ id_token: { acr } }) });
  const mfa = "urn:iam:acr:mfa";
  const pwd = "urn:iam:acr:pwd";

  test.each([
    ["no class", {}, undefined, pwd],
    ["a class that may be", { acr_values: mfa }, undefined, pwd],
    ["a class that may be, with an app", { acr_values: pwd }, secret, mfa],
    ["one that must be", wanting({ essential: true, value: pwd }), undefined, pwd],
    ["the lesser one, with an app", wanting({ essential: true, value: pwd }), secret, pwd],
    ["one of two", wanting({ essential: true, values: [pwd, mfa] }), secret, mfa],
    ["the surer one, with an app", wanting({ essential: true, value: mfa }), secret, mfa],
    ["any at all", wanting({ essential: true }), undefined, pwd],
  ])("is told where the application asks for %s", async (_asked, parameters, otpCode, acr) => {
    const app = await parties.givenApp();
    const person = await parties.givenPerson(otpCode === undefined ? {} : { otpCode });
    const { browser, begun } = await withPassword(app, person, parameters);
    if (otpCode !== undefined) {
      await browser.send({ code: codeAt(otpCode, parties.clock.nowMs) }, "otp");
    }
    expect((await claimsOf(app, begun, browser))?.acr).toBe(acr);
  });

  test.each([
    ["the surer one", { essential: true, value: mfa }],
    ["one that there is not", { essential: true, values: ["urn:example:gold"] }],
  ])("is an error where the login must have %s, and has not", async (_asked, acr) => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const { browser } = await withPassword(app, person, wanting(acr));
    const { searchParams } = new URL(browser.page.url);
    expect(searchParams.get("error")).toBe("unmet_authentication_requirements");
    expect(await parties.typesOf(person)).toEqual([]);
  });

  test("is asked for anew of who is logged in with less", async () => {
    const [app, browser] = [await parties.givenApp(), parties.browser()];
    const person = await parties.givenPerson();
    await logIn(browser, app, person);
    expect(await isLetIn(browser, app)).toBe(true);
    const page = await browser.open(
      (await begin(app, wanting({ essential: true, value: mfa }))).url.href,
    );
    expect(heading(page)).toBe("Log in");
  });
});
