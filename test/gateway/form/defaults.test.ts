import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { givenAppOf, givenProjectOf, oidcConfig } from "../../cases/given.ts";
import { givenProject, startServer, type TestServer } from "../../harness/server.ts";

// What is read in JSON has its defaults, so that it can be sent back; other answers leave them out.
// A charset that the native wire leaves to Connect's shows that both answer alike.

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const wires = { native: "application/json", connect: "application/json;charset=utf-8" };

/** JSON with and without Connect, over either wire. */
const kinds = Object.values(wires).flatMap((type) => [
  { "content-type": type },
  { "content-type": type, "connect-protocol-version": "1" },
]);

/** What is answered in one of these ways. */
async function ask(method: { readonly name: string }, request: object, kind: number) {
  const response = await fetch(`${server.url}/${ManagementService.typeName}/${method.name}`, {
    method: "POST",
    headers: { ...kinds[kind], authorization: `Bearer ${server.admin.token}` },
    body: JSON.stringify(request),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, Record<string, unknown>>;
}

/** What is answered in each of them. */
function askAll(method: { readonly name: string }, request: object) {
  return Promise.all(kinds.map((_kind, index) => ask(method, request, index)));
}

test("a project and an application are read with their defaults", async () => {
  const { organization } = server.admin;
  const id = await givenProjectOf(server, organization, {});
  const appId = await givenAppOf(server, organization, { projectId: id }, oidcConfig());
  for (const { project } of await askAll(ManagementService.method.getProjectByID, { id })) {
    expect(project).toMatchObject({ projectRoleAssertion: false, hasProjectCheck: false });
    expect(project).toHaveProperty("privateLabelingSetting");
  }
  const found = await askAll(ManagementService.method.getAppByID, { projectId: id, appId });
  for (const { app } of found) {
    expect(app!.oidcConfig).toMatchObject({
      ...{ redirectUris: [], devMode: false, backChannelLogoutUri: "" },
      ...{ authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC", noneCompliant: true },
    });
    expect(app).not.toHaveProperty("apiConfig");
  }
});

test("an empty list is one", async () => {
  const projectId = await givenProject(server, server.admin.organization);
  for (const answer of await askAll(ManagementService.method.listApps, { projectId })) {
    expect(answer).toMatchObject({ result: [], details: { totalResult: "0" } });
  }
});

test("what is changed is answered without defaults", async () => {
  const { organization } = server.admin;
  const projectId = await givenProject(server, organization);
  const apps = await Promise.all(
    [1, 2, 3, 4].map(() => givenAppOf(server, organization, { projectId }, oidcConfig())),
  );
  for (const [index, appId] of apps.entries()) {
    const request = { projectId, appId, redirectUris: ["https://shop.example.com"] };
    const answer = await ask(ManagementService.method.updateOIDCAppConfig, request, index);
    expect(answer).toEqual({ details: expect.any(Object), noneCompliant: false });
  }
});
