import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { resetLimits } from "../../src/domain/user/login/reset.ts";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { countAsk } from "../../src/provider/base/tries.ts";
import { errorIn, heading, type Page } from "./browser.ts";
import { askAs, happen, linkFor, mailedTo } from "./mails.ts";
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";
import { unitOf } from "./unit.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const another = "a better horse battery";
const changed = "Your password was changed";
const over = "This link is no longer valid";
const asked = "user.human.password.code.added";
const reset = "user.human.password.reset";

/** Sends the form behind a link without a page for it. */
async function sendTo(link: string, fields: { readonly [name: string]: string } = {}) {
  const { pathname, searchParams } = new URL(link, parties.server.url);
  const body = new URLSearchParams({ password: another, ...Object.fromEntries(searchParams) });
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const { url: origin } = parties.server;
  const response = await fetch(origin + pathname, { method: "POST", body, headers: { origin } });
  return { status: response.status, text: await response.text() };
}

test("a person replaces a forgotten password, and goes on to the application", async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser();
  const begun = await begin(app);
  await browser.open(begun.url.href);
  const name = person.email.toUpperCase();
  await browser.send({ userName: name, password: "forgotten" });
  const which = await browser.send({}, "forgotten");
  expect(heading(which)).toBe("Reset your password");
  expect(which.text).toContain(` value="${name}"`);
  const sent = await browser.send({ userName: name }, "ask");
  expect([sent.status, heading(sent)]).toEqual([200, "Check your email"]);
  expect(sent.text).toContain("<strong><bdi>Default</bdi></strong>");

  const { link = "", code = "" } = (await mailedTo(parties, person)) ?? {};
  const page = await browser.open(link);
  expect([page.status, heading(page)]).toEqual([200, "Choose a new password"]);
  expect(page.text).toContain(
    "<strong><bdi>Ada Lovelace</bdi></strong> at <strong><bdi>Default</bdi></strong>",
  );
  expect(page.text).toContain(`value="${person.userName}" readonly`);
  const done = await browser.send({ password: another });
  expect([done.status, heading(done)]).toEqual([200, changed]);
  const [, onward = ""] = /<a class="button" href="([^"]*)"/.exec(done.text) ?? [];
  expect(onward).toMatch(/^\.\.\/login\/[\w-]+$/);

  await browser.open(new URL(onward, done.url).href);
  expect(heading(browser.page)).toBe("Log in");
  const old = await browser.send({ userName: person.userName, password: person.password });
  expect(errorIn(old)).toContain("Wrong user name or password.");
  const back = await browser.send({ userName: person.userName, password: another });
  expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(person.userId);
  expect(await parties.typesOf(person)).toEqual([
    ...["user.human.login.failed", asked, reset, "user.human.notice.added"],
    ...["user.human.login.failed", "user.human.session.begun"],
  ]);
  expect(parties.server.logged().join("")).not.toContain(code);
});

test("who opens the mail in another browser is told to go back to the application", async () => {
  const link = await linkFor(parties, app, await parties.givenPerson());
  const elsewhere = parties.browser();
  await elsewhere.open(link);
  const done = await elsewhere.send({ password: another });
  expect(heading(done)).toBe(changed);
  expect(done.text).toContain("Go back to the app");
  expect(done.text).not.toContain("<a ");
});

test.each(["//evil.example.com", "https://evil.example.com", "..%2f..", "nobody", ""])(
  "a cookie of %j leads nowhere",
  async (value) => {
    const headers = { cookie: `iam.forgotten=${value}` };
    const page = await fetch(`${parties.server.url}/ui/password/changed`, { headers });
    const text = await page.text();
    expect([page.status, text.includes("<a ")]).toEqual([200, false]);
    expect(text).toContain("Go back to the app");
  },
);

describe("GHSA-pvm5-9frx-264r: nobody is told apart who asks", () => {
  test("by words, nor by whether there is an account", async () => {
    const email = { email: "ada@example.com", isEmailVerified: false };
    const out = await parties.givenPerson();
    await parties.call("POST", `/management/v1/users/${out.userId}/_deactivate`, {});
    const people = {
      known: await parties.givenPerson(),
      out,
      "not verified": await parties.givenPerson({ email }),
      "without a password": await parties.givenPerson({ password: "" }),
    };
    const names = Object.values(people).map(({ userName }) => userName);
    const pages = [];
    for (const name of [...names, "admin", "nobody", "nobody@example.com", ""]) {
      const { status, text } = await askAs(parties.browser(), app, name);
      pages.push([status, text.replaceAll(/login\/[\w-]+/g, "login/…")]);
    }
    expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1);
    for (const [what, person] of Object.entries(people)) {
      const isSent = (await mailedTo(parties, person)) !== undefined;
      expect([what, isSent]).toEqual([what, what === "known"]);
    }
  });

  test("nor by a bound on mails for one of them", async () => {
    const person = await parties.givenPerson();
    const answers = new Set<string>();
    for (let i = 0; i <= resetLimits.mailsOfPerson; i += 1) {
      for (const name of [person.userName, "somebody else"]) {
        const { status, text } = await askAs(parties.browser(), app, name);
        answers.add(`${status} ${text.replaceAll(/login\/[\w-]+/g, "")}`);
      }
    }
    expect(answers.size).toBe(1);
    const sent = (await parties.typesOf(person)).filter((type) => type === asked);
    expect(sent).toHaveLength(resetLimits.mailsOfPerson);
    parties.clock.nowMs += codeLifetimesMs.password + 1_000;
    await askAs(parties.browser(), app, person.userName);
    expect((await parties.typesOf(person)).filter((type) => type === asked)).toHaveLength(
      resetLimits.mailsOfPerson + 1,
    );
  });
});

test.each([
  ["from one address", "203.0.113.7", resetLimits.asksOfAddress],
  ["where no address is known", undefined, resetLimits.asksOfMachine],
])(
  "%s so many may ask in an hour, no matter who they say they are",
  async (_title, address, most) => {
    const { server, clock } = parties;
    const site = unitOf(server.store, () => clock.nowMs);
    clock.nowMs += codeLifetimesMs.password;
    const ask = (i: number, sender: string | undefined) =>
      countAsk(site, { name: `name ${sender} ${i}`, found: undefined, address: sender });
    const asked = Array.from({ length: most }, (_, i) => ask(i, address));
    expect(new Set(await Promise.all(asked))).toEqual(new Set(["counts"]));
    expect(await ask(most, address)).toBe("too many of the address");
    expect(await ask(0, "203.0.113.8")).toBe("counts");
    clock.nowMs += codeLifetimesMs.password;
    expect(await ask(most + 1, address)).toBe("counts");
  },
);

describe("CVE-2026-18963: the code of the mail", () => {
  const refused = async (link: string) => {
    const told: Pick<Page, "status" | "text">[] = [await parties.browser().open(link)];
    told.push(await sendTo(link));
    for (const page of told) expect([page.status, heading(page)]).toEqual([400, over]);
    return new Set(told.map(({ text }) => text));
  };

  test("is valid once, also of two who show it at once", async () => {
    const person = await parties.givenPerson();
    const link = await linkFor(parties, app, person);
    const both = await Promise.all([sendTo(link), sendTo(link)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    await refused(link);
    expect((await parties.typesOf(person)).filter((type) => type === reset)).toHaveLength(1);
  });

  test("is not used up by opening the link, nor by a password that is not taken", async () => {
    const person = await parties.givenPerson();
    const link = await linkFor(parties, app, person);
    const browser = parties.browser();
    await browser.open(link);
    await browser.open(link);
    for (const [wrong, told] of [
      ["short", "8 to 256 characters"],
      ["password123", "too common"],
      [person.userName, "too common"],
    ] as const) {
      const page = await browser.send({ password: wrong });
      expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining(told)]);
    }
    expect(heading(await browser.send({ password: another }))).toBe(changed);
  });

  test("ends after an hour", async () => {
    const link = await linkFor(parties, app, await parties.givenPerson());
    const begunMs = parties.clock.nowMs;
    parties.clock.nowMs = begunMs + codeLifetimesMs.password - 5_000;
    expect((await parties.browser().open(link)).status).toBe(200);
    parties.clock.nowMs = begunMs + codeLifetimesMs.password + 1_000;
    await refused(link);
    parties.clock.nowMs = begunMs;
  });

  test.each<readonly [string, Parameters<typeof happen>[2]]>([
    ["another address", { type: "user.human.email.changed", payload: { email: "b@example.com" } }],
    ["another password", { type: "user.human.password.changed", payload: { passwordHash: "$x$" } }],
    ["being out of use", { type: "user.deactivated", payload: {} }],
    [
      "credentials that were voided",
      { type: "user.credentials.voided", payload: { voided: [{ kind: "password" }] } },
    ],
  ])("is void after %s", async (_, event) => {
    const person = await parties.givenPerson();
    const link = await linkFor(parties, app, person);
    await happen(parties, person, event);
    if (event.type === "user.human.email.changed") {
      await happen(parties, person, { type: "user.human.email.verified", payload: {} });
    }
    await refused(link);
    expect(await parties.typesOf(person)).not.toContain(reset);
  });

  test("is void once there is a newer mail", async () => {
    const person = await parties.givenPerson();
    const first = await linkFor(parties, app, person);
    const second = await linkFor(parties, app, person);
    await refused(first);
    expect((await sendTo(second)).status).toBe(200);
  });
});

describe("CVE-2026-18963: without the code of the mail no password is set", () => {
  test.each<readonly [string, (code: string) => { readonly [name: string]: string }]>([
    ["no code", () => ({ code: "" })],
    ["a code that was cut", (code) => ({ code: code.slice(1) })],
    ["a step of a login", () => ({ code: "", step: "change" })],
  ])("by %s", async (_, fields) => {
    const person = await parties.givenPerson();
    await askAs(parties.browser(), app, person.userName);
    const { link = "", code = "" } = (await mailedTo(parties, person)) ?? {};
    expect((await sendTo(link, fields(code))).status).toBe(400);
    expect(await parties.typesOf(person)).toEqual([asked]);
  });

  test("by the code of another person", async () => {
    const [one, other] = [await parties.givenPerson(), await parties.givenPerson()];
    const [link, foreign] = [
      await linkFor(parties, app, one),
      await linkFor(parties, app, other),
    ].map((text) => new URL(text, parties.server.url).searchParams);
    const mixed = new URLSearchParams({ userID: link?.get("userID") ?? "" });
    mixed.set("code", foreign?.get("code") ?? "");
    expect((await sendTo(`/ui/password?${mixed}`)).status).toBe(400);
    expect(await parties.typesOf(one)).toEqual([asked]);
    expect(await parties.typesOf(other)).toEqual([asked]);
  });

  test("by the hidden fields of somebody who never asked", async () => {
    const { userId } = await parties.givenPerson();
    expect((await sendTo(`/ui/password?userID=${userId}&code=`)).status).toBe(400);
  });

  test("by the code of a new account, which is no code of a mail for this one", async () => {
    const email = { email: "new@example.com", isEmailVerified: false };
    const person = await parties.givenPerson({ email });
    const stream = `user-${person.userId}`;
    const [stored] = await parties.server.store.load([stream]);
    const sealed = JSON.parse(stored?.state ?? "").human.initialization.code;
    const place = { stream, field: "initialization.code" };
    const { keyring } = parties.server;
    for (const code of [keyring.open(sealed, place), keyring.derive(sealed, place)]) {
      expect((await sendTo(`/ui/password?userID=${person.userId}&code=${code}`)).status).toBe(400);
    }
    expect((await parties.typesOf(person)).at(-1)).toBe("user.human.initialization.code.added");
  });

  test("and the code of this mail opens nothing else", async () => {
    const person = await parties.givenPerson();
    await askAs(parties.browser(), app, person.userName);
    const { code = "" } = (await mailedTo(parties, person)) ?? {};
    for (const method of ["CheckInitialization", "Initialize", "VerifyPhone"]) {
      const url = `${parties.server.url}/iam.account.v1.AccountService/${method}`;
      const body = JSON.stringify({ userId: person.userId, code });
      const headers = { "content-type": "application/json" };
      expect((await fetch(url, { method: "POST", headers, body })).status).toBe(400);
    }
    expect(await parties.typesOf(person)).toEqual([asked]);
  });
});

test("a login goes on with another name than the one that was asked for", async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser();
  await askAs(browser, app, "nobody");
  expect(heading(await browser.send({}, "other"))).toBe("Log in");
  const back = await browser.send({ userName: person.userName, password: person.password });
  expect(back.url).toContain("code=");
  await logIn(parties.browser(), app, person);
});
