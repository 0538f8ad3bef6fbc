import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { apiScope } from "../../src/provider/token/scopes.ts";
import { inFull } from "../harness/in-full.ts";
import { type Browser, heading } from "./browser.ts";
import { givenHolder, showPasskey } from "./passkeys.ts";
import {
  type App,
  begin,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const page = "/account/sessions";
const ended = "user.human.session.ended";
const refused = { status: 401 };

/** What the page lists: the names of applications, and what is said of each. */
const listedIn = ({ text }: { readonly text: string }) =>
  [...text.matchAll(/<li class="row">\n<div>\n<h2.*?<\/li>/gs)].map(([part]) => ({
    name: /<bdi>(.*?)<\/bdi>/.exec(part)?.[1],
    isHere: part.includes("This browser"),
    factors: /with: ([a-z, -]*)\./.exec(part)?.[1],
  }));

const fetchInfo = ({ config }: App, token: string, { userId }: Person) =>
  oidc.fetchUserInfo(config, token, userId);

/** A person who is logged in with two browsers. */
async function twice() {
  const name = v7();
  const [app, person] = [await parties.givenApp({ name }), await parties.givenPerson()];
  const far = await parties.givenApp();
  const [here, there] = [parties.browser(), parties.browser()];
  const near = await logIn(here, app, person);
  const remote = await logIn(there, far, person);
  return { name, app, far, person, here, there, near, remote };
}

/** The fields of the form for the session that is listed at the place. */
function fieldsOf({ page: { text } }: Browser, step: string) {
  const forms = [...text.matchAll(/<form .*?<\/form>/gs)].map(([form]) => {
    const fields = form.matchAll(/name="([^"]*)" value="([^"]*)"/g);
    return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]));
  });
  return forms.find((fields) => fields.step === step) ?? {};
}

test("a browser in which nobody is logged in is asked to log in", async () => {
  const browser = parties.browser();
  const { status } = await browser.open(page);
  expect([status, heading(browser.page)]).toEqual([200, "Log in"]);
});

test("people see where they are logged in, and log out here and there", async () => {
  const { name, app, far, person, here, there, near, remote } = await twice();
  await parties.call(
    "DELETE",
    `/management/v1/projects/${parties.server.project}/apps/${far.appId}`,
  );
  await here.open(page);
  expect(listedIn(here.page)).toEqual([
    { name: "An app that no longer exists", isHere: false, factors: "password" },
    { name, isHere: true, factors: "password" },
  ]);
  expect(heading(await here.send({}, "one"))).toBe("Where you are logged in");
  expect(listedIn(here.page)).toMatchObject([{ name }]);
  expect(heading(await there.open(page))).toBe("Log in");
  await fetchInfo(app, near.access_token, person);
  expect(remote.access_token).not.toBe(near.access_token);

  const left = await here.send({}, "here");
  expect(heading(left)).toBe("You’re logged out");
  expect(left.text).toContain("Go to the start page</a>");
  await expect(fetchInfo(app, near.access_token, person)).rejects.toMatchObject(refused);
  expect(heading(await here.open(page))).toBe("Log in");
  expect((await parties.typesOf(person)).slice(-2)).toEqual([ended, ended]);
  const anew = await begin(app);
  expect(heading(await here.open(anew.url.href))).toBe("Log in");
});

test("what came from a session ends with it, but for what was to outlast it", async () => {
  const { far, person, here, there, remote } = await twice();
  const app = await parties.givenApp();
  const offline = { scope: "openid offline_access" };
  const begun = await begin(app, offline);
  await there.open(begun.url.href);
  const back = await there.send({}, "proceed");
  const lasting = await oidc.authorizationCodeGrant(app.config, new URL(back.url), {
    pkceCodeVerifier: begun.verifier,
    ...{ expectedState: begun.state, expectedNonce: begun.nonce },
  });
  await here.open(page);
  await here.send({}, "one");
  await expect(fetchInfo(far, remote.access_token, person)).rejects.toMatchObject(refused);
  const { access_token } = await oidc.refreshTokenGrant(app.config, String(lasting.refresh_token));
  await fetchInfo(app, access_token, person);
});

inFull("all others end at once", async () => {
  const { name, app, person, here } = await twice();
  const holder = await givenHolder(parties);
  const other = parties.browser();
  await other.open((await begin(app)).url.href);
  await other.send({}, "passkey");
  await showPasskey(other, holder.passkey);
  expect(listedIn(await other.open(page))).toEqual([{ name, isHere: true, factors: "passkey" }]);
  for (let i = 0; i < 2; i += 1) await logIn(parties.browser(), app, person);
  await here.open(page);
  expect(listedIn(here.page)).toHaveLength(4);
  await here.send({}, "others");
  expect(listedIn(here.page)).toEqual([{ name, isHere: true, factors: "password" }]);
  expect((await parties.typesOf(person)).slice(-3)).toEqual([ended, ended, ended]);
  // That of somebody else goes on.
  expect(listedIn(await other.open(page))).toHaveLength(1);
});

inFull("people see which applications may act for them, and allow it no longer", async () => {
  const [person, name] = [await parties.givenPerson(), v7()];
  const [app, kept] = [await parties.givenApp({ name }), await parties.givenApp()];
  const browser = parties.browser();
  const tokens = [];
  for (const one of [app, kept]) {
    const begun = await begin(one, { scope: `openid ${apiScope}` });
    await browser.open(begun.url.href);
    if (one === app) await browser.send({ ...person }, "password");
    const back = await browser.send({}, "allow");
    tokens.push((await fetchTokens(one, begun, back.url)).access_token);
  }
  const call = async (token = "") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const path = "/management/v1/projects/_search";
    const init = { method: "POST", headers, body: "{}" };
    return (await fetch(parties.server.url + path, init)).status;
  };
  const before = await Promise.all(tokens.map(call));
  expect(before).not.toContain(401);
  const { text } = await browser.open(page);
  expect(text).toMatch(new RegExp(`Apps that can act on your behalf.*${name}`, "s"));
  await browser.send({ client: app.clientId }, "withdraw");
  expect(await Promise.all(tokens.map(call))).toEqual([401, before[1]]);
  expect(browser.page.text.match(/Stop allowing it/g)).toHaveLength(1);
  expect((await parties.typesOf(person)).at(-1)).toBe("user.human.consent.revoked");
});

test("CVE-2024-39683: nobody sees or ends sessions of others", async () => {
  const [app, mallory] = [await parties.givenApp(), await parties.givenPerson()];
  const victim = await twice();
  const [before] = [await parties.typesOf(victim.person)];
  await victim.here.open(page);
  const { session = "" } = fieldsOf(victim.here, "one");
  const browser = parties.browser();
  for (let i = 0; i < 2; i += 1) await logIn(i === 0 ? browser : parties.browser(), app, mallory);
  await browser.open(page);
  expect(listedIn(browser.page)).toHaveLength(2);
  expect(session).toMatch(/^[\w-]{20,}$/);
  expect(browser.page.text).not.toContain(session);
  expect((await browser.send({ session }, "one")).status).toBe(200);
  expect(listedIn(browser.page)).toHaveLength(2);
  expect(await parties.typesOf(victim.person)).toEqual(before);
  for (const { app: to, tokens } of [
    { app: victim.app, tokens: victim.near },
    { app: victim.far, tokens: victim.remote },
  ]) {
    await fetchInfo(to, tokens.access_token, victim.person);
  }
});

test("CVE-2024-39683: a form of another site or session ends nothing", async () => {
  const { person, here, there } = await twice();
  await here.open(page);
  await there.open(page);
  const cookie = [...here.cookies.values()].map(({ name, value }) => `${name}=${value}`).join("; ");
  const own = fieldsOf(here, "one");
  const send = async (fields: object, headers: object = {}) => {
    const body = new URLSearchParams({ ...own, ...fields });
    const init = { method: "POST", body, redirect: "manual", headers: { cookie, ...headers } };
    return (await fetch(parties.server.url + page, init as RequestInit)).status;
  };
  expect(await send({}, { "sec-fetch-site": "cross-site" })).toBe(400);
  expect(await send({}, { "sec-fetch-site": "same-site" })).toBe(400);
  // What follows comes from a page of this site, so the origin refuses none of it.
  const ours = { "sec-fetch-site": "same-origin" };
  expect(await send({ secret: fieldsOf(there, "one").secret }, ours)).toBe(400);
  expect(await send({ secret: "" }, ours)).toBe(400);
  expect(await send({ step: "unknown" }, ours)).toBe(400);
  // Who is not logged in is led to a login.
  expect(await send({}, { cookie: "", ...ours })).toBe(303);
  expect(await parties.typesOf(person)).not.toContain(ended);
  expect(await send({}, ours)).toBe(303);
  expect(await parties.typesOf(person)).toContain(ended);
});
