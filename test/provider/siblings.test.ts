import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { givenAsker, isLetIn, statusOfUserinfo } from "./asking.ts";
import { begin, callback, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

// What happened to others, where several ways lead to the same thing.

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

test("CVE-2025-12110: who may refresh no more gets nothing for old tokens", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const isActive = await givenAsker(parties);
  const offline = { scope: "openid offline_access" };
  const [one, other] = [
    await logIn(parties.browser(), app, person, offline),
    await logIn(parties.browser(), app, person, offline),
  ];
  const { refresh_token: refreshed = "" } = await oidc.refreshTokenGrant(
    app.config,
    String(one.refresh_token),
  );
  const path = `/management/v1/projects/${parties.server.project}/apps/${app.appId}/oidc_config`;
  await parties.call("PUT", path, {
    ...{ redirectUris: [callback], authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE" },
    responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
    grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"],
  });
  for (const token of [refreshed, String(other.refresh_token)]) {
    const refreshing = oidc.refreshTokenGrant(app.config, token);
    await expect(refreshing).rejects.toMatchObject({ error: "unauthorized_client" });
    expect(await isActive(token)).toBe(false);
  }
  // Nor does a login give another one.
  const { refresh_token } = await logIn(parties.browser(), app, person);
  expect(refresh_token).toBeUndefined();
});

test("CVE-2025-12390: a second person in one browser has nothing of the first", async () => {
  const [app, api] = [await parties.givenApp(), await givenAsker(parties)];
  const [first, second] = [await parties.givenPerson(), await parties.givenPerson()];
  const browser = parties.browser();
  const before = await logIn(browser, app, first);
  const cookie = browser.cookies.get("iam.session")?.value ?? "";
  const begun = await begin(app, { prompt: "login" });
  await browser.open(begun.url.href);
  const back = await browser.send({ userName: second.userName, password: second.password });
  const after = await fetchTokens(app, begun, back.url);
  expect([before.claims()?.sub, after.claims()?.sub]).toEqual([first.userId, second.userId]);
  expect(after.claims()?.sid).not.toBe(before.claims()?.sid);
  expect(browser.cookies.get("iam.session")?.value).not.toBe(cookie);
  // The first one is logged out, and what it had is of no use.
  expect((await parties.typesOf(first)).at(-1)).toBe("user.human.session.ended");
  expect(await statusOfUserinfo(parties, before.access_token)).toBe(401);
  expect([await api(before.access_token), await api(after.access_token)]).toEqual([false, true]);
  const holder = parties.browser();
  holder.hold("iam.session", cookie);
  expect([await isLetIn(holder, app), await isLetIn(browser, app)]).toEqual([false, true]);
  const again = await begin(app, { prompt: "none" });
  const { url } = await browser.open(again.url.href);
  expect((await fetchTokens(app, again, url)).claims()?.sub).toBe(second.userId);
});
