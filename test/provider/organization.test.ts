import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { apiScope } from "../../src/provider/token/scopes.ts";
import { recordedOrg } from "../cases/orgs.ts";
import { basic, givenAsker, isLetIn, post, statusOfUserinfo } from "./asking.ts";
import { begin, logIn, type Parties, startParties } from "./relying.ts";

// Nothing that belongs to an inactive or removed organization counts: its people, machines and
// applications.

let parties: Parties;
/** An organization that is active before each test. */
let organization: string;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

beforeEach(async () => {
  const { id } = await parties.call("POST", "/management/v1/orgs", { name: v7() });
  organization = String(id);
});

const deactivate = () =>
  parties.call("POST", "/management/v1/orgs/me/_deactivate", {}, organization);
const reactivate = () =>
  parties.call("POST", "/management/v1/orgs/me/_reactivate", {}, organization);

/** Removes it whole, or so that nothing that belongs to it is removed yet. */
const removals: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["removed", () => parties.call("DELETE", "/management/v1/orgs/me", {}, organization)],
  [
    "about to be removed",
    () => recordedOrg(parties.server, organization, { type: "org.removed", payload: {} }),
  ],
];

test.each(removals)(
  "a person who is %s has no login, session, token or code",
  async (_, remove) => {
    const app = await parties.givenApp();
    const person = await parties.givenPerson({}, organization);
    const isActive = await givenAsker(parties);
    const browser = parties.browser();
    const { access_token: token } = await logIn(browser, app, person);
    const { refresh_token: refresh = "" } = await logIn(parties.browser(), app, person, {
      ...{ scope: "openid offline_access", prompt: "consent" },
    });
    const tell = async () => [
      await statusOfUserinfo(parties, token),
      await isActive(token),
      await isLetIn(browser, app),
    ];
    expect(await tell()).toEqual([200, true, true]);
    await remove();
    expect(await tell()).toEqual([401, false, false]);
    await expect(oidc.refreshTokenGrant(app.config, refresh)).rejects.toThrow();
    await expect(logIn(parties.browser(), app, person)).rejects.toThrow();
  },
);

test.each(removals)("an application that is %s logs nobody in", async (_, remove) => {
  const { id } = await parties.call(
    ...(["POST", "/management/v1/projects"] as const),
    { name: v7() },
    organization,
  );
  const app = await parties.givenApp({}, String(id), organization);
  const person = await parties.givenPerson();
  const { access_token: token } = await logIn(parties.browser(), app, person);
  const visit = async () => (await parties.browser().open((await begin(app)).url.href)).status;
  expect([await statusOfUserinfo(parties, token), await visit()]).toEqual([200, 200]);
  await remove();
  expect([await statusOfUserinfo(parties, token), await visit()]).toEqual([401, 400]);
});

test("a person has no login, session, access token or refresh token meanwhile", async () => {
  const app = await parties.givenApp();
  const person = await parties.givenPerson({}, organization);
  const isActive = await givenAsker(parties);
  const browser = parties.browser();
  const scope = "openid offline_access";
  const { access_token: token } = await logIn(browser, app, person);
  const { refresh_token: refresh = "" } = await logIn(parties.browser(), app, person, {
    ...{ scope, prompt: "consent" },
  });
  const tell = async () => [
    await statusOfUserinfo(parties, token),
    await isActive(token),
    await isLetIn(browser, app),
  ];
  expect(await tell()).toEqual([200, true, true]);

  await deactivate();
  expect(await tell()).toEqual([401, false, false]);
  await expect(oidc.refreshTokenGrant(app.config, refresh)).rejects.toThrow();
  await expect(logIn(parties.browser(), app, person)).rejects.toThrow();

  await reactivate();
  expect((await tell()).slice(0, 2)).toEqual([200, true]);
  expect((await logIn(parties.browser(), app, person)).access_token).toBeDefined();
});

test("a machine gets no token, and has none", async () => {
  const { userId } = await parties.call(
    ...(["POST", "/management/v1/users/machine"] as const),
    { userName: v7(), name: "A robot" },
    organization,
  );
  const path = `/management/v1/users/${String(userId)}/secret`;
  const { clientId, clientSecret } = await parties.call("PUT", path, {}, organization);
  const headers = basic(String(clientId), String(clientSecret));
  const grant = { grant_type: "client_credentials", scope: apiScope };
  const ask = () => post(parties, "/oauth/v2/token", grant, headers);
  const use = async (token: unknown) => {
    const url = `${parties.server.url}/management/v1/projects/_search`;
    const authorization = `Bearer ${String(token)}`;
    return (await fetch(url, { method: "POST", headers: { authorization } })).status;
  };
  const { body } = await ask();
  // One who is known, but may not do this, is refused with 403.
  expect(await use(body.access_token)).toBe(403);

  await deactivate();
  expect([(await ask()).status, await use(body.access_token)]).toEqual([401, 401]);
  await reactivate();
  expect([(await ask()).status, await use(body.access_token)]).toEqual([200, 403]);
});

test("an application logs nobody in, and asks about no token", async () => {
  const { id } = await parties.call(
    ...(["POST", "/management/v1/projects"] as const),
    { name: v7() },
    organization,
  );
  const app = await parties.givenApp({}, String(id), organization);
  const person = await parties.givenPerson();
  const { access_token: token } = await logIn(parties.browser(), app, person);
  const visit = async () => (await parties.browser().open((await begin(app)).url.href)).status;
  expect([await statusOfUserinfo(parties, token), await visit()]).toEqual([200, 200]);

  await deactivate();
  expect([await statusOfUserinfo(parties, token), await visit()]).toEqual([401, 400]);
  await reactivate();
  expect([await statusOfUserinfo(parties, token), await visit()]).toEqual([200, 200]);
});
