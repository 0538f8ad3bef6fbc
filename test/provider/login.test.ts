import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { heading } from "./browser.ts";
import { begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

test("a person logs in to an application by code and PKCE, and out", async () => {
  const { server } = parties;
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  const before = await server.head();
  const tokens = await logIn(browser, app, person);
  const claims = tokens.claims();
  expect(claims).toMatchObject({ sub: person.userId, aud: app.clientId, amr: ["pwd"] });
  expect(claims).not.toHaveProperty("email");
  const info = await oidc.fetchUserInfo(app.config, tokens.access_token, person.userId);
  expect(info).toMatchObject({
    preferred_username: person.userName,
    ...{ email: person.email, email_verified: true, name: "Ada Lovelace" },
  });
  expect(info).not.toHaveProperty("phone_number");

  await browser.open(
    oidc.buildEndSessionUrl(app.config, {
      id_token_hint: String(tokens.id_token),
      post_logout_redirect_uri: "https://app.example.com/bye",
      state: "so long",
    }).href,
  );
  expect(heading(browser.page)).toBe("Log out");
  const bye = await browser.send({});
  expect(bye.url).toBe("https://app.example.com/bye?state=so+long");
  const gone = oidc.fetchUserInfo(app.config, tokens.access_token, person.userId);
  await expect(gone).rejects.toMatchObject({ status: 401 });
  const events = await server.events(before);
  expect(events.map(({ type }) => type)).toEqual([
    "user.human.session.begun",
    "user.human.session.ended",
  ]);
});

test("who is logged in goes straight on, and another application asks nobody again", async () => {
  const [app, other] = [await parties.givenApp(), await parties.givenApp()];
  const person = await parties.givenPerson();
  const browser = parties.browser();
  const none = await begin(app, { prompt: "none" });
  expect((await browser.open(none.url.href)).url).toContain("error=login_required");
  const first = await logIn(browser, app, person);
  for (const one of [app, other]) {
    const begun = await begin(one, { prompt: "none" });
    const back = await browser.open(begun.url.href);
    const tokens = await fetchTokens(one, begun, back.url);
    expect(tokens.claims()?.sub).toBe(person.userId);
  }
  // What the first login gave stays good.
  await oidc.fetchUserInfo(app.config, first.access_token, person.userId);
});

test("prompt, max_age and login_hint do as the standard says", async () => {
  const app = await parties.givenApp();
  const [person, another] = [await parties.givenPerson(), await parties.givenPerson()];
  const browser = parties.browser();
  await logIn(browser, app, person);

  const anew = await begin(app, { prompt: "login", login_hint: 'a "hint"' });
  expect(heading(await browser.open(anew.url.href))).toBe("Log in");
  expect(browser.page.text).toContain('value="a &quot;hint&quot;"');
  const back = await browser.send({ userName: person.userName, password: person.password });
  expect((await fetchTokens(app, anew, back.url)).claims()?.sub).toBe(person.userId);

  const chosen = await begin(app, { prompt: "select_account" });
  expect(heading(await browser.open(chosen.url.href))).toBe("Continue");
  expect(heading(await browser.send({}, "other"))).toBe("Log in");
  const switched = await browser.send({ userName: another.email, password: another.password });
  expect((await fetchTokens(app, chosen, switched.url)).claims()?.sub).toBe(another.userId);

  const kept = await begin(app, { prompt: "select_account" });
  await browser.open(kept.url.href);
  const same = await browser.send({}, "proceed");
  expect((await fetchTokens(app, kept, same.url)).claims()?.sub).toBe(another.userId);

  const old = await begin(app, { max_age: "0" });
  expect(heading(await browser.open(old.url.href))).toBe("Log in");
  const young = await begin(app, { max_age: "1000" });
  const still = await browser.open(young.url.href);
  expect((await fetchTokens(app, young, still.url)).claims()).toHaveProperty("auth_time");
});

test.each([
  ["openid offline_access", true],
  ["openid", false],
])("the first page for the scope %s says that access lasts: %s", async (scope, lasts) => {
  const begun = await begin(await parties.givenApp(), { scope });
  const { text } = await parties.browser().open(begun.url.href);
  expect(text.includes("while you’re away")).toBe(lasts);
});

test("two windows log in beside each other, and going back does no harm", async () => {
  const app = await parties.givenApp();
  const person = await parties.givenPerson();
  const browser = parties.browser();
  const [one, two] = [await begin(app), await begin(app)];
  const first = await browser.open(one.url.href);
  const second = await browser.open(two.url.href);
  const filled = { userName: person.userName, password: person.password };
  const backTwo = await browser.send(filled);
  await browser.open(first.url);
  const backOne = await browser.send(filled);
  for (const [begun, { url }] of [
    [one, backOne],
    [two, backTwo],
  ] as const) {
    expect((await fetchTokens(app, begun, url)).claims()?.sub).toBe(person.userId);
  }
  expect(heading(await browser.open(second.url))).toBe("This login has expired");
  expect(browser.page.status).toBe(400);
});

test("who cancels is led back, and told so", async () => {
  const app = await parties.givenApp();
  const browser = parties.browser();
  const begun = await begin(app);
  await browser.open(begun.url.href);
  const { url } = await browser.send({}, "cancel");
  const told = new URL(url).searchParams;
  expect([told.get("error"), told.get("state")]).toEqual(["access_denied", begun.state]);
});
