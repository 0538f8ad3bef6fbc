import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { cookiesOf, isLetIn } from "./asking.ts";
import { begin, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

describe("CVE-2026-7507: who prepares a browser for somebody gets nothing of the login:", () => {
  test("a session that was there before has another name after it", async () => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const browser = parties.browser();
    // One who logs out as nobody has a session.
    const { headers } = await fetch(`${parties.server.url}/oidc/v1/end_session`);
    const [, prepared = ""] = /iam\.session=([^;]+)/.exec(headers.getSetCookie().join()) ?? [];
    expect(prepared).not.toBe("");
    browser.hold("iam.session", prepared);
    await logIn(browser, app, person);
    expect(browser.cookies.get("iam.session")?.value).not.toBe(prepared);
    const attacker = parties.browser();
    attacker.hold("iam.session", prepared);
    expect(await isLetIn(attacker, app)).toBe(false);
    expect(await isLetIn(browser, app)).toBe(true);
  });

  test("a name that is made up is not taken for a session", async () => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const [browser, attacker] = [parties.browser(), parties.browser()];
    for (const one of [browser, attacker]) one.hold("iam.session", "prepared");
    await logIn(browser, app, person);
    expect(browser.cookies.get("iam.session")?.value).not.toBe("prepared");
    expect(await isLetIn(attacker, app)).toBe(false);
    expect(await isLetIn(browser, app)).toBe(true);
  });

  test("a login that began in another browser neither goes on nor ends in this one", async () => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const [attacker, victim] = [parties.browser(), parties.browser()];
    const { url } = await attacker.open((await begin(app)).url.href);
    expect((await victim.open(url)).text).toContain("This login has expired");
    const uid = String(url.split("/").at(-1));
    const resumed = await victim.open(`/oauth/v2/authorize/${uid}`);
    expect([resumed.status, resumed.url.includes("code=")]).toEqual([400, false]);
    // Nor when the attacker has shown all that is asked for, and hands over what is left to do.
    const headers = cookiesOf(attacker);
    const body = new URLSearchParams({ step: "password", ...person });
    const shown = await fetch(url, { method: "POST", body, headers, redirect: "manual" });
    const location = String(shown.headers.get("location"));
    expect([shown.status, location]).toEqual([303, expect.stringContaining(uid)]);
    expect((await victim.open(location)).status).toBe(400);
    expect(await isLetIn(victim, app)).toBe(false);
    expect((await attacker.open(location)).url).toContain("code=");
  });

  describe("a cookie by which another host has the login go on that an attacker began", () => {
    test("does not lead the person's login to the attacker", async () => {
      const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
      const [attacker, victim] = [parties.browser(), parties.browser()];
      const { url } = await attacker.open((await begin(app)).url.href);
      const uid = String(url.split("/").at(-1));
      victim.hold("iam.interaction", uid);
      expect((await victim.open(url)).text).toContain("This login has expired");
      const body = new URLSearchParams({ step: "password", ...person });
      const init = { method: "POST", body, headers: cookiesOf(victim) };
      expect((await fetch(url, init)).status).toBe(400);
      expect(await parties.typesOf(person)).toEqual([]);
      expect((await attacker.open(`/oauth/v2/authorize/${uid}`)).url).not.toContain("code=");
    });

    test("does not have the attacker logged in in the person's browser", async () => {
      const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
      const [attacker, victim] = [parties.browser(), parties.browser()];
      const { url } = await attacker.open((await begin(app)).url.href);
      const body = new URLSearchParams({ step: "password", ...person });
      const init = { method: "POST", body, headers: cookiesOf(attacker) };
      const shown = await fetch(url, { ...init, redirect: "manual" });
      const location = String(shown.headers.get("location"));
      victim.hold("iam.resume", String(url.split("/").at(-1)));
      expect((await victim.open(location)).status).toBe(400);
      expect(await isLetIn(victim, app)).toBe(false);
      expect((await attacker.open(location)).url).toContain("code=");
    });
  });
});
