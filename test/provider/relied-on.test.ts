import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { lifetimes } from "../../src/provider/library/configuration.ts";
import { heading } from "./browser.ts";
import { claimsIn, givenAskerOf, givenProjectOf } from "./granting.ts";
import { enter, givenOwn } from "./own-browser.ts";
import { begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

/** What libraries of applications rely on, and one login alone does not show. */

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const dayMs = 24 * 60 * 60_000;

test("access that lasts goes on from the last login, whatever was granted before", async () => {
  const [app, person, browser] = [
    ...[await parties.givenApp(), await parties.givenPerson(), parties.browser()],
  ] as const;
  const beganMs = parties.clock.nowMs;
  try {
    await logIn(browser, app, person);
    parties.clock.nowMs += dayMs;
    const begun = await begin(app, { scope: "openid offline_access" });
    await browser.open(begun.url.href);
    const back = await browser.send({}, "proceed");
    let token = String((await fetchTokens(app, begun, back.url)).refresh_token);
    for (let days = 1 + 12; days < 90; days += 12) {
      parties.clock.nowMs = beganMs + days * dayMs;
      token = String((await oidc.refreshTokenGrant(app.config, token)).refresh_token);
    }
    parties.clock.nowMs = beganMs + dayMs + lifetimes.lastingGrant * 1_000 - 60_000;
    await oidc.refreshTokenGrant(app.config, token);
  } finally {
    parties.clock.nowMs = beganMs;
  }
});

describe("the window of a login", () => {
  const opener = "cross-origin-opener-policy";

  test("stays that of the application which opened it", async () => {
    const browser = parties.browser();
    await browser.open((await begin(await parties.givenApp())).url.href);
    const person = await parties.givenPerson({ passwordChangeRequired: true });
    for (const page of [browser.page, await enter(browser, person)]) {
      expect(page.headers.get(opener)).toBeNull();
    }
    expect(heading(browser.page)).toBe("Choose a new password");
  });

  test("is another than that of the account page", async () => {
    const { browser } = await givenOwn(parties);
    expect(browser.page.headers.get(opener)).toBe("same-origin");
  });
});

test.each(["OIDC_TOKEN_TYPE_JWT", "OIDC_TOKEN_TYPE_BEARER"])(
  "a scope names no audience that the token is not for: %s",
  async (accessTokenType) => {
    const project = await givenProjectOf(parties, []);
    const named = (id: string) => `urn:iam:org:project:id:${id}:aud`;
    const scope = `openid ${named(project)} ${named(v7())}`;
    const app = await parties.givenApp({ accessTokenType });
    const tokens = await logIn(parties.browser(), app, await parties.givenPerson(), { scope });
    expect(tokens.scope).toBe(`openid ${named(project)}`);
    const asker = await givenAskerOf(parties, project);
    expect(await asker(tokens.access_token)).toMatchObject({
      active: true,
      scope: `openid ${named(project)}`,
    });
    if (accessTokenType !== "OIDC_TOKEN_TYPE_JWT") return;
    expect(claimsIn(tokens.access_token)).toMatchObject({ scope: `openid ${named(project)}` });
  },
);

test("a scope that is left out is openid", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const begun = await begin(app);
  begun.url.searchParams.delete("scope");
  const browser = parties.browser();
  await browser.open(begun.url.href);
  const back = await enter(browser, person);
  const tokens = await fetchTokens(app, begun, back.url);
  expect([tokens.scope, tokens.claims()?.sub]).toEqual(["openid", person.userId]);
});

test("who cannot have access that lasts is not asked for it", async () => {
  const app = await parties.givenApp({ grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"] });
  const browser = parties.browser();
  await logIn(browser, app, await parties.givenPerson());
  const begun = await begin(app, { scope: "openid offline_access" });
  const back = await browser.open(begun.url.href);
  const tokens = await fetchTokens(app, begun, back.url);
  expect([tokens.scope, tokens.refresh_token]).toEqual(["openid", undefined]);
});

test("a person is updated by what applications are told, and by no login", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const updatedAt = async () => {
    const { access_token } = await logIn(parties.browser(), app, person, {
      scope: "openid profile",
    });
    const info = await oidc.fetchUserInfo(app.config, access_token, person.userId);
    return Number(info.updated_at);
  };
  const beganMs = parties.clock.nowMs;
  try {
    const first = await updatedAt();
    parties.clock.nowMs += 60_000;
    const stranger = parties.browser();
    await stranger.open((await begin(app)).url.href);
    await enter(stranger, { ...person, password: "wrong" });
    expect(await updatedAt()).toBe(first);
    const path = `/management/v1/users/${person.userId}/profile`;
    await parties.call("PUT", path, { firstName: "Ada", lastName: "Byron" });
    expect(await updatedAt()).toBe(first + 60);
  } finally {
    parties.clock.nowMs = beganMs;
  }
});
