import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import * as oidc from "openid-client";
import { deviceGrant, deviceLimits } from "../../src/provider/base/device.ts";
import { apiScope } from "../../src/provider/token/scopes.ts";
import { post, statusOfUserinfo } from "./asking.ts";
import { heading } from "./browser.ts";
import { callWith, givenOwner } from "./consenting.ts";
import { ask, devicePath, enter, enterAs, ofDevices, pages, poll } from "./devices.ts";
import { type App, type Called, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;
let app: App;
let person: Person;

beforeAll(async () => {
  parties = await startParties();
  [app, person] = [await parties.givenApp(ofDevices), await parties.givenPerson()];
});
afterAll(() => parties.close());

const refused = (error: string) => ({ status: 400, body: expect.objectContaining({ error }) });
const pending = refused("authorization_pending");

describe("a device", () => {
  test("gets tokens once its person has entered the code, logged in and allowed it", async () => {
    const scope = "openid profile offline_access";
    const asked = await ask(app, { scope });
    const { url } = parties.server;
    expect(asked).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${url}/device`,
      verification_uri_complete: `${url}/device?user_code=${asked.user_code}`,
      ...{ expires_in: deviceLimits.codeSeconds, interval: deviceLimits.intervalSeconds },
    });
    const polling = oidc.pollDeviceAuthorizationGrant(app.config, { ...asked, interval: 1 });
    const browser = parties.browser({ "user-agent": "Firefox/140.0 (X11; Linux x86_64)" });
    const { name } = (await parties.call("GET", pathOf(app))).app as Called;
    expect(heading(await browser.open(asked.verification_uri))).toBe(pages.enter);
    const login = await browser.send({ user_code: asked.user_code });
    expect([heading(login), login.text]).toEqual(["Log in", expect.stringContaining(String(name))]);
    const { text } = await browser.send({ ...person }, "password");
    expect(heading({ text })).toBe(pages.ask);
    for (const shown of [name, "Default", "Ada Lovelace", "see your name", "while you’re away"]) {
      expect(text).toContain(shown);
    }
    expect(text).toContain("Only allow it if you started this yourself");
    expect(text).not.toContain("see your email address");
    expect(heading(await browser.send({}, "allow"))).toBe(pages.allowed);

    const tokens = await polling;
    const claims = { sub: person.userId, amr: ["pwd"], acr: "urn:iam:acr:pwd" };
    expect(tokens.claims()).toMatchObject(claims);
    expect(tokens.scope).toBe(scope);
    expect(await statusOfUserinfo(parties, tokens.access_token)).toBe(200);
    const again = await oidc.refreshTokenGrant(app.config, String(tokens.refresh_token));
    expect(again.refresh_token).not.toBe(tokens.refresh_token);
    expect(await parties.typesOf(person)).toEqual(["user.human.session.begun"]);
    const sessions = `/management/v1/users/${person.userId}/sessions/_search`;
    const { result } = await parties.call("POST", sessions, {});
    expect(result).toEqual([expect.objectContaining({ applications: [app.clientId] })]);
    expect((await browser.open("/account/sessions")).text).toContain(String(name));
  });

  test("gets no refresh token unless it asks for lasting access and may have it", async () => {
    const grantTypes = ["OIDC_GRANT_TYPE_DEVICE_CODE"];
    const other = await parties.givenApp({ ...ofDevices, grantTypes });
    for (const [one, scope, left] of [
      [app, "openid", "openid"],
      [other, "openid offline_access", "openid"],
    ] as const) {
      const asked = await ask(one, { scope });
      const browser = parties.browser();
      await enterAs(browser, asked, person);
      await browser.send({}, "allow");
      const { body } = await poll(parties, one, asked);
      expect([body.scope, body.refresh_token]).toEqual([left, undefined]);
    }
  });

  test.each(["BASIC", "POST"])(
    "of an application with a secret proves itself, by %s",
    async (how) => {
      const authMethodType = `OIDC_AUTH_METHOD_TYPE_${how}`;
      const secret = await parties.givenApp({ ...ofDevices, authMethodType });
      const asked = await ask(secret);
      const unproven = await post(parties, devicePath, { client_id: secret.clientId });
      expect([unproven.status, unproven.body.error]).toEqual([401, "invalid_client"]);
      const browser = parties.browser();
      await enterAs(browser, asked, person);
      await browser.send({}, "allow");
      const shown = { client_id: secret.clientId, device_code: asked.device_code };
      const fields = { ...shown, grant_type: deviceGrant };
      expect((await post(parties, "/oauth/v2/token", fields)).status).toBe(401);
      const polled = { ...asked, interval: 1 };
      const tokens = await oidc.pollDeviceAuthorizationGrant(secret.config, polled);
      expect(tokens.claims()?.sub).toBe(person.userId);
    },
  );

  test("is told when its code has expired, and people that it does not count", async () => {
    const asked = await ask(app);
    const browser = parties.browser();
    const late = parties.browser();
    await enterAs(late, asked, person);
    const real = Date.now;
    const spy = jest.spyOn(Date, "now");
    try {
      spy.mockImplementation(() => real() + (deviceLimits.codeSeconds - 3) * 1_000);
      expect(await poll(parties, app, asked)).toEqual(pending);
      spy.mockImplementation(() => real() + (deviceLimits.codeSeconds + 10) * 1_000);
      expect(await poll(parties, app, asked)).toEqual(refused("expired_token"));
      const entered = await enter(browser, asked);
      expect([entered.status, heading(entered)]).toEqual([400, pages.enter]);
      const allowed = await late.send({}, "allow");
      expect([allowed.status, heading(allowed)]).toEqual([400, pages.over]);
      spy.mockImplementation(
        () => real() + (deviceLimits.codeSeconds + deviceLimits.expiredSeconds + 10) * 1_000,
      );
      expect(await poll(parties, app, asked)).toEqual(refused("invalid_grant"));
    } finally {
      spy.mockRestore();
    }
  });
});

describe("the page for the code", () => {
  test("takes it in any case, with spaces, hyphens or none, and wide letters", async () => {
    const { user_code: code } = await ask(app);
    const wide = [...code].map((one) => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0));
    const typed = [code.toLowerCase(), code.replace("-", ""), code.replace("-", " – ")];
    for (const user_code of [...typed, ` ${code} `, wide.join("")]) {
      const browser = parties.browser();
      await browser.open("/device");
      expect(heading(await browser.send({ user_code }))).toBe("Log in");
    }
  });

  test("says what is wrong with another one, and keeps what was typed", async () => {
    const browser = parties.browser();
    await browser.open("/device");
    for (const user_code of ["BCDF-GHJK", "", "BCDF-GHJ", "0000-0000", "<b>"]) {
      const page = await browser.send({ user_code });
      expect([page.status, heading(page)]).toEqual([400, pages.enter]);
      expect(page.text).toContain("This code isn’t valid");
      expect(page.text).not.toContain("<b>");
    }
  });

  test("is in the language of the browser; the login after it in that of the device", async () => {
    const asked = await ask(app, { ui_locales: "fr" });
    const browser = parties.browser({ "accept-language": "de" });
    expect(heading(await browser.open("/device"))).toBe("Gerät verbinden");
    expect((await enter(browser, asked)).text).toContain('<html lang="fr"');
    await browser.send({ ...person }, "password");
    expect(heading(await browser.send({}, "allow"))).toBe("Votre appareil est connecté");
  });
});

describe("one who is asked", () => {
  test("and does not allow it has the device told so, again and again", async () => {
    const asked = await ask(app);
    const browser = parties.browser();
    await enterAs(browser, asked, person);
    expect(heading(await browser.send({}, "deny"))).toBe(pages.denied);
    for (const _ of "ab") expect(await poll(parties, app, asked)).toEqual(refused("access_denied"));
    expect(heading(await enter(parties.browser(), asked))).toBe(pages.enter);
  });

  test("may cancel before the login, too", async () => {
    const asked = await ask(app);
    const browser = parties.browser();
    await enter(browser, asked);
    expect(heading(await browser.send({}, "cancel"))).toBe(pages.denied);
    expect(await poll(parties, app, asked)).toEqual(refused("access_denied"));
  });

  test("may be somebody else than is logged in", async () => {
    const [asked, other] = [await ask(app), await parties.givenPerson()];
    const browser = parties.browser();
    await enterAs(browser, await ask(app), person);
    expect(heading(await enter(browser, asked))).toBe(pages.ask);
    await browser.send({}, "other");
    await browser.send({ ...other }, "password");
    expect(heading(browser.page)).toBe(pages.ask);
    await browser.send({}, "allow");
    expect((await poll(parties, app, asked)).status).toBe(200);
    expect(await parties.typesOf(other)).toContain("user.human.session.begun");
  });

  test("logs in anew where the device asks for a fresh login", async () => {
    const browser = parties.browser();
    await enterAs(browser, await ask(app), person);
    const asked = await ask(app, { max_age: "0" });
    expect(heading(await enter(browser, asked))).toBe("Log in");
    await browser.send({ ...person }, "password");
    expect(heading(browser.page)).toBe(pages.ask);
    expect(heading(await browser.send({}, "allow"))).toBe(pages.allowed);
    expect((await poll(parties, app, asked)).status).toBe(200);
  });

  test("lets it call this service by the same answer; to deny it withdraws nothing", async () => {
    const scope = `openid ${apiScope}`;
    const [owner, browser] = [await givenOwner(parties), parties.browser()];
    const asked = await ask(app, { scope });
    const { text } = await enterAs(browser, asked, owner);
    expect(text).toContain("view, change and delete everything");
    expect(heading(await browser.send({}, "allow"))).toBe(pages.allowed);
    const { body } = await poll(parties, app, asked);
    const search = async () =>
      (await callWith(parties, String(body.access_token), "/management/v1/projects/_search"))
        .status;
    expect(await search()).toBe(200);
    const another = await ask(app, { scope });
    await enter(browser, another);
    expect(heading(await browser.send({}, "deny"))).toBe(pages.denied);
    expect(await poll(parties, app, another)).toEqual(refused("access_denied"));
    expect(await search()).toBe(200);
  });
});

function pathOf({ appId }: App, project = parties.server.project): string {
  return `/management/v1/projects/${project}/apps/${appId}`;
}
