import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { roleClaimLimits } from "../../src/provider/token/roles.ts";
import { scopeLimits } from "../../src/provider/token/scopes.ts";
import {
  addRoles,
  claimsIn,
  givenAskerOf,
  givenProjectOf,
  grantRoles,
  othersRoles,
  ownRoles,
  rolesById,
  rolesSaid,
  userinfoOf,
} from "./granting.ts";
import { logIn, type Parties, type Person, startParties } from "./relying.ts";

/** The roles of a person in what applications are told. */

let parties: Parties;
let organization: string;

beforeAll(async () => {
  parties = await startParties();
  organization = parties.server.admin.organization;
});
afterAll(() => parties.close());

const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };
const audience = (project: string) => `urn:iam:org:project:id:${project}:aud`;
const keyed = (key: string) => `urn:iam:org:project:role:${key}`;
const all = "urn:iam:org:projects:roles";

/** What everybody says of the roles of a person who logs in. */
async function said(project: string, person: Person, given: object, scope = "openid") {
  const app = await parties.givenApp({ ...jwt, ...given }, project);
  const asker = await givenAskerOf(parties, project);
  const tokens = await logIn(parties.browser(), app, person, { scope });
  const { access_token: token } = tokens;
  return {
    idToken: rolesSaid(claimsIn(tokens.id_token)),
    accessToken: rolesSaid(claimsIn(token)),
    userinfo: rolesSaid(await userinfoOf(parties, token)),
    introspection: rolesSaid(await asker(token)),
  };
}

describe("without a scope, who says the roles", () => {
  test.each<readonly [string, object, object, readonly string[]]>([
    ["nobody", {}, {}, []],
    [
      "userinfo and introspection",
      { projectRoleAssertion: true },
      {},
      ["userinfo", "introspection"],
    ],
    ["the id token, and userinfo", {}, { idTokenRoleAssertion: true }, ["idToken", "userinfo"]],
    [
      "the access token, and who is asked about it",
      {},
      { accessTokenRoleAssertion: true },
      ["accessToken", "userinfo", "introspection"],
    ],
    [
      "an id token that says what userinfo does",
      { projectRoleAssertion: true },
      { idTokenUserinfoAssertion: true },
      ["idToken", "userinfo", "introspection"],
    ],
  ])("%s", async (_name, ofProject, ofApp, who) => {
    const project = await givenProjectOf(parties, ["editor", "reader", "spare"], ofProject);
    const person = await parties.givenPerson();
    await grantRoles(parties, person, project, ["reader", "editor"]);
    const roles = ownRoles(project, organization, ["reader", "editor"]);
    const found = await said(project, person, ofApp);
    for (const [name, claims] of Object.entries(found)) {
      expect([name, claims]).toEqual([name, who.includes(name) ? roles : {}]);
    }
  });
});

describe("by scopes", () => {
  test("one role is said by its key, and of another project that is named", async () => {
    const [own, other] = [
      await givenProjectOf(parties, ["editor", "reader"]),
      await givenProjectOf(parties, ["editor", "reader"]),
    ];
    const person = await parties.givenPerson();
    await grantRoles(parties, person, own, ["editor", "reader"]);
    await grantRoles(parties, person, other, ["editor"]);
    const mine = ownRoles(own, organization, ["editor"]);
    const found = await said(own, person, {}, `openid ${keyed("editor")} ${keyed("none")}`);
    expect(found).toEqual({
      idToken: mine,
      accessToken: mine,
      userinfo: mine,
      introspection: mine,
    });

    const both = { ...mine, ...othersRoles(other, organization, ["editor"]) };
    const wide = await said(own, person, {}, `openid ${keyed("editor")} ${audience(other)}`);
    const [idToken, byIds] = [both, rolesById(both)];
    expect(wide).toEqual({ idToken, accessToken: byIds, userinfo: byIds, introspection: mine });
  });

  test("all roles are said of the own project, and of others that are named", async () => {
    const [own, other, third] = [
      await givenProjectOf(parties, ["editor", "reader"]),
      await givenProjectOf(parties, ["owner"]),
      await givenProjectOf(parties, ["owner"]),
    ];
    const person = await parties.givenPerson();
    await grantRoles(parties, person, own, ["editor", "reader"]);
    for (const project of [other, third]) await grantRoles(parties, person, project, ["owner"]);
    const mine = ownRoles(own, organization, ["editor", "reader"]);
    const told = { ...mine, ...othersRoles(other, organization, ["owner"]) };
    const found = await said(own, person, {}, `openid ${all} ${audience(other)}`);
    const byIds = rolesById(told);
    expect(found).toEqual({
      ...{ idToken: told, accessToken: byIds, userinfo: byIds, introspection: mine },
    });
    // An audience alone asks for no roles.
    const quiet = await said(own, person, {}, `openid ${audience(other)}`);
    expect(quiet).toEqual({ idToken: {}, accessToken: {}, userinfo: {}, introspection: {} });
  });

  test("another project that the token is for is told its own roles alone", async () => {
    const [own, other] = [
      await givenProjectOf(parties, ["editor"]),
      await givenProjectOf(parties, ["owner"], { projectRoleAssertion: true }),
    ];
    const person = await parties.givenPerson();
    await grantRoles(parties, person, own, ["editor"]);
    await grantRoles(parties, person, other, ["owner"]);
    const app = await parties.givenApp({ accessTokenRoleAssertion: true }, own);
    const asker = await givenAskerOf(parties, other);
    const scope = `openid ${audience(other)}`;
    const { access_token } = await logIn(parties.browser(), app, person, { scope });
    expect(rolesSaid(await asker(access_token))).toEqual(ownRoles(other, organization, ["owner"]));
  });

  test(`the last ${scopeLimits.roles} keys count`, async () => {
    const keys = Array.from({ length: scopeLimits.roles + 1 }, (_, index) => `r${index}`);
    const project = await givenProjectOf(parties, keys);
    const person = await parties.givenPerson();
    await grantRoles(parties, person, project, keys);
    const most = keys.slice(0, scopeLimits.roles);
    const told = async (asked: readonly string[]) =>
      (await said(project, person, {}, ["openid", ...asked.map(keyed)].join(" "))).idToken;
    expect(await told(most)).toEqual(ownRoles(project, organization, most));
    expect(await told(keys)).toEqual(ownRoles(project, organization, keys.slice(1)));
  });
});

test("a key is told as it is, whatever it is", async () => {
  const keys = ["__proto__", "constructor", "a/b:c", "Editor", "editor"];
  const project = await givenProjectOf(parties, keys.slice(1), { projectRoleAssertion: true });
  const person = await parties.givenPerson();
  await grantRoles(parties, person, project, keys.slice(1));
  const { userinfo } = await said(project, person, {});
  expect(Object.keys(userinfo["urn:iam:org:project:roles"] as object)).toEqual(keys.slice(1));
});

describe("what was taken away is said no more", () => {
  const takings: readonly (readonly [
    string,
    (project: string, person: Person, grant: string) => object,
  ])[] = [
    ["the grant is removed", (_project, _person, grant) => ["DELETE", grant]],
    [
      "the grant is deactivated",
      (_project, _person, grant) => ["POST", `${grant}/_deactivate`, {}],
    ],
    [
      "the role is removed",
      (project) => ["DELETE", `/management/v1/projects/${project}/roles/editor`],
    ],
    [
      "the role is replaced by another",
      (_project, _person, grant) => ["PUT", grant, { roleKeys: ["spare"] }],
    ],
  ];

  test.each(takings)(
    "from the next token on, and at once where it is asked: %s",
    async (_, take) => {
      const given = { projectRoleAssertion: true };
      const project = await givenProjectOf(parties, ["editor", "spare"], given);
      const person = await parties.givenPerson();
      const path = await grantRoles(parties, person, project, ["editor"]);
      const flags = { ...jwt, idTokenRoleAssertion: true, accessTokenRoleAssertion: true };
      const app = await parties.givenApp(flags, project);
      const asker = await givenAskerOf(parties, project);
      const scope = "openid offline_access";
      const tokens = await logIn(parties.browser(), app, person, { scope });
      const before = ownRoles(project, organization, ["editor"]);
      expect(rolesSaid(claimsIn(tokens.access_token))).toEqual(before);

      const [verb, at, body] = take(project, person, path) as [string, string, object | undefined];
      await parties.call(verb, at, body);
      const after = verb === "PUT" ? ownRoles(project, organization, ["spare"]) : {};
      expect(rolesSaid(await asker(tokens.access_token))).toEqual(after);
      expect(rolesSaid(await userinfoOf(parties, tokens.access_token))).toEqual(after);
      const next = await oidc.refreshTokenGrant(app.config, String(tokens.refresh_token));
      expect(rolesSaid(claimsIn(next.access_token))).toEqual(after);
      expect(rolesSaid(claimsIn(next.id_token))).toEqual(after);
    },
  );

  test("a key that is made again gives it to nobody", async () => {
    const project = await givenProjectOf(parties, ["editor", "spare"], {
      projectRoleAssertion: true,
    });
    const person = await parties.givenPerson();
    await grantRoles(parties, person, project, ["editor", "spare"]);
    await parties.call("DELETE", `/management/v1/projects/${project}/roles/editor`);
    await addRoles(parties, project, ["editor"]);
    const { userinfo } = await said(project, person, {});
    expect(userinfo).toEqual(ownRoles(project, organization, ["spare"]));
  });
});

describe(`past ${roleClaimLimits.ofToken} roles`, () => {
  test.each([
    [roleClaimLimits.ofToken, true],
    [roleClaimLimits.ofToken + 1, false],
  ])("a token with %s names them: %s", async (count, isNamed) => {
    const keys = Array.from({ length: count }, (_, index) => `r${index}`);
    const project = await givenProjectOf(parties, keys);
    const person = await parties.givenPerson();
    await grantRoles(parties, person, project, keys);
    const flags = { idTokenRoleAssertion: true, accessTokenRoleAssertion: true };
    const { idToken, accessToken, userinfo, introspection } = await said(project, person, flags);
    const whole = ownRoles(project, organization, keys);
    const omitted = { "urn:iam:org:project:roles:omitted": true };
    expect(idToken).toEqual(isNamed ? whole : omitted);
    expect(accessToken).toEqual(isNamed ? whole : omitted);
    expect([userinfo, introspection]).toEqual([whole, whole]);
  });

  test("they take no more of a token than there is room for in a header field", async () => {
    const { bytesOfToken } = roleClaimLimits;
    const claims = (keys: readonly string[]) => ownRoles("p".repeat(36), "o".repeat(36), keys);
    const size = (keys: readonly string[]) => JSON.stringify(claims(keys)).length;
    // Roles with the longest keys, and one that takes what is left.
    const long = Array.from({ length: 34 }, (_, index) => `${index}`.padStart(100, "k"));
    const last = "l".repeat((bytesOfToken - size([...long, ""])) / 2);
    const [fits, past] = [
      [...long, last],
      [...long, `${last}x`],
    ];
    expect([size(fits), size(past)]).toEqual([bytesOfToken, bytesOfToken + 2]);
    const project = await givenProjectOf(parties, [...fits, `${last}x`]);
    const person = await parties.givenPerson();
    const grant = await grantRoles(parties, person, project, fits);
    const told = async () => (await said(project, person, { idTokenRoleAssertion: true })).idToken;
    expect(await told()).toEqual(ownRoles(project, organization, fits));
    await parties.call("PUT", grant, { roleKeys: past });
    expect(await told()).toEqual({ "urn:iam:org:project:roles:omitted": true });
  });

  test("several projects of one token count together", async () => {
    const half = Array.from({ length: roleClaimLimits.ofToken / 2 }, (_, index) => `r${index}`);
    const [own, other] = [
      await givenProjectOf(parties, half),
      await givenProjectOf(parties, [...half, "last"]),
    ];
    const person = await parties.givenPerson();
    await grantRoles(parties, person, own, half);
    const grant = await grantRoles(parties, person, other, half);
    const scope = `openid ${all} ${audience(other)}`;
    const told = async () => Object.keys((await said(own, person, {}, scope)).accessToken);
    expect(await told()).toHaveLength(2);
    await parties.call("PUT", grant, { roleKeys: [...half, "last"] });
    expect(await told()).toEqual(["urn:iam:org:project:roles:omitted"]);
  });
});
