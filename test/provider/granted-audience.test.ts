import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { givenOrganization } from "../harness/server.ts";
import {
  claimsIn,
  givenAskerOf,
  givenProjectOf,
  grantProject,
  grantRoles,
  othersRoles,
  ownRoles,
  rolesSaid,
  userinfoOf,
} from "./granting.ts";
import { givenSigner, machineToken } from "./machines.ts";
import { logIn, type Parties, startParties } from "./relying.ts";

/** Tokens of an organization for the project of another, which has granted it or has not. */

let parties: Parties;
let owner: string;

beforeAll(async () => {
  parties = await startParties();
  owner = parties.server.admin.organization;
});
afterAll(() => parties.close());

const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };
const scopeFor = (project: string) =>
  `openid offline_access urn:iam:org:project:id:${project}:aud urn:iam:org:projects:roles`;

/** A project with the role `admin`, another organization, and what grants it the project. */
async function givenStranger() {
  const project = await givenProjectOf(parties, ["admin"]);
  const stranger = await givenOrganization(parties.server);
  const granted = () => grantProject(parties, project, { to: stranger, roleKeys: ["admin"] });
  return { project, stranger, asker: await givenAskerOf(parties, project), granted };
}

/** An application of the other organization, and a person of the project's who has the role. */
async function givenApplication() {
  const given = await givenStranger();
  const { project, stranger } = given;
  const { id } = await parties.call("POST", "/management/v1/projects", { name: v7() }, stranger);
  const app = await parties.givenApp(jwt, String(id), stranger);
  const person = await parties.givenPerson();
  await grantRoles(parties, person, project, ["admin"]);
  const scope = scopeFor(project);
  const tokens = async () => await logIn(parties.browser(), app, person, { scope });
  return { ...given, app, own: [app.clientId, String(id)], tokens };
}

type Tokens = Awaited<ReturnType<Awaited<ReturnType<typeof givenApplication>>["tokens"]>>;

/** What tokens say of the audience and of roles, and what is said of them. */
async function said(
  tokens: Pick<Tokens, "access_token" | "id_token">,
  asker: Awaited<ReturnType<typeof givenAskerOf>>,
) {
  const { access_token: token, id_token: idToken } = tokens;
  const asked = await asker(token);
  return {
    aud: claimsIn(token).aud,
    accessToken: rolesSaid(claimsIn(token)),
    idToken: rolesSaid(claimsIn(idToken)),
    userinfo: rolesSaid(await userinfoOf(parties, token)),
    isActive: asked.active,
    introspection: rolesSaid(asked),
  };
}

const nothing = {
  ...{ accessToken: {}, idToken: {}, userinfo: {}, introspection: {} },
  isActive: false,
};

describe("an audience that was not granted", () => {
  test.each([
    ["deactivated", "POST", "/_deactivate", {}],
    ["removed", "DELETE", "", undefined],
  ])("is none for an application, until it is, and once that is %s", async (_, verb, at, body) => {
    const { project, asker, granted, app, own, tokens } = await givenApplication();
    const without = await tokens();
    expect(await said(without, asker)).toEqual({ ...nothing, aud: own });

    const { path } = await granted();
    const roles = othersRoles(project, owner, ["admin"]);
    const all = { accessToken: roles, idToken: roles, userinfo: roles };
    const introspection = ownRoles(project, owner, ["admin"]);
    const whole = { ...all, introspection, isActive: true, aud: [...own, project] };
    const given = await tokens();
    expect(await said(given, asker)).toEqual(whole);
    // A token is for whom it was made for.
    expect((await asker(without.access_token)).active).toBe(false);

    await parties.call(verb, path + at, body);
    expect(await asker(given.access_token)).toEqual({ active: false });
    expect(rolesSaid(await userinfoOf(parties, given.access_token))).toEqual({});
    const next = await oidc.refreshTokenGrant(app.config, String(given.refresh_token));
    expect(await said(next, asker)).toEqual({ ...nothing, aud: own });
  });

  test("is one for a machine of the organization that the project belongs to", async () => {
    const { project, asker } = await givenStranger();
    const { file } = await givenSigner(parties);
    const token = await machineToken(parties, file, scopeFor(project));
    expect((await asker(token)).active).toBe(true);
  });

  test("is none for a machine, until it is, and once that is taken back", async () => {
    const { project, stranger, asker, granted } = await givenStranger();
    const call: Parties["call"] = (verb, path, body) => parties.call(verb, path, body, stranger);
    const accessTokenType = "ACCESS_TOKEN_TYPE_JWT";
    const signer = await givenSigner({ ...parties, call }, { accessTokenType });
    const { userId, path: machine, file } = signer;
    const token = async () => await machineToken(parties, file, scopeFor(project));
    const without = await token();
    expect(claimsIn(without).aud).toBe(userId);
    expect(await asker(without)).toEqual({ active: false });

    const { id: projectGrantId, path } = await granted();
    const body = { projectId: project, projectGrantId, roleKeys: ["admin"] };
    await call("POST", `${machine}/grants`, body);
    const roles = othersRoles(project, stranger, ["admin"]);
    const given = await token();
    expect(claimsIn(given)).toMatchObject({ ...roles, aud: [userId, project] });
    expect(await asker(given)).toMatchObject({ ...roles, active: true });

    await parties.call("POST", `${path}/_deactivate`, {});
    expect(await asker(given)).toEqual({ active: false });
    const next = await token();
    expect(claimsIn(next).aud).toBe(userId);
    expect(rolesSaid(claimsIn(next))).toEqual({});
  });
});
