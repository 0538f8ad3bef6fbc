import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { apiScope } from "../../src/provider/token/scopes.ts";
import { type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

async function givenMachine(accessTokenType: string) {
  const { userId } = await parties.call("POST", "/management/v1/users/machine", {
    ...{ userName: v7(), name: "A robot", accessTokenType },
  });
  await parties.call("POST", "/management/v1/orgs/me/members", {
    ...{ userId, roles: ["ORG_OWNER"] },
  });
  return { userId: String(userId), path: `/management/v1/users/${String(userId)}` };
}

async function tokenOf({ path }: { readonly path: string }, scope?: string) {
  const { clientId, clientSecret } = await parties.call("PUT", `${path}/secret`, {});
  const config = await oidc.discovery(
    new URL(parties.server.url),
    String(clientId),
    undefined,
    oidc.ClientSecretBasic(String(clientSecret)),
    { execute: [oidc.allowInsecureRequests] },
  );
  const { access_token } = await oidc.clientCredentialsGrant(config, scope ? { scope } : {});
  return access_token;
}

async function addProject(token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const url = `${parties.server.url}/management/v1/projects`;
  const body = JSON.stringify({ name: v7() });
  return (await fetch(url, { method: "POST", headers, body })).status;
}

test.each(["ACCESS_TOKEN_TYPE_BEARER", "ACCESS_TOKEN_TYPE_JWT"])(
  "a machine gets a token for itself, good as long as it and its secret are: %s",
  async (type) => {
    const machine = await givenMachine(type);
    expect(await addProject(await tokenOf(machine))).toBe(401);
    const first = await tokenOf(machine, apiScope);
    expect(await addProject(first)).toBe(200);
    const [event] = (await parties.server.events()).slice(-1);
    expect(event).toMatchObject({ type: "project.added", actor: machine.userId });
    expect(JSON.parse(String(event?.payload))).not.toHaveProperty("through");

    const second = await tokenOf(machine, apiScope);
    expect([await addProject(first), await addProject(second)]).toEqual([401, 200]);
    await parties.call("POST", `${machine.path}/_deactivate`, {});
    expect(await addProject(second)).toBe(401);
    await parties.call("POST", `${machine.path}/_reactivate`, {});
    expect(await addProject(second)).toBe(200);
    await parties.call("DELETE", `${machine.path}/secret`);
    expect(await addProject(second)).toBe(401);
  },
);

test("what a machine makes by a secret of others has their hand in it", async () => {
  const machine = await givenMachine("ACCESS_TOKEN_TYPE_BEARER");
  const token = await tokenOf(machine, apiScope);
  const response = await fetch(`${parties.server.url}${machine.path}/pats`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  expect(response.status).toBe(200);
  const [event] = (await parties.server.events()).slice(-1);
  expect(event).toMatchObject({ type: "user.token.added", actor: machine.userId });
  expect(JSON.parse(String(event?.payload))).toMatchObject({ via: [parties.server.admin.userId] });
});
