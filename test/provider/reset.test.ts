import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { cookiesOf } from "./asking.ts";
import { heading } from "./browser.ts";
import { linkFor } from "./mails.ts";
import {
  type App,
  begin,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

const out = "a password that was replaced";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const another = "a better horse battery";

async function replacePassword(person: Person): Promise<void> {
  const owner = parties.browser();
  await owner.open(await linkFor(parties, app, person));
  expect(heading(await owner.send({ password: another }))).toBe("Your password was changed");
}

test(`${out} ends sessions, and what came from logins: tokens of all kinds, codes`, async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser();
  const offline = { scope: "openid offline_access" };
  const begun = await begin(app, offline);
  await browser.open(begun.url.href);
  const { url } = await browser.send({ userName: person.userName, password: person.password });
  const tokens = await fetchTokens(app, begun, url);
  // One whose browser has logged out since.
  const gone = parties.browser();
  const before = await begin(app, offline);
  await gone.open(before.url.href);
  const back = await gone.send({ userName: person.userName, password: person.password });
  const kept = await fetchTokens(app, before, back.url);
  await gone.open(
    oidc.buildEndSessionUrl(app.config, { id_token_hint: String(kept.id_token) }).href,
  );
  await gone.send({});
  const waiting = await begin(app);
  const { url: unfetched } = await browser.open(waiting.url.href);
  expect(unfetched).toContain("code=");
  const refreshed = await oidc.refreshTokenGrant(app.config, String(kept.refresh_token));
  await replacePassword(person);

  const silent = await browser.open((await begin(app, { prompt: "none" })).url.href);
  expect(silent.url).toContain("error=login_required");
  await expect(fetchTokens(app, waiting, unfetched)).rejects.toMatchObject({
    error: "invalid_grant",
  });
  for (const { refresh_token } of [tokens, refreshed]) {
    const refreshing = oidc.refreshTokenGrant(app.config, String(refresh_token));
    await expect(refreshing).rejects.toMatchObject({ error: "invalid_grant" });
  }
  for (const { access_token } of [tokens, refreshed]) {
    const asking = oidc.fetchUserInfo(app.config, access_token, person.userId);
    await expect(asking).rejects.toMatchObject({ status: 401 });
  }
  const anew = await logIn(parties.browser(), app, { ...person, password: another }, offline);
  expect(await oidc.fetchUserInfo(app.config, anew.access_token, person.userId)).toBeDefined();
  await oidc.refreshTokenGrant(app.config, String(anew.refresh_token));
});

test(`${out} lets no login go on that was finished with it`, async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser();
  const { url } = await browser.open((await begin(app)).url.href);
  const fields = { step: "password", userName: person.userName, password: person.password };
  const finished = await fetch(url, {
    method: "POST",
    ...{ body: new URLSearchParams(fields), headers: cookiesOf(browser) },
    redirect: "manual",
  });
  expect(finished.status).toBe(303);
  await replacePassword(person);
  const back = await browser.open(finished.headers.get("location") ?? "");
  expect(back.url).not.toContain("code=");
  expect(await parties.typesOf(person)).not.toContain("user.human.session.begun");
});

test("the one-time code is asked for all the same", async () => {
  const person = await parties.givenPerson({ otpCode: "JBSWY3DPEHPK3PXPJBSWY3DP" });
  await replacePassword(person);
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const page = await browser.send({ userName: person.userName, password: another });
  expect(heading(page)).toBe("Enter a one-time code");
});

test("a lock ends, and nobody has to choose yet another password", async () => {
  const person = await parties.givenPerson({ passwordChangeRequired: true });
  const stranger = parties.browser();
  await stranger.open((await begin(app)).url.href);
  const attempt = (password: string) => stranger.send({ userName: person.userName, password });
  for (let i = 0; i < loginLimits.failures; i += 1) await attempt("wrong");
  expect((await parties.typesOf(person)).at(-1)).toBe("user.human.locked");
  await replacePassword(person);
  expect((await attempt(another)).url).toContain("code=");
});
