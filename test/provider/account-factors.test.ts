import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { accountCharacters } from "../../src/domain/user/human/human.ts";
import { userLimits } from "../../src/domain/user/state/user.ts";
import { happen } from "../cases/users.ts";
import { inFull } from "../harness/in-full.ts";
import { type Browser, errorIn, heading } from "./browser.ts";
import { givenOwn } from "./own-browser.ts";
import { givenHolder, registerAt, showPasskey } from "./passkeys.ts";
import { type App, begin, logIn, type Parties, type Person, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const isGone = { status: 401 };

/** A person at a part of the account page, and a login elsewhere with its token. */
async function givenAt(part: string, person?: Person) {
  const who = person ?? (await parties.givenPerson());
  const [browser, elsewhere] = [parties.browser(), parties.browser()];
  const tokens = await logIn(elsewhere, app, who);
  await browser.open(`/account/${part}`);
  await browser.send({ userName: who.userName, password: who.password }, "password");
  return { who, browser, elsewhere, token: tokens.access_token };
}

const fetchInfo = (token: string, { userId }: Person) =>
  oidc.fetchUserInfo(app.config, token, userId);
const listed = ({ page }: Browser) =>
  [...page.text.matchAll(/<li class="row">.*?<bdi>(.*?)<\/bdi>.*?<\/li>/gs)].map(
    ([, name]) => name,
  );
const said = ({ page }: Browser) =>
  page.text.replaceAll(/<\/?time[^>]*>/g, "").replaceAll(/\s+/g, " ");

describe("passkeys on the account page", () => {
  test("are added on the device, and log in from then on", async () => {
    const { who, browser } = await givenAt("passkeys");
    expect([heading(browser.page), listed(browser)]).toEqual(["Passkeys", []]);
    await browser.send({}, "add");
    expect([browser.page.url, heading(browser.page)]).toEqual([
      expect.stringContaining("/ui/passwordless/init?"),
      "Create a passkey",
    ]);
    const passkey = await registerAt(parties, who, browser.page.url);
    await browser.open("/account/passkeys");
    expect(listed(browser)).toEqual(["Unnamed passkey"]);
    expect(said(browser)).toMatch(/Added \d+ \w+ \d{4} at [^<]* UTC\.<\/p>/);
    const device = parties.browser();
    await device.open((await begin(app)).url.href);
    await device.send({}, "passkey");
    await showPasskey(device, passkey);
    await browser.open("/account/passkeys");
    expect(said(browser)).toMatch(/UTC\. Last used \d+ \w+ \d{4} at [^<]* UTC\./);
    expect(await parties.toldOf(who)).toEqual(["passkey.added"]);
  });

  test("are added in the session that asked, and not once it has ended", async () => {
    const { who, browser } = await givenAt("passkeys");
    await browser.send({}, "add");
    const kept = browser.page.url;
    const { browser: other } = await givenOwn(parties, who);
    await other.open("/account/password");
    await other.send({ current: who.password, password: "another good passphrase" }, "change");
    await expect(registerAt(parties, who, kept)).rejects.toThrow("CODE_INVALID");
    await other.open("/account/passkeys");
    expect(listed(other)).toEqual([]);
  });

  test("are removed with all that came from logins, but for this session", async () => {
    const holder = await givenHolder(parties);
    const { who, browser, elsewhere, token } = await givenAt("passkeys", holder);
    await fetchInfo(token, who);
    await browser.send({}, "remove");
    expect([heading(browser.page), listed(browser)]).toEqual(["Passkeys", []]);
    expect(said(browser)).toContain("The passkey was removed.");
    await expect(fetchInfo(token, who)).rejects.toMatchObject(isGone);
    expect(heading(await elsewhere.open("/account"))).toBe("Log in");
    expect((await parties.toldOf(who)).at(-1)).toBe("passkey.removed");
    // What was removed stays so, whatever form comes again.
    const types = await parties.typesOf(who);
    await browser.open("/account/passkeys");
    expect((await parties.typesOf(who)).length).toBe(types.length);
  });

  test("are renamed, and only by one's own form", async () => {
    const holder = await givenHolder(parties);
    const { who, browser } = await givenAt("passkeys", holder);
    const { passkey } = holder;
    await browser.send({ name: "  My <laptop>  " }, "rename");
    expect([heading(browser.page), listed(browser)]).toEqual(["Passkeys", ["My &lt;laptop&gt;"]]);
    expect(said(browser)).toContain("The passkey was renamed.");
    const told = { credentialId: passkey.credentialId, name: "My <laptop>" };
    const last = async () => {
      const events = await parties.server.store.readStream(`user-${who.userId}`, 0, 1_000);
      return events.flatMap(({ type, payload }) =>
        type === "user.human.passwordless.token.renamed" ? [JSON.parse(payload)] : [],
      );
    };
    expect(await last()).toEqual([told]);
    // The same name once more is done already.
    await browser.send({ name: "My <laptop>" }, "rename");
    expect(said(browser)).toContain("The passkey was renamed.");
    const { name: most } = accountCharacters;
    for (const name of ["x".repeat(most + 1), "a\u202eb"]) {
      await browser.send({ name }, "rename");
      expect([browser.page.status, said(browser)]).toEqual([
        400,
        expect.stringContaining(`at most ${most} characters`),
      ]);
    }
    await browser.open("/account/passkeys");
    await browser.send({ passkey: "A".repeat(43), name: "Somebody's" }, "rename");
    expect(await last()).toEqual([told]);
    await browser.send({ name: "x".repeat(most) }, "rename");
    expect(await last()).toEqual([told, { ...told, name: "x".repeat(most) }]);
    // It still logs the person in, and is known by that name.
    const device = parties.browser();
    await device.open((await begin(app)).url.href);
    await device.send({}, "passkey");
    expect((await showPasskey(device, passkey)).url).toContain("code=");
  });

  test("the only way in is not removed", async () => {
    const holder = await givenHolder(parties, { passwordChangeRequired: false });
    const { browser, who } = await givenAt("passkeys", holder);
    const before = await browser.open("/account/passkeys");
    expect(before.text).toContain('value="remove"');
    const voided = [{ kind: "password" as const, id: "" }];
    await happen(parties.server, [{ type: "user.credentials.voided", payload: { voided } }], {
      id: who.userId,
    });
    const other = parties.browser();
    await other.open("/account/passkeys");
    await other.send({}, "passkey");
    await showPasskey(other, holder.passkey);
    expect(other.page.text).not.toContain('value="remove"');
    expect(said(other)).toContain("your only way to log in");
    const [, secret = ""] = /name="secret" value="([^"]*)"/.exec(other.page.text) ?? [];
    await other.send({ step: "remove", passkey: holder.passkey.credentialId, secret }, "add");
    expect(await parties.typesOf(who)).not.toContain("user.human.passwordless.token.removed");
  });

  inFull("are begun ten times at a time, and then no more", async () => {
    const { browser } = await givenAt("passkeys");
    for (let i = 0; i < userLimits.passkeyLinks; i += 1) {
      await browser.send({}, "add");
      expect(heading(browser.page)).toBe("Create a passkey");
      await browser.open("/account/passkeys");
    }
    await browser.send({}, "add");
    expect([browser.page.status, errorIn(browser.page)]).toEqual([
      429,
      expect.stringContaining("Too many passkeys"),
    ]);
  });
});

describe("the authenticator app on the account page", () => {
  const secretIn = ({ page }: Browser) =>
    /<code dir="ltr">([A-Z2-7]{32})<\/code>/.exec(page.text)?.[1] ?? "";
  const codesIn = ({ page }: Browser) =>
    [...page.text.matchAll(/<code dir="ltr">([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3})<\/code>/g)].map(
      ([, one]) => one,
    );

  test("counts from its first code on, and comes with ten recovery codes, shown once", async () => {
    const { who, browser, token } = await givenAt("authenticator");
    await browser.send({}, "begin");
    const secret = secretIn(browser);
    expect(browser.page.text).toContain('role="img"');
    await browser.send({ code: "12345" }, "confirm");
    expect([browser.page.status, errorIn(browser.page)]).toEqual([
      400,
      expect.stringContaining("isn’t valid"),
    ]);
    expect(browser.page.text).not.toContain(secret);
    await browser.send({ code: codeAt(secret, parties.clock.nowMs) }, "confirm");
    const codes = codesIn(browser);
    expect(new Set(codes).size).toBe(10);
    await fetchInfo(token, who);
    await browser.open("/account/authenticator");
    expect(said(browser)).toContain("Recovery codes left: 10.");
    expect(said(browser)).toContain("you’re logged out everywhere else.");
    expect(codesIn(browser)).toEqual([]);

    const lost = parties.browser();
    await lost.open((await begin(app)).url.href);
    await lost.send({ userName: who.userName, password: who.password }, "password");
    await lost.send({}, "recovery");
    await lost.send({ code: String(codes[0]) }, "recovery-code");
    await browser.open("/account/authenticator");
    expect(said(browser)).toContain("Recovery codes left: 9.");

    await browser.send({}, "codes");
    expect(codesIn(browser).filter((code) => codes.includes(code))).toEqual([]);
    await browser.open("/account/authenticator");
    await browser.send({}, "remove");
    expect(said(browser)).toContain("Set up app");
    await expect(fetchInfo(token, who)).rejects.toMatchObject(isGone);
    expect(heading(await browser.open("/account/authenticator"))).toBe("Authenticator app");
    expect(await parties.toldOf(who)).toEqual([
      ...["otp.added", "recovery_codes.added", "recovery_code.used"],
      ...["recovery_codes.added", "otp.removed"],
    ]);
  });

  test("begins again where nothing waits any more", async () => {
    const { browser } = await givenAt("authenticator");
    await browser.send({}, "begin");
    parties.clock.nowMs += 4 * 60_000;
    for (let i = 0; i < 5; i += 1) await browser.send({ code: "1" }, "confirm");
    expect([browser.page.status, errorIn(browser.page)]).toEqual([
      400,
      expect.stringContaining("Start again"),
    ]);
    expect(said(browser)).toContain("Set up app");
  });
});
