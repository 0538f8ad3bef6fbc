import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { discoveryLimits } from "../../src/provider/external/discovery.ts";
import { type Browser, heading } from "./browser.ts";
import { comersOf, isIn, type Place } from "./comers.ts";
import { comeBack, type ExternalParties, startExternal } from "./external.ts";
import { foreignClient } from "./foreign.ts";
import { backOf, comeForged } from "./forged.ts";
import { begin, logIn, type Person } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: ExternalParties;
let comers: ReturnType<typeof comersOf>;
let place: Place;
let person: Person & { readonly sub: string };

const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";

beforeAll(async () => {
  parties = await startExternal();
  comers = comersOf(parties);
});
afterAll(() => parties.close());
beforeEach(async () => {
  place = await comers.given();
  person = await comers.linked(place);
});

type Parameters = { readonly [name: string]: string };

const unasked = "doesn’t say that it asked you to log in again";
const { skewSeconds } = discoveryLimits;
const anew = { prompt: "login" };

/** Has the provider say how many seconds ago it asked; left out, it does not say. */
function say(ago?: number): void {
  // The clock of the log may be ahead of others.
  const time = Math.floor(Date.now() / 1_000) - (ago ?? 0);
  const asked = ago === undefined ? {} : { auth_time: time };
  [comers.forged.claims, comers.forged.info] = [{ ...asked, sub: person.sub }, { sub: person.sub }];
}

/** Comes to the application in a browser; left out, in another one. */
async function come(parameters: Parameters = {}, browser: Browser = parties.browser()) {
  return await comeForged(parties, comers.forged, { ...place, parameters, browser });
}

/** Opens a page of the account, and goes to the provider and back from there. */
async function enter(browser: Browser, path: string): Promise<string> {
  await browser.open(path);
  const { url } = await browser.send({ provider: place.idpId }, "external");
  const { state = "", nonce = "" } = Object.fromEntries(new URL(url).searchParams);
  comers.forged.nonce = nonce;
  await browser.open(backOf(parties, place.idpId, { code: "c", state }));
  return url;
}

describe("a fresh login that nobody was asked for: an application", () => {
  test.each<readonly [string, Parameters, number | undefined, boolean]>([
    ["anew, and it says nothing", anew, undefined, false],
    ["anew, and it asked before", anew, skewSeconds + 2, false],
    ["anew, and it did", anew, 0, true],
    ["anew, by a clock that is behind", anew, skewSeconds - 2, true],
    ["of late, and it says nothing", { max_age: "600" }, undefined, false],
    ["of late, and it asked before", { max_age: "600" }, 600 + skewSeconds + 2, false],
    ["of late, and it did", { max_age: "600" }, 590, true],
    ["at any time, and it says nothing", {}, undefined, true],
  ])("%s", async (_, parameters, ago, isLetIn) => {
    say(ago);
    const { page } = await come(parameters);
    expect(isIn(page)).toBe(isLetIn);
    if (!isLetIn) expect([page.status, page.text]).toEqual([403, expect.stringContaining(unasked)]);
  });

  test("is not told by userinfo, which nobody has signed", async () => {
    say();
    comers.forged.info = { ...comers.forged.info, auth_time: Math.floor(Date.now() / 1_000) };
    expect((await come(anew)).page.status).toBe(403);
  });

  test("makes no account of somebody new", async () => {
    place = await comers.given({ isAutoCreation: true });
    say();
    const sub = v7();
    Object.assign(comers.forged, { claims: { sub }, info: { sub, given_name: "M" } });
    const head = await parties.server.head();
    expect((await come(anew)).page.status).toBe(403);
    expect(await parties.server.events(head)).toEqual([]);
  });

  test("counts of an account that comes of it from when somebody was asked", async () => {
    place = await comers.given({ isAutoCreation: true });
    say(0);
    const sub = v7();
    Object.assign(comers.forged, {
      claims: { ...comers.forged.claims, sub },
      info: { sub, given_name: "Mary", family_name: "Jackson" },
    });
    const { browser } = await come(anew);
    const chosen = { userName: v7(), email: `${v7()}@example.com` };
    const named = { firstName: "Mary", lastName: "Jackson" };
    expect(isIn(await browser.send({ ...chosen, ...named }, "external-account"))).toBe(true);
    const asked = { max_age: "600", prompt: "none" };
    expect(isIn(await browser.open((await begin(place.app, asked)).url.href))).toBe(true);
  });

  test("is let in where the person has to show more", async () => {
    person = await comers.linked(place, { otpCode: secret });
    say();
    const { browser } = await come(anew);
    const code = codeAt(secret, parties.clock.nowMs);
    expect(isIn(await browser.send({ code }, "otp"))).toBe(true);
  });

  test("asks again for who was not asked elsewhere, however young the session is", async () => {
    const isKept = async (browser: Browser, max_age: string) =>
      isIn(await browser.open((await begin(place.app, { max_age, prompt: "none" })).url.href));
    say();
    const { browser } = await come();
    expect(await isKept(browser, "600")).toBe(false);
    say(100);
    await come({ max_age: "600" }, browser);
    expect([await isKept(browser, "600"), await isKept(browser, "90")]).toEqual([true, false]);
  });
});

describe("a fresh login that nobody was asked for: the account page", () => {
  test("shows its first part, and no other that needs one", async () => {
    say();
    const { browser } = await come();
    expect(heading(await browser.open("/account"))).toBe("Overview");
    const url = await enter(browser, "/account/passkeys");
    expect(url).toContain("prompt=login");
    expect([browser.page.status, browser.page.text]).toEqual([
      403,
      expect.stringContaining(unasked),
    ]);
    expect(heading(await browser.open("/account/passkeys"))).toBe("Log in");
    say(0);
    await enter(browser, "/account/passkeys");
    expect(heading(browser.page)).toBe("Passkeys");
  });

  test("needs none of who has shown something here", async () => {
    say();
    const { browser } = await come();
    await logIn(browser, place.app, person, anew);
    expect(heading(await browser.open("/account/passkeys"))).toBe("Passkeys");
    person = await comers.linked(place, { otpCode: secret });
    say();
    const other = (await come()).browser;
    await other.send({ code: codeAt(secret, parties.clock.nowMs) }, "otp");
    expect(heading(await other.open("/account/passkeys"))).toBe("Passkeys");
  });

  test("is open to who comes there first by a provider that says nothing", async () => {
    const { foreign } = parties;
    const { id } = await parties.call("POST", "/admin/v1/idps/generic_oidc", {
      ...{ name: v7(), issuer: foreign.issuer, ...foreignClient },
      providerOptions: { isLinkingAllowed: true },
    });
    place = { ...place, organization: parties.server.admin.organization, idpId: String(id) };
    person = await comers.linked(place);
    say();
    const browser = parties.browser();
    expect(await enter(browser, "/account")).not.toContain("prompt");
    expect(heading(browser.page)).toBe("Overview");
  });
});

describe("a provider of others asks anew", () => {
  test.each<readonly [string, Parameters, Parameters]>([
    ["by prompt", anew, { prompt: "login", max_age: "0" }],
    ["by an age of nothing", { max_age: "0" }, { prompt: "login", max_age: "0" }],
    ["by an age", { max_age: "600" }, { max_age: "600" }],
    ["or as it likes", {}, {}],
  ])("%s", async (_, parameters, told) => {
    const { answer } = parties.foreign;
    parties.foreign.answer = undefined;
    const sent = { idp_hint: place.idpId, ...parameters };
    const browser = parties.browser();
    const { url } = await browser.open((await begin(place.app, sent)).url.href);
    const { prompt, max_age } = Object.fromEntries(new URL(url).searchParams);
    expect({ prompt, max_age }).toEqual({ ...told });
    const { sub } = person;
    expect(isIn(await comeBack(parties, browser, { url, sub }))).toBe(true);
    parties.foreign.answer = answer;
  });
});

test("a fresh login that nobody was asked for is told by a log that is ahead, too", async () => {
  parties.clock.nowMs += 20 * 60_000;
  say(600);
  const { browser } = await come();
  expect(heading(await browser.open("/account/passkeys"))).toBe("Log in");
  say(0);
  await enter(browser, "/account/passkeys");
  expect(heading(browser.page)).toBe("Passkeys");
  say(skewSeconds + 2);
  expect((await come(anew)).page.status).toBe(403);
});
