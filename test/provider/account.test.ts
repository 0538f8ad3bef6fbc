import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { erasureTimes } from "../../src/domain/user/state/asked-erasure.ts";
import { freshMs } from "../../src/provider/account/part.ts";
import { heading } from "./browser.ts";
import { enter, givenOwn } from "./own-browser.ts";
import { begin, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const parts = [
  ...["Overview", "Name and language", "Password", "Email address", "Phone number"],
  ...["Where you are logged in", "Your data", "Delete your account"],
];

describe("the account page", () => {
  test("is behind a login of its own, which leads to no token", async () => {
    const browser = parties.browser();
    await browser.open("/account");
    expect([heading(browser.page), browser.page.text]).toEqual([
      "Log in",
      expect.stringContaining(">Your account</p>"),
    ]);
    const person = await parties.givenPerson();
    await enter(browser, person);
    expect([browser.page.url, heading(browser.page)]).toEqual([
      `${parties.server.url}/account`,
      "Overview",
    ]);
    for (const shown of [person.userName, person.email, ...parts]) {
      expect(browser.page.text).toContain(shown);
    }
    const kept = await parties.server.events();
    expect(kept.at(-1)?.payload).toContain('"clientId":"account"');
    for (const way of ["/oauth/v2/token", "/oauth/v2/introspect"]) {
      const body = new URLSearchParams({ client_id: "account", grant_type: "client_credentials" });
      const response = await fetch(parties.server.url + way, { method: "POST", body });
      expect([400, 401]).toContain(response.status);
    }
  });

  test("needs no login in a browser in which somebody is logged in to an application", async () => {
    const [person, browser] = [await parties.givenPerson(), parties.browser()];
    await logIn(browser, await parties.givenApp(), person);
    expect(heading(await browser.open("/account"))).toBe("Overview");
  });

  test("leads on from the address of the service, and back where nobody logs in", async () => {
    const browser = parties.browser({ accept: "text/html" });
    const { text } = await browser.open("/");
    expect(text).toContain('href="ui/../account"');
    await browser.open("/account/data");
    await browser.send({}, "cancel");
    expect([browser.page.status, heading(browser.page)]).toEqual([403, "You’re not logged in"]);
  });

  test.each([
    ["sessions", "Where you are logged in"],
    ["nothing-of-ours", "Overview"],
    ["https://evil.example", "Overview"],
  ])("comes back to a part that there is: %s", async (state, title) => {
    const { browser } = await givenOwn(parties);
    const back = await browser.open(`/account/callback?${new URLSearchParams({ state })}`);
    expect([back.url.startsWith(parties.server.url), heading(back)]).toEqual([true, title]);
  });

  test("ends with the session, and for one who is out of use", async () => {
    const { person, browser } = await givenOwn(parties);
    await parties.call("POST", `/management/v1/users/${person.userId}/_deactivate`, {});
    expect(heading(await browser.open("/account"))).toBe("Log in");
    const id = String((await parties.call("POST", "/management/v1/orgs", { name: v7() })).id);
    const { browser: theirs } = await givenOwn(parties, await parties.givenPerson({}, id));
    await parties.call("POST", "/management/v1/orgs/me/_deactivate", {}, id);
    expect(heading(await theirs.open("/account"))).toBe("Log in");
    const { browser: other } = await givenOwn(parties);
    await other.open("/account/sessions");
    await other.send({}, "here");
    expect(heading(await other.open("/account"))).toBe("Log in");
  });

  test("takes the forms of its own session alone", async () => {
    const [mine, theirs] = [await givenOwn(parties), await givenOwn(parties)];
    await theirs.browser.open("/account/erasure");
    const [, secret = ""] = /name="secret" value="([^"]*)"/.exec(theirs.browser.page.text) ?? [];
    await mine.browser.open("/account/erasure");
    const { status } = await mine.browser.send({ secret }, "request");
    expect(status).toBe(400);
    await mine.browser.open("/account/erasure");
    expect((await mine.browser.send({ step: "nothing" }, "request")).status).toBe(400);
    expect(await parties.typesOf(mine.person)).not.toContain("user.erasure.requested");
  });

  test.each([
    ["data", "Your data", "download"],
    ["erasure", "Delete your account", "request"],
    ["email", "Email address", "request"],
    ["phone", "Phone number", "set"],
  ])("asks for a fresh login where it weakens an account: %s", async (part, title, step) => {
    const { person, browser } = await givenOwn(parties);
    parties.clock.nowMs += freshMs - 1_000;
    expect(heading(await browser.open(`/account/${part}`))).toBe(title);
    parties.clock.nowMs += 1_000;
    expect(heading(await browser.open(`/account/${part}`))).toBe("Log in");
    await enter(browser, person);
    expect(heading(browser.page)).toBe(title);
    parties.clock.nowMs += freshMs;
    expect(heading(await browser.send({}, step))).toBe("Log in");
    expect(heading(await browser.open("/account"))).toBe("Overview");
  });
});

test("what happened to the account is told in words, the latest first", async () => {
  const { person, browser } = await givenOwn(parties);
  const stranger = parties.browser({ "x-forwarded-for": "203.0.113.7" });
  await stranger.open("/account");
  await stranger.send({ userName: person.userName, password: "wrong" }, "password");
  await givenOwn(parties);
  await browser.open("/account/activity");
  const told = [
    ...browser.page.text.matchAll(/<div>\n([^<]*)\n<p class="hint"><time[^>]*>([^<]*)<\/time>/g),
  ];
  expect(told.map(([, what, when]) => [what, when])).toEqual([
    ["A login failed", expect.stringMatching(/^\d+ \w+ \d{4} at .* UTC/)],
    ["You logged in", expect.stringMatching(/UTC$/)],
  ]);
});

describe("the own data", () => {
  test("are downloaded, as they are kept, and five times a day", async () => {
    const { person, browser } = await givenOwn(parties);
    for (let i = 0; i < 5; i += 1) {
      await browser.open("/account/data");
      const { headers, text } = await browser.send({}, "download");
      expect(headers.get("content-disposition")).toBe('attachment; filename="account.json"');
      const { user, events, sessions } = JSON.parse(text);
      expect(user.state.userName).toBe(person.userName);
      expect(events[0].event).toMatchObject({ type: { type: "user.human.added" } });
      expect(sessions).toHaveLength(1);
      expect(text).not.toContain("$argon2");
    }
    await browser.open("/account/data");
    const { status } = await browser.send({}, "download");
    expect([status, heading(browser.page)]).toEqual([429, "Try again in a moment"]);
  });
});

describe("an erasure that a person asks for", () => {
  const asked = "user.erasure.requested";

  test("is 30 days away, and is taken back", async () => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/erasure");
    await browser.send({}, "request");
    const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
    const date = day.format(parties.clock.nowMs + erasureTimes.waitMs);
    expect(browser.page.text).toContain(`Your account will be deleted on ${date}.`);
    const { text } = await browser.open("/account");
    expect(text).toMatch(new RegExp(`${date}[^<]*<a href="[^"]*/erasure">Keep your account</a>`));
    const found = await parties.call("GET", `/management/v1/users/${person.userId}`);
    expect(found.user).toMatchObject({ erasureDate: expect.stringMatching(/T.*Z$/) });
    await browser.open("/account/erasure");
    await browser.send({}, "withdraw");
    expect(browser.page.text).toContain("Ask to delete your account");
    expect(await parties.typesOf(person)).toEqual(
      expect.arrayContaining([asked, "user.erasure.withdrawn"]),
    );
    expect(await parties.toldOf(person)).toEqual(["erasure.requested", "erasure.withdrawn"]);
  });

  test("is refused to one who holds roles", async () => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/erasure");
    await parties.call("POST", "/management/v1/orgs/me/members", {
      ...{ userId: person.userId, roles: ["ORG_USER_MANAGER"] },
    });
    await browser.send({}, "request");
    expect(browser.page.text).toContain("you have administrator roles");
    expect(await parties.typesOf(person)).not.toContain(asked);
  });

  test("no other path is a page", async () => {
    const { status } = await parties.browser().open(`/account/${v7()}`);
    expect(status).toBe(404);
  });

  test("its session logs in to applications, too", async () => {
    const { browser } = await givenOwn(parties);
    const { url } = await begin(await parties.givenApp());
    expect((await browser.open(url.href)).url).toMatch(/^https:\/\/app\.example\.com\/callback\?/);
  });
});
