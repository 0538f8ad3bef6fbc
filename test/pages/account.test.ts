import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { sendAll } from "../cases/accounts.ts";
import { wrong } from "../cases/phones.ts";
import { describeFew, few } from "../harness/in-full.ts";
import { ofOwnPage } from "../provider/browser.ts";
import { formOf, type PageSeen, type Site, startSite } from "./site.ts";

let site: Site;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const password = "correct horse battery";
const initialized = ["user.human.email.verified", "user.human.password.changed"];
const used = "This link is no longer valid";

/** The page for the password, from the link with the code or through the form for it. */
const ways: readonly (readonly [string, (link: string, code: string) => Promise<PageSeen>])[] = [
  ["with the code in the link", (link) => site.open(link)],
  [
    "with the code typed",
    async (link, code) => {
      const asked = await site.open(link.replace(/&code=.*/, ""));
      expect(asked).toMatchObject({ status: 200, heading: "Set up your account" });
      return await site.send(asked, { code });
    },
  ],
];

describeFew().each(ways)("an account is set up without a script, %s", (_, open) => {
  test("with a password, once", async () => {
    const { userId, userName, code, link } = await site.givenPerson();
    const before = await site.typesOf(userId);
    const page = await open(link, code);
    expect(page).toMatchObject({ status: 200, heading: "Set up your account" });
    expect(page.text).toContain("Ada Lovelace");
    expect(page.text).toContain(`value="${userName}" readonly`);
    const carried = formOf(page);
    expect(carried).toEqual({
      action: "initialize",
      hidden: { step: "account", userID: userId, code: expect.any(String) },
    });
    expect([code, codeIn(link)]).toContain(carried.hidden.code);
    expect(await site.typesOf(userId)).toEqual(before);

    const done = await site.send(page, { password });
    expect(done).toMatchObject({
      ...{ status: 200, path: "/ui/done?after=account", heading: "Your account is ready" },
    });
    expect(done.text).toContain('href="../account"');
    expect(await site.typesOf(userId, before.length)).toEqual([
      ...initialized,
      "user.human.initialized",
    ]);

    expect(await site.send(page, { password })).toMatchObject({ status: 400, heading: used });
    expect(await site.open(link)).toMatchObject({ status: 400, heading: used });
    expect(await site.typesOf(userId)).toHaveLength(before.length + 3);
  });

  test("without one where the account has one", async () => {
    const { userId, code, link } = await site.givenPerson({ password });
    const before = await site.typesOf(userId);
    const page = await open(link, code);
    expect(page.text).not.toMatch(/type="password"|password\.js/);
    expect(await site.send(page, {})).toMatchObject({ heading: "Your account is ready" });
    expect(await site.typesOf(userId, before.length)).toEqual([
      "user.human.email.verified",
      "user.human.initialized",
    ]);
  });

  test("and the phone number after it", async () => {
    const person = await site.givenPerson({ phone: { phone: "+41446681800" } });
    const { userId, code, link, phoneCode } = person;
    const done = await site.send(await open(link, code), { password });
    const [, href = ""] = /<a class="button" href="([^"]+)"/.exec(done.text) ?? [];
    expect(href).toBe(`phone/verify?userID=${userId}`);
    const asked = await site.open(`/ui/${href}`);
    const verified = await site.send(asked, { code: phoneCode.toLowerCase() });
    expect(verified).toMatchObject({
      ...{ status: 200, path: "/ui/done?after=phone" },
      heading: "Your phone number is verified",
    });
    expect((await site.typesOf(userId)).at(-1)).toBe("user.human.phone.verified");
    // The second use.
    const again = await site.send(asked, { code: phoneCode });
    expect(again).toMatchObject({ status: 400, heading: "Verify your phone number" });
    expect(again.text).toContain('role="alert"');
  });
});

describe("a password", () => {
  const tried = "Choose a different password";
  test.each<readonly [string, string, number, string?]>([
    ["seven characters", "1234567", 400],
    ["eight", "x7-kQ9 z", 200],
    ["eight that many people have", "12345678", 400, tried],
    ["the name of the person", "Ada Lovelace", 400, tried],
    ["seven that are two units each", "😀".repeat(7), 400],
    ["256 characters of four bytes", "😀".repeat(256), 200],
    ["257 characters", "x".repeat(257), 400],
    ["spaces alone", " ".repeat(8), 400, tried],
    ["markup", `"><script>&amp;+%`, 200],
  ])(
    "of %s is answered %j with %i, and never shown again",
    async (_, given, status, wrong = "must be 8 to 256 characters") => {
      const { userId, link } = await site.givenPerson();
      const page = await site.open(link);
      const before = await site.typesOf(userId);
      const answer = await site.send(page, { password: given });
      expect(answer.status).toBe(status);
      expect(answer.text).not.toMatch(/<input id="password"[^>]*value/);
      if (given !== "Ada Lovelace") expect(answer.text).not.toContain(given);
      const changed = (await site.typesOf(userId, before.length)).length;
      expect([changed, answer.text.includes(wrong)]).toEqual(
        status === 200 ? [3, false] : [0, true],
      );
      const hash = (await stateOf(userId)).human?.passwordHash ?? "";
      const opens = hash !== "" && (await site.server.passwords.verifyPassword(given, hash));
      expect(opens).toBe(status === 200);
    },
  );

  test.each(["short", ""])("that was refused (%j) leaves the form for another", async (given) => {
    const { link } = await site.givenPerson();
    const page = await site.open(link);
    const again = await site.send(page, { password: given });
    expect([again.status, formOf(again)]).toEqual([400, formOf(page)]);
    expect(await site.send(again, { password })).toMatchObject({ status: 200 });
  });

  test("is not hashed for a wrong code", async () => {
    const { userId, link } = await site.givenPerson();
    const page = await site.open(link);
    const { code = "" } = formOf(page).hidden;
    expect(await site.send(page, { code: wrong(code), password })).toMatchObject({ status: 400 });
    expect((await site.typesOf(userId)).at(-1)).toBe("user.human.initialization.failed");
    expect((await stateOf(userId)).human?.passwordHash).toBeUndefined();
  });
});

describe("a code", () => {
  few(2).each([
    ["small letters", (code: string) => code.toLowerCase()],
    ["spaces around and between", (code: string) => ` ${code.slice(0, 3)}\u00a0${code.slice(3)}\t`],
    [
      "wide letters",
      (code: string) =>
        [...code].map((c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)).join(""),
    ],
  ])("typed in %s is the same one", async (_, typed) => {
    const { userId, code } = await site.givenPerson();
    const asked = await site.open(`/ui/initialize?userID=${userId}`);
    const page = await site.send(asked, { code: typed(code) });
    expect(page.status).toBe(200);
    expect(formOf(page).hidden.code).toBe(code);
  });

  test("is void after five wrong ones, wherever they came from", async () => {
    const { userId, code, link } = await site.givenPerson();
    const before = await site.typesOf(userId);
    const asked = await site.open(`/ui/initialize?userID=${userId}`);
    const misses = [0, 1, 2].map((nth) => wrong(code, nth));
    for (const miss of misses) {
      const again = await site.send(asked, { code: miss });
      expect(again).toMatchObject({ status: 400, heading: "Set up your account" });
      expect(again.text).toContain("<title>Error: Set up your account</title>");
      expect(formOf(again)).toEqual(formOf(asked));
      expect(again.text).not.toContain(miss);
    }
    // One of links counts as well where it is sent, and not where a link is opened.
    const wrongLink = link.replace(codeIn(link), "0".repeat(32));
    expect(await site.open(wrongLink)).toMatchObject({ status: 400, heading: used });
    for (const miss of ["0".repeat(32), wrong(code, 4)]) {
      expect(await site.send(asked, { code: miss })).toMatchObject({ status: 400 });
    }
    expect(await site.typesOf(userId, before.length)).toEqual(
      Array(5).fill("user.human.initialization.failed"),
    );

    expect(await site.send(asked, { code })).toMatchObject({ status: 400 });
    expect(await site.open(link)).toMatchObject({ status: 400, heading: used });
    expect(await site.typesOf(userId)).toHaveLength(before.length + 5);
  });

  test("in the address is filled in, and tried when it is sent", async () => {
    const { userId, code } = await site.givenPerson();
    const before = await site.typesOf(userId);
    for (const given of [wrong(code), code]) {
      const asked = await site.open(`/ui/initialize?userID=${userId}&code=${given}`);
      expect(asked).toMatchObject({ status: 200, heading: "Set up your account" });
      expect(asked.text).toContain(`value="${given}"`);
      expect(asked.text).not.toContain("Ada");
      const sent = await site.send(asked, { code: given });
      expect(sent.status).toBe(given === code ? 200 : 400);
    }
    expect(await site.typesOf(userId, before.length)).toEqual(["user.human.initialization.failed"]);
  });

  test("of a phone is void after five wrong ones too", async () => {
    const { userId, phoneCode } = await site.givenPerson({ phone: { phone: "+41446681800" } });
    const asked = await site.open(`/ui/phone/verify?userID=${userId}`);
    for (const nth of [0, 1, 2, 3, 4]) {
      const again = await site.send(asked, { code: wrong(phoneCode, nth) });
      expect(again).toMatchObject({ status: 400, heading: "Verify your phone number" });
    }
    expect(await site.send(asked, { code: phoneCode })).toMatchObject({ status: 400 });
  });

  test.each([
    ["initialization", 200],
    ["phone", 303],
  ] as const)("for %s counts until it expires, and no longer", async (kind, status) => {
    const person = await site.givenPerson({ phone: { phone: "+41446681800" } });
    const path = kind === "phone" ? "/ui/phone/verify" : "/ui/initialize";
    const code = kind === "phone" ? person.phoneCode : person.code;
    const page = await site.open(`${path}?userID=${person.userId}`);
    await sendAll(site.server, person.userId);
    const begun = site.clock.nowMs;
    site.clock.nowMs = begun + codeLifetimesMs[kind];
    expect(await site.send(page, { code })).toMatchObject({ status: 400 });
    site.clock.nowMs -= 1;
    const answer = await fetch(site.server.url + path, {
      method: "POST",
      body: new URLSearchParams({ ...formOf(page).hidden, code }),
      ...{ redirect: "manual", headers: ofOwnPage },
    });
    site.clock.nowMs = begun;
    expect(answer.status).toBe(status);
  });

  test.each([
    ["of nobody", "nobody", "ABCDEF"],
    ["longer than any", "nobody", "A".repeat(201)],
    ["with a zero character", "nobody", "A\0"],
  ])("%s is asked for again", async (_, userId, code) => {
    const asked = await site.open(`/ui/initialize?userID=${userId}`);
    const again = await site.send(asked, { code });
    expect(again).toMatchObject({ status: 400, heading: "Set up your account" });
    expect(again.text).toContain("This code isn’t valid");
  });
});

/** The code of links. */
function codeIn(link: string): string {
  return new URL(link, site.server.url).searchParams.get("code") ?? "";
}

async function stateOf(userId: string) {
  const [stored] = await site.server.store.load([`user-${userId}`]);
  return JSON.parse(stored?.state ?? "{}") as { human?: { passwordHash?: string } };
}
