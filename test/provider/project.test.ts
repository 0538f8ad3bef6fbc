import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { givenOrganization } from "../harness/server.ts";
import { givenAsker, isLetIn, statusOfUserinfo } from "./asking.ts";
import { heading } from "./browser.ts";
import { begin, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const offline = { scope: "openid email offline_access" };

async function givenProject(): Promise<string> {
  const name = crypto.randomUUID();
  const { id } = await parties.call("POST", "/management/v1/projects", { name });
  return String(id);
}

test("CVE-2024-46999: nothing that a project has given is good when it is out of use", async () => {
  const person = await parties.givenPerson();
  for (const [verb, path] of [
    ["POST", "/_deactivate"],
    ["DELETE", ""],
  ] as const) {
    const project = await givenProject();
    const app = await parties.givenApp({}, project);
    const browser = parties.browser();
    const tokens = await logIn(browser, app, person, offline);
    const body = verb === "POST" ? {} : undefined;
    await parties.call(verb, `/management/v1/projects/${project}${path}`, body);
    expect(await statusOfUserinfo(parties, tokens.access_token)).toBe(401);
    const refresh = String(tokens.refresh_token);
    await expect(oidc.refreshTokenGrant(app.config, refresh)).rejects.toMatchObject({
      error: "invalid_client",
    });
    expect(await isLetIn(browser, app)).toBe(false);
  }
});

test("GHSA-g2pf-ww5m-2r9m: only people of the organization, whichever way they come", async () => {
  const { server, call } = parties;
  const [project, isActive] = [await givenProject(), await givenAsker(parties)];
  const asker = await givenAsker(parties, project);
  const [app, open] = [await parties.givenApp({}, project), await parties.givenApp()];
  const organization = await givenOrganization(server);
  const foreign = await parties.givenPerson({}, organization);
  const own = await parties.givenPerson();
  const browsers = [parties.browser(), parties.browser()];
  const [theirs, ours] = [
    await logIn(browsers[0] ?? parties.browser(), app, foreign, offline),
    await logIn(browsers[1] ?? parties.browser(), app, own, offline),
  ];
  expect(await asker(theirs.access_token)).toBe(true);
  await call("PUT", `/management/v1/projects/${project}`, {
    ...{ name: crypto.randomUUID(), hasProjectCheck: true },
  });
  for (const [tokens, browser, isIn] of [
    [theirs, browsers[0], false],
    [ours, browsers[1], true],
  ] as const) {
    expect(await asker(tokens.access_token)).toBe(isIn);
    expect((await statusOfUserinfo(parties, tokens.access_token)) === 200).toBe(isIn);
    const refreshed = oidc.refreshTokenGrant(app.config, String(tokens.refresh_token));
    expect(await refreshed.then(() => true).catch(() => false)).toBe(isIn);
    if (browser !== undefined) expect(await isLetIn(browser, app)).toBe(isIn);
  }
  const anew = parties.browser();
  const elsewhere = await logIn(anew, open, foreign);
  expect(await isActive(elsewhere.access_token)).toBe(true);
  expect(await isLetIn(anew, app)).toBe(false);
  await anew.open((await begin(app)).url.href);
  expect(heading(anew.page)).toBe("Log in");
  const { url } = await anew.send({ userName: foreign.userName, password: foreign.password });
  expect(url).toContain("error=access_denied");
});
