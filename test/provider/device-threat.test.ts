import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { deviceLimits } from "../../src/provider/base/device.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { artifactTable } from "../threats/artifacts.ts";
import { cookiesOf, statusOfUserinfo } from "./asking.ts";
import { type Browser, formOf, heading, ofOwnPage } from "./browser.ts";
import { type Asked, ask, enter, enterAs, ofDevices, pages, poll, pollAtOnce } from "./devices.ts";
import { type App, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;
let app: App;
let person: Person;

beforeAll(async () => {
  parties = await startParties();
  [app, person] = [await parties.givenApp(ofDevices), await parties.givenPerson()];
});
afterAll(() => parties.close());

const isPending = async (asked: Asked) =>
  (await poll(parties, app, asked)).body.error === "authorization_pending";

/** A device that its person has let in. */
async function allowed(browser = parties.browser()): Promise<Asked> {
  const asked = await ask(app);
  await enterAs(browser, asked, person);
  expect(heading(await browser.send({}, "allow"))).toBe(pages.allowed);
  return asked;
}

describe("a link to the code of somebody else", () => {
  test("does nothing by itself, not even for a person who is logged in", async () => {
    const browser = parties.browser();
    await allowed(browser);
    const asked = await ask(app);
    const before = await artifactTable(parties.server).all();
    for (let times = 0; times <= deviceLimits.triesOfPerson; times += 1) {
      const { status, text } = await browser.open(String(asked.verification_uri_complete));
      expect([status, heading({ text })]).toEqual([200, pages.enter]);
      expect(text).toContain(`value="${asked.user_code}"`);
      expect(text).toContain("Never enter a code that somebody sent you");
      expect(text).not.toContain("<script");
    }
    expect(await artifactTable(parties.server).all()).toEqual(before);
    expect(await isPending(asked)).toBe(true);
  });

  test("leads to a question that says what for, each time", async () => {
    const browser = parties.browser();
    await allowed(browser);
    const asked = await ask(app);
    const { text } = await enter(browser, asked);
    expect(heading({ text })).toBe(pages.ask);
    expect(text).toContain("If somebody sent you the code or a link, don’t allow it");
    expect(await isPending(asked)).toBe(true);
  });

  test("does nothing under a path of no page, where the library would send the code", async () => {
    const browser = parties.browser();
    await allowed(browser);
    const before = await artifactTable(parties.server).all();
    for (const path of ["/device/", "/oauth/v2/authorize/"]) {
      const { status, text } = await browser.open(
        `${path}?user_code=${(await ask(app)).user_code}`,
      );
      expect([status, text]).toEqual([404, expect.not.stringContaining("<form")]);
    }
    expect((await artifactTable(parties.server).all()).length - before.length).toBe(2);
  });

  test("is shown as text, whatever it says", async () => {
    const code = `"><script>alert(1)</script>`;
    const { text } = await parties.browser().open(`/device?user_code=${encodeURIComponent(code)}`);
    expect(text).toContain("&quot;&gt;&lt;script&gt;");
    expect(text).not.toContain("<script>");
  });
});

describe("a device that another site lets in", () => {
  /** Sends the form that the browser shows, as a page from elsewhere would. */
  async function send(browser: Browser, headers: object, step?: string, filled = {}) {
    const { action, fields } = formOf(browser.page, step);
    const { href } = new URL(action, browser.page.url);
    const body = new URLSearchParams({ ...fields, ...filled });
    const all = { ...cookiesOf(browser), ...headers };
    return (await fetch(href, { method: "POST", body, redirect: "manual", headers: all })).status;
  }
  const others = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };

  test("by entering its code, or by allowing it, is refused", async () => {
    const asked = await ask(app);
    const browser = parties.browser();
    await browser.open("/device");
    const code = { user_code: asked.user_code };
    expect(await send(browser, others, undefined, code)).toBe(400);
    await enterAs(browser, asked, person);
    expect(heading(browser.page)).toBe(pages.ask);
    expect(await send(browser, others, "allow")).toBe(400);
    expect(await isPending(asked)).toBe(true);
    expect(await send(browser, ofOwnPage, "allow")).toBe(303);
  });

  test("in a browser that has not entered the code is refused, too", async () => {
    const asked = await ask(app);
    const [browser, other] = [parties.browser(), parties.browser()];
    await enterAs(browser, asked, person);
    await enterAs(other, await ask(app), await parties.givenPerson());
    expect((await other.open(browser.page.url)).status).toBe(400);
    const { action, fields } = formOf(browser.page, "allow");
    const body = new URLSearchParams(fields);
    const headers = cookiesOf(other);
    const url = new URL(action, browser.page.url);
    expect((await fetch(url, { method: "POST", body, headers })).status).toBe(400);
    const uid = browser.page.url.split("/").at(-1);
    for (const path of [`/device/${uid}`, "/device/any"]) {
      const page = await other.open(path);
      expect([page.status, heading(page)]).toEqual([400, "This login has expired"]);
    }
    expect((await parties.browser().open(`/device/${uid}`)).status).toBe(400);
    expect(await isPending(asked)).toBe(true);
  });
});

describe("a device code used twice", () => {
  test("gives tokens once, however many ask at once, and the second ends them", async () => {
    const asked = await allowed();
    parties.clock.nowMs += deviceLimits.intervalSeconds * 1_000;
    const polls = Array.from("abcde", () => pollAtOnce(parties, app, asked.device_code));
    const told = (await Promise.all(polls)).map(({ status, body }) => ({ status, ...body }));
    expect(told.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    const again = await poll(parties, app, asked);
    expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
    for (const one of told) {
      if (!("access_token" in one)) continue;
      expect(await statusOfUserinfo(parties, String(one.access_token))).toBe(401);
    }
    expect(await parties.typesOf(person)).toContain("user.human.token.reused");
  });

  test("one after the other ends the tokens of the first", async () => {
    const asked = await allowed();
    const { body } = await poll(parties, app, asked);
    expect(await statusOfUserinfo(parties, String(body.access_token))).toBe(200);
    expect((await poll(parties, app, asked)).body.error).toBe("invalid_grant");
    expect(await statusOfUserinfo(parties, String(body.access_token))).toBe(401);
  });

  test("two people who let one device in at once: the second is told that it is late", async () => {
    const asked = await ask(app);
    const another = await parties.givenPerson();
    const [one, other] = [parties.browser(), parties.browser()];
    await enterAs(one, asked, person);
    await enterAs(other, asked, another);
    const ends = await Promise.all([one.send({}, "allow"), other.send({}, "allow")]);
    expect(ends.map(heading).toSorted()).toEqual([pages.over, pages.allowed]);
    const isFirst = heading(one.page) === pages.allowed;
    const { body } = await poll(parties, app, asked);
    const sub = { Authorization: `Bearer ${body.access_token}` };
    const info = await fetch(`${parties.server.url}/oidc/v1/userinfo`, { headers: sub });
    expect(await info.json()).toMatchObject({ sub: (isFirst ? person : another).userId });
  });

  test("a code that was answered is not denied any more", async () => {
    const asked = await ask(app);
    const [one, other] = [parties.browser(), parties.browser()];
    await enterAs(one, asked, person);
    await enterAs(other, asked, await parties.givenPerson());
    await one.send({}, "allow");
    expect(heading(await other.send({}, "deny"))).toBe(pages.over);
    expect((await poll(parties, app, asked)).status).toBe(200);
  });
});

test("a device that asks too fast is told so, and gets its tokens all the same", async () => {
  const asked = await ask(app);
  const errorOf = async () => (await pollAtOnce(parties, app, asked.device_code)).body.error;
  expect(await errorOf()).toBe("authorization_pending");
  parties.clock.nowMs += deviceLimits.earlyMs - 1_000;
  for (const _ of "ab") expect(await errorOf()).toBe("slow_down");
  parties.clock.nowMs += 1_001;
  expect(await errorOf()).toBe("authorization_pending");
  const browser = parties.browser();
  await enterAs(browser, asked, person);
  expect(await errorOf()).toBe("slow_down");
  await browser.send({}, "allow");
  expect((await pollAtOnce(parties, app, asked.device_code)).status).toBe(200);
});

describe("a device code in other hands", () => {
  test("of another application gives nothing, and stays valid for its own", async () => {
    const asked = await allowed();
    const other = await parties.givenApp(ofDevices);
    const told = await poll(parties, other, asked);
    expect([told.status, told.body.error]).toEqual([400, "invalid_grant"]);
    expect((await poll(parties, app, asked)).status).toBe(200);
  });

  test("read in the table gives nothing", async () => {
    const [asked, browser] = [await ask(app), parties.browser()];
    await enterAs(browser, asked, person);
    const rows = JSON.stringify(await artifactTable(parties.server).all());
    for (const secret of [asked.device_code, asked.user_code, asked.user_code.replace("-", "")]) {
      expect(rows).not.toContain(secret);
    }
    expect(rows).toContain(`DeviceCode:${hashSecret(asked.device_code)}`);
    await browser.send({}, "allow");
    const told = await pollAtOnce(parties, app, hashSecret(asked.device_code));
    expect([told.status, told.body.error]).toEqual([400, "invalid_grant"]);
    expect((await poll(parties, app, asked)).status).toBe(200);
  });
});
