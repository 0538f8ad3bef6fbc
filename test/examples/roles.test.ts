import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { freePort } from "../harness/port.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { addRoles } from "../provider/granting.ts";
import { type App, logIn, type Parties, type Person, startParties } from "../provider/relying.ts";
import { endExamples, startExample } from "./example.ts";

// An application that is sold to organizations: it says what roles there are, and its customers
// give them to their own people, who then are let in to routes of an API on Express.

let parties: Parties;
let project: string;
let app: App;
/** Where the API is. */
let api: string;

beforeAll(async () => {
  parties = await startParties();
  const { call } = parties;
  const made = await call("POST", "/management/v1/projects", { name: "Articles" });
  project = String(made.id);
  await addRoles(parties, project, ["reader", "editor"]);
  const ofTokens = { accessTokenType: "OIDC_TOKEN_TYPE_JWT", accessTokenRoleAssertion: true };
  app = await parties.givenApp(ofTokens, project);
  const method = { name: "API", authMethodType: "API_AUTH_METHOD_TYPE_BASIC" };
  const asker = await call("POST", `/management/v1/projects/${project}/apps/api`, method);
  const [port, issuer] = [await freePort(), parties.server.url];
  const env = {
    ...{ IAM_URL: issuer, PORT: String(port), PROJECT: project },
    ...{ CLIENT_ID: String(asker.clientId), CLIENT_SECRET: String(asker.clientSecret) },
  };
  const example = startExample(["node", "examples/roles/serve.ts"], { env });
  await example.says(/the API is at .+\n/);
  api = `http://localhost:${port}`;
});
afterAll(async () => {
  await endExamples();
  await parties.close();
});

/** A customer to which the project is granted, and its owner, who manages it alone. */
async function givenCustomer(roleKeys: readonly string[]) {
  const { server, call } = parties;
  const organization = await givenOrganization(server);
  const path = `/management/v1/projects/${project}/grants`;
  const { grantId } = await call("POST", path, { grantedOrgId: organization, roleKeys });
  const scope = { level: "organization", organization } as const;
  const owner = await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
  const headers = { authorization: `Bearer ${owner.token}`, "content-type": "application/json" };
  const ask = async (method: string, to: string, body: object = {}) => {
    const url = `${server.url}/management/v1${to}`;
    return await fetch(url, { method, headers, body: JSON.stringify(body) });
  };
  return {
    ...{ projectGrant: `${path}/${grantId}`, ask },
    given: { projectId: project, projectGrantId: String(grantId) },
    person: await parties.givenPerson({}, organization),
    /** Calls as its owner. */
    async call(method: string, to: string, body?: object) {
      const response = await ask(method, to, body);
      if (!response.ok) throw new Error(`${method} ${to}: ${await response.text()}`);
      return (await response.json()) as { readonly [name: string]: string };
    },
  };
}

async function tokenOf(person: Person): Promise<string> {
  const { access_token: token } = await logIn(parties.browser(), app, person);
  return token;
}

/** What the API answers who reads, who writes, and who removes, which is judged by asking. */
async function answersTo(token?: string): Promise<readonly number[]> {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const statuses = [];
  for (const [method, path] of [
    ["GET", "/articles"],
    ["PUT", "/articles/1"],
    ["DELETE", "/articles/1"],
  ] as const) {
    statuses.push((await fetch(api + path, { method, ...(headers && { headers }) })).status);
  }
  return statuses;
}

const [all, readsAlone, nothing] = [
  [200, 204, 204],
  [200, 403, 403],
  [403, 403, 403],
];

test("customers give their people the roles that they were granted", async () => {
  expect(await answersTo()).toEqual([401, 401, 401]);
  expect(await answersTo("x")).toEqual([401, 401, 401]);

  const acme = await givenCustomer(["reader", "editor"]);
  const globex = await givenCustomer(["reader"]);
  const { id: desk } = await acme.call("POST", "/groups", { name: "Desk" });
  const roles = { ...acme.given, roleKeys: ["reader", "editor"] };
  await acme.call("POST", `/groups/${desk}/grants`, roles);
  const ofGlobex = `/users/${globex.person.userId}/grants`;
  await globex.call("POST", ofGlobex, { ...globex.given, roleKeys: ["reader"] });
  const given = await globex.ask("POST", ofGlobex, { ...globex.given, roleKeys: ["editor"] });
  expect(given.status).toBe(404);

  expect(await answersTo(await tokenOf(acme.person))).toEqual(nothing);
  await acme.call("POST", `/groups/${desk}/members`, { userId: acme.person.userId });
  const [editor, reader] = [await tokenOf(acme.person), await tokenOf(globex.person)];
  expect(await answersTo(editor)).toEqual(all);
  expect(await answersTo(reader)).toEqual(readsAlone);

  // What is asked about is refused at once; what is read from the token, with the next token.
  await acme.call("DELETE", `/groups/${desk}/members/${acme.person.userId}`);
  expect(await answersTo(editor)).toEqual([200, 204, 403]);
  expect(await answersTo(await tokenOf(acme.person))).toEqual(nothing);

  await parties.call("DELETE", globex.projectGrant);
  expect(await answersTo(await tokenOf(globex.person))).toEqual(nothing);
});

test("what the example cannot begin with is said", async () => {
  const example = startExample(["node", "examples/roles/serve.ts"], { env: { PROJECT: v7() } });
  expect(await example.ended).toBe(2);
  expect(example.stderr()).toContain("usage: PROJECT=…");
});
