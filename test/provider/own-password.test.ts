import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { freshMs } from "../../src/provider/account/part.ts";
import { humanOf } from "../cases/accounts.ts";
import { errorIn, heading } from "./browser.ts";
import { happen } from "./mails.ts";
import { givenOwn } from "./own-browser.ts";
import { givenHolder, showPasskey } from "./passkeys.ts";
import { type App, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const another = "a better horse battery";
const changed = "user.human.password.changed";
const wrong = /^Your current password is wrong/;

describe("an own password", () => {
  test("is replaced by one who has the one before, and ends what came from that", async () => {
    const { person, browser } = await givenOwn(parties);
    const elsewhere = parties.browser();
    const offline = { scope: "openid offline_access" };
    const tokens = await logIn(elsewhere, app, person, offline);
    const here = await logIn(browser, app, person, offline);
    await browser.open("/account/password");
    await browser.send({ current: person.password, password: another }, "change");
    expect([browser.page.status, heading(browser.page)]).toEqual([200, "Password"]);
    expect(browser.page.text).toContain("You’ve been logged out everywhere else.");
    expect(await parties.typesOf(person)).toEqual(
      expect.arrayContaining([changed, "user.human.sessions.ended", "user.human.notice.added"]),
    );
    for (const { refresh_token: token } of [tokens, here]) {
      await expect(oidc.refreshTokenGrant(app.config, String(token))).rejects.toMatchObject({
        error: "invalid_grant",
      });
    }
    expect(heading(await browser.open("/account"))).toBe("Overview");
    expect(heading(await elsewhere.open("/account"))).toBe("Log in");
    await browser.open("/account/sessions");
    expect(browser.page.text.match(/<li class="row">/g)).toHaveLength(1);
    await logIn(parties.browser(), app, { ...person, password: another });
    await expect(logIn(parties.browser(), app, person)).rejects.toThrow();
  });

  test.each([
    ["the one before is wrong", { current: "wrong" }, "current", wrong],
    ["the new one is short", { password: "short" }, "password", /8 to 256 characters/],
    ["the new one is common", { password: "password1" }, "password", /too common/],
    ["it is the same", { password: "correct horse battery" }, "password", /haven’t used before/],
  ])("stays, and says at the field that %s", async (_what, given, field, error) => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/password");
    const filled = { current: person.password, password: another, ...given };
    const { status, text } = await browser.send(filled, "change");
    expect([status, errorIn({ text })]).toEqual([400, expect.stringMatching(error)]);
    expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true" autofocus`, "s"));
    expect(text).not.toContain(another);
    expect(await parties.typesOf(person)).not.toContain(changed);
  });

  test("is locked by wrong ones as a login is, and right ones use up nothing", async () => {
    const { person, browser } = await givenOwn(parties);
    let password = person.password;
    for (let i = 0; i <= loginLimits.failures + 1; i += 1) {
      const next = `a better horse battery ${i}`;
      await browser.open("/account/password");
      await browser.send({ current: password, password: next }, "change");
      expect(browser.page.text).toContain("You’ve been logged out everywhere else.");
      password = next;
    }
    for (let i = 0; i < loginLimits.failures; i += 1) {
      await browser.send({ current: "wrong", password: another }, "change");
    }
    const types = await parties.typesOf(person);
    expect(types.filter((type) => type === "user.human.login.failed")).toHaveLength(
      loginLimits.failures,
    );
    expect(types.at(-1)).toBe("user.human.locked");
    const late = await browser.send({ current: password, password: another }, "change");
    expect([late.status, errorIn(late)]).toEqual([400, expect.stringMatching(wrong)]);
    parties.clock.nowMs += loginLimits.lockedMs;
    await browser.open("/account/password");
    await browser.send({ current: password, password: another }, "change");
    expect(browser.page.text).toContain("You’ve been logged out everywhere else.");
  });

  test("is set by one who has none, with a fresh login alone", async () => {
    const holder = await givenHolder(parties);
    const voided = [{ kind: "password" }] as const;
    await happen(parties, holder, { type: "user.credentials.voided", payload: { voided } });
    const browser = parties.browser();
    await browser.open("/account/password");
    await browser.send({ userName: holder.userName }, "passkey");
    await showPasskey(browser, holder.passkey);
    expect(browser.page.text).toContain("Your account has no password yet.");
    expect(browser.page.text).not.toContain('name="current"');
    parties.clock.nowMs += freshMs;
    await browser.send({ password: another }, "change");
    expect(heading(browser.page)).toBe("Log in");
    await browser.send({ userName: holder.userName }, "passkey");
    await showPasskey(browser, holder.passkey);
    await browser.send({ password: another }, "change");
    expect(browser.page.text).toContain("You’ve been logged out everywhere else.");
    await logIn(parties.browser(), app, { ...holder, password: another });
  });

  test("has the makers of what its session was begun with", async () => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/password");
    await browser.send({ current: person.password, password: another }, "change");
    const human = await humanOf(parties.server, person.userId);
    const via = [parties.server.admin.userId];
    expect(human?.passwordMade).toEqual({ maker: person.userId, via });
    await logIn(parties.browser(), app, { ...person, password: another });
    const now = await humanOf(parties.server, person.userId);
    expect(now?.login?.sessions.at(-1)?.via).toEqual(via);
  });
});
