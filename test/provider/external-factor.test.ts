import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { isLetIn } from "./asking.ts";
import { type Browser, errorIn, heading } from "./browser.ts";
import { comersOf, isIn, type Place } from "./comers.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { begin, fetchTokens, logIn, type Person } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: ExternalParties;
let comers: ReturnType<typeof comersOf>;

beforeAll(async () => {
  parties = await startExternal();
  comers = comersOf(parties);
});
afterAll(() => parties.close());

const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";
const pwd = "urn:iam:acr:pwd";
const mfa = "urn:iam:acr:mfa";
const forced = { forceMfa: true, allowExternalIdp: true };
const setUpTitle = "Set up an authenticator app";
const auto = { isAutoCreation: true };
const begun = "user.human.session.begun";

const codeOf = (shared: string) => ({ code: codeAt(shared, parties.clock.nowMs) });

/** Sets the app up that is asked for. */
async function setUp(browser: Browser): Promise<void> {
  await browser.send({}, "setup");
  const [, shared = ""] = /<code[^>]*>([A-Z2-7]{16,})<\/code>/.exec(browser.page.text) ?? [];
  await browser.send(codeOf(shared), "setup-code");
}

const said = (sub: string) => ({
  ...{ preferred_username: sub, email: `${sub}@example.org`, email_verified: true },
});

describe("behind a provider", () => {
  test("nothing more is said of a login than that", async () => {
    const place = await comers.given();
    const person = await comers.linked(place);
    const come = await comers.come(place, {}, person.sub);
    const tokens = await fetchTokens(place.app, come.begun, come.page.url);
    expect(tokens.claims()).toMatchObject({ amr: ["fed"], acr: pwd });
  });

  test("a wrong code lets nobody in, nor does another page of the login", async () => {
    const place = await comers.given();
    const person = await comers.linked(place, { otpCode: secret });
    const { browser, page } = await comers.come(place, {}, person.sub);
    const head = await parties.server.head();
    const wrong = codeOf(secret).code === "000000" ? "000001" : "000000";
    expect(errorIn(await browser.send({ code: wrong }, "otp"))).toBeDefined();
    for (const step of ["proceed", "setup", "setup-done", "change", "external-link"]) {
      await browser.open(page.url.replace(/\/idps\/.*/s, ""));
      expect(isIn(await browser.send({ step }).catch(() => browser.page))).toBe(false);
    }
    expect(await comers.since(head, person)).not.toContain(begun);
  });

  test("a class that asks for more is not met by the provider alone", async () => {
    const place = await comers.given();
    const person = await comers.linked(place);
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } });
    const { page } = await comers.come({ ...place, parameters: { claims } }, {}, person.sub);
    expect(page.url).toContain("error=unmet_authentication_requirements");
  });
});

describe("where a second factor is forced", () => {
  test("who comes by a link sets one up before anything is granted", async () => {
    const place = await comers.given({}, forced);
    const person = await comers.linked(place);
    const head = await parties.server.head();
    const come = await comers.come(place, {}, person.sub);
    expect(heading(come.page)).toBe(setUpTitle);
    expect(await comers.since(head, person)).toEqual([]);
    await setUp(come.browser);
    const back = await come.browser.send({}, "setup-done");
    expect((await fetchTokens(place.app, come.begun, back.url)).claims()).toMatchObject({
      ...{ sub: person.userId, amr: ["fed", "otp"], acr: mfa },
    });
  });

  test("so does who gets an account by it", async () => {
    const place = await comers.given(auto, forced);
    const head = await parties.server.head();
    const sub = v7();
    const { browser, page } = await comers.come(place, said(sub), sub);
    expect(heading(page)).toBe(setUpTitle);
    const types = async () => (await parties.server.events(head)).map(({ type }) => type);
    expect(await types()).toContain("user.human.externalidp.added");
    expect(await types()).not.toContain(begun);
    expect(await isLetIn(browser, place.app)).toBe(false);
  });

  test("and who is to be linked is not before the app is shown", async () => {
    const place = await comers.given({}, forced);
    const given = { otpCode: secret };
    const person = await parties.givenPerson(given, place.organization);
    const { browser } = await comers.come(place);
    await browser.send({}, "external-link");
    const head = await parties.server.head();
    await browser.send({ userName: person.userName, password: person.password }, "password");
    expect(await comers.since(head, person)).toEqual([]);
    expect(isIn(await browser.send(codeOf(secret), "otp"))).toBe(true);
    expect(await comers.since(head, person)).toContain("user.human.externalidp.added");
  });
});

describe("a lock by wrong passwords", () => {
  test("keeps nobody out who comes by a provider, and is not lifted by that", async () => {
    const place = await comers.given();
    const person = await comers.linked(place);
    const guess = async (password: string) => {
      const browser = parties.browser();
      await browser.open((await begin(place.app)).url.href);
      return await browser.send({ userName: person.userName, password }, "password");
    };
    const head = await parties.server.head();
    for (let tries = 0; tries < 10; tries += 1) await guess("a wrong one");
    expect(await comers.since(head, person)).toContain("user.human.locked");
    const come = await comers.come(place, {}, person.sub);
    const tokens = await fetchTokens(place.app, come.begun, come.page.url);
    expect(tokens.claims()?.sub).toBe(person.userId);
    expect(isIn(await guess(person.password))).toBe(false);
    // The browser that came is known from then on, and may try.
    const again = await logIn(come.browser, place.app, person, { prompt: "login" });
    expect(again.claims()?.sub).toBe(person.userId);
  });
});

describe("a session that a provider began", () => {
  async function givenSession(place: Place, person: Person & { readonly sub: string }) {
    const { browser } = await comers.come(place, {}, person.sub);
    expect(await isLetIn(browser, place.app)).toBe(true);
    return browser;
  }

  test("ends with the link", async () => {
    const place = await comers.given();
    const person = await comers.linked(place);
    const browser = await givenSession(place, person);
    const path = `/management/v1/users/${person.userId}/idps/${place.idpId}/${person.sub}`;
    await parties.call("DELETE", path, undefined, place.organization);
    expect(await isLetIn(browser, place.app)).toBe(false);
    expect(await parties.toldOf(person)).toEqual(["externalidp.removed"]);
    // Nor does the account lead to the person any more.
    const { page } = await comers.come(place, {}, person.sub);
    expect(heading(page)).toBe("No account is linked yet");
  });

  const named = "/management/v1/policies/login/idps";
  test.each<readonly [string, (place: Place) => Promise<unknown>]>([
    ["the policy allows no providers", ({ change }) => change({ allowExternalIdp: false })],
    [
      "a session whose provider is out of use",
      ({ idpId, organization }) =>
        parties.call("POST", `/management/v1/idps/${idpId}/_deactivate`, {}, organization),
    ],
    [
      "a session whose provider is out of use: the policy does not name it",
      ({ idpId, organization }) =>
        parties.call("DELETE", `${named}/${idpId}`, undefined, organization),
    ],
  ])("ends, and what is offline goes on: %s", async (_, change) => {
    const place = await comers.given({}, { allowExternalIdp: true });
    const person = await comers.linked(place);
    const parameters = { scope: "openid offline_access", prompt: "consent" };
    const { browser, begun, page } = await comers.come({ ...place, parameters }, {}, person.sub);
    const tokens = await fetchTokens(place.app, begun, page.url);
    await browser.open("/account");
    expect([heading(browser.page), await isLetIn(browser, place.app)]).toEqual(["Overview", true]);
    await change(place);
    await browser.open("/account");
    expect([heading(browser.page), await isLetIn(browser, place.app)]).toEqual(["Log in", false]);
    // As with other policies that became stricter.
    const { access_token } = await oidc.refreshTokenGrant(
      place.app.config,
      String(tokens.refresh_token),
    );
    expect(access_token).not.toBe("");
  });

  test("ends with a link that who made it may not have any more", async () => {
    const app = await parties.givenApp();
    const organization = parties.server.admin.organization;
    const place = { app, organization, idpId: await parties.givenProvider() };
    const lesser = await givenOwner();
    const sub = v7();
    const userName = v7();
    const response = await fetch(`${parties.server.url}/management/v1/users/human/_import`, {
      method: "POST",
      headers: { authorization: `Bearer ${lesser}`, "content-type": "application/json" },
      body: JSON.stringify({
        userName,
        email: { email: `${userName}@example.com`, isEmailVerified: true },
        profile: { firstName: "Ada", lastName: "Lovelace" },
        idps: [{ configId: place.idpId, externalUserId: sub, displayName: "" }],
      }),
    });
    const { userId } = (await response.json()) as { readonly userId: string };
    const { browser } = await comers.come(place, {}, sub);
    expect(await isLetIn(browser, app)).toBe(true);
    await parties.call("POST", "/admin/v1/members", {
      ...{ userId, roles: ["IAM_OWNER"], returnInitializationLink: true },
    });
    expect(await isLetIn(browser, app)).toBe(false);
    const { page } = await comers.come(place, {}, sub);
    expect(heading(page)).toBe("No account is linked yet");
  });
});

/** An owner of the first organization, by its token. */
async function givenOwner(): Promise<string> {
  const users = "/management/v1/users";
  const made = await parties.call("POST", `${users}/machine`, { userName: v7(), name: "M" });
  const userId = String(made.userId);
  await parties.call("POST", "/management/v1/orgs/me/members", { userId, roles: ["ORG_OWNER"] });
  return String((await parties.call("POST", `${users}/${userId}/pats`, {})).token);
}
