import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { givenOrganization } from "../harness/server.ts";
import { allowed, callWith, givenOwner, question } from "./consenting.ts";
import {
  claimsIn,
  givenAskerOf,
  givenProjectOf,
  grantRoles,
  type Said,
  userinfoOf,
} from "./granting.ts";
import { begin, logIn, type Parties, startParties } from "./relying.ts";

/** Scopes and claims by the names that clients of the compatible API know. */

let parties: Parties;
let closed: Parties;

beforeAll(async () => {
  [parties, closed] = await Promise.all([startParties({ alias: "zitadel" }), startParties()]);
});
afterAll(() => Promise.all([parties.close(), closed.close()]));

const urn = "urn:zitadel:iam";
const asksForAPI = { scope: `openid ${urn}:org:project:id:zitadel:aud` };

/** What is said of somebody who holds roles of two projects, for these scopes. */
async function said(at: Parties, scopes: readonly string[], roles = ["editor"]) {
  const { organization } = at.server.admin;
  const [own, other] = [await givenProjectOf(at, roles), await givenProjectOf(at, ["reader"])];
  const person = await at.givenPerson();
  await grantRoles(at, person, own, roles);
  await grantRoles(at, person, other, ["reader"]);
  const value = Buffer.from("gold").toString("base64");
  await at.call("POST", `/management/v1/users/${person.userId}/metadata/plan`, { value });
  const given = { accessTokenType: "OIDC_TOKEN_TYPE_JWT", idTokenUserinfoAssertion: true };
  const app = await at.givenApp(given, own);
  const scope = ["openid", ...scopes, `${urn}:org:project:id:${other}:aud`].join(" ");
  const { id_token, access_token } = await logIn(at.browser(), app, person, { scope });
  return {
    ...{ organization, own, other },
    idToken: claimsIn(id_token),
    accessToken: claimsIn(access_token),
    userinfo: await userinfoOf(at, access_token),
    introspection: await (await givenAskerOf(at, own))(access_token),
  };
}

/** The claims whose names begin so, by the rest of their names. */
function named(claims: Said, start: string): Said {
  return Object.fromEntries(
    Object.entries(claims).flatMap(([name, value]) =>
      name.startsWith(start) ? [[name.slice(start.length), value]] : [],
    ),
  );
}

const scopes = [
  `${urn}:org:projects:roles`,
  `${urn}:user:resourceowner`,
  `${urn}:user:metadata`,
] as const;

test("scopes of the alias ask for what ours do, and claims have both names", async () => {
  const { organization, own, other, ...all } = await said(parties, scopes);
  for (const claims of Object.values(all)) {
    expect(named(claims, `${urn}:`)).toEqual(named(claims, "urn:iam:"));
  }
  const roles = { editor: { [organization]: "" } };
  const ofOwn = { "org:project:roles": roles, [`org:project:${own}:roles`]: roles };
  const ofBoth = { ...ofOwn, [`org:project:${other}:roles`]: { reader: { [organization]: "" } } };
  const owner = { "user:resourceowner:id": organization, "user:resourceowner:name": "Default" };
  const metadata = { "user:metadata": { plan: Buffer.from("gold").toString("base64url") } };
  expect(named(all.idToken, `${urn}:`)).toEqual({ ...ofBoth, ...owner });
  const { "org:project:roles": _own, ...byIds } = ofBoth;
  expect(named(all.accessToken, `${urn}:`)).toEqual(byIds);
  expect(named(all.userinfo, `${urn}:`)).toEqual({ ...byIds, ...owner, ...metadata });
  expect(named(all.introspection, `${urn}:`)).toEqual({ ...ofOwn, ...owner, ...metadata });
  expect(all.accessToken.aud).toContain(other);
});

test("where the alias is off, its scopes ask for nothing, and no claim has its names", async () => {
  const { own, other, organization, ...all } = await said(closed, scopes);
  for (const claims of Object.values(all)) {
    expect(Object.keys(claims).filter((name) => name.startsWith("urn:"))).toEqual([]);
  }
  const ours = scopes.map((scope) => scope.replace("zitadel:", ""));
  const { userinfo } = await said(closed, ours);
  expect(Object.keys(userinfo)).toContain("urn:iam:org:project:roles");
  expect(named(userinfo, `${urn}:`)).toEqual({});
});

test("claims by both names are as many bytes of a token as they are", async () => {
  // By one name they are less than 10 KiB, and by both more.
  const roles = Array.from({ length: 60 }, (_, index) => `a-role-with-a-name-${index}`);
  const scope = ["urn:iam:org:projects:roles"];
  const there = (await said(closed, scope, roles)).idToken;
  expect(Object.keys(there["urn:iam:org:project:roles"] as object)).toEqual(roles);
  const here = (await said(parties, scope, roles)).idToken;
  const omitted = { "org:project:roles:omitted": true };
  expect([named(here, "urn:iam:"), named(here, `${urn}:`)]).toEqual([omitted, omitted]);
});

test("two names for one thing: a scope keeps people of other organizations out", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const led = async (organization: string) => {
    const browser = parties.browser();
    const { url } = await begin(app, { scope: `openid ${urn}:org:id:${organization}` });
    await browser.open(url.href);
    return (await browser.send({ ...person }, "password")).url;
  };
  expect(await led(parties.server.admin.organization)).toContain("code=");
  expect(await led(await givenOrganization(parties.server))).toContain("error=access_denied");
});

describe("the scope of the API", () => {
  const project = () => ({ name: v7() });

  test("lets an application call for a person who was asked", async () => {
    const [app, person] = [await parties.givenApp(), await givenOwner(parties)];
    const { access_token: token } = await allowed(parties.browser(), app, person, asksForAPI);
    expect(await callWith(parties, token, "/management/v1/projects", project())).toMatchObject({
      status: 200,
    });
  });

  test("is asked about as well where the request comes as a form", async () => {
    const [app, person] = [await parties.givenApp(), await givenOwner(parties)];
    const { url } = await begin(app, asksForAPI);
    const form = { method: "POST", body: url.searchParams, redirect: "manual" } as const;
    const response = await fetch(url.origin + url.pathname, form);
    const browser = parties.browser();
    await browser.open(new URL(String(response.headers.get("location")), url).href);
    await browser.send({ ...person }, "password");
    expect(browser.page.text).toContain(question);
  });

  test("lets a machine call by its secret", async () => {
    const { userId } = await parties.call("POST", "/management/v1/users/machine", {
      ...{ userName: v7(), name: "A robot", accessTokenType: "ACCESS_TOKEN_TYPE_BEARER" },
    });
    const member = { userId, roles: ["ORG_OWNER"] };
    await parties.call("POST", "/management/v1/orgs/me/members", member);
    const path = `/management/v1/users/${String(userId)}/secret`;
    const { clientId, clientSecret } = await parties.call("PUT", path, {});
    const config = await oidc.discovery(
      new URL(parties.server.url),
      String(clientId),
      undefined,
      oidc.ClientSecretBasic(String(clientSecret)),
      { execute: [oidc.allowInsecureRequests] },
    );
    const { access_token, scope } = await oidc.clientCredentialsGrant(config, asksForAPI);
    expect(scope).toBe("openid urn:iam:org:project:id:iam:aud");
    expect(
      await callWith(parties, access_token, "/management/v1/projects", project()),
    ).toMatchObject({ status: 200 });
  });
});
