import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createClients, type TestClient } from "../harness/clients.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";

/** A token that was taken away does nothing more, whatever was on its way already. */

const { addPersonalAccessToken, addProject, removePersonalAccessToken } = ManagementService.method;

let server: TestServer;
let client: TestClient;
let clients: readonly TestClient[];

beforeAll(async () => {
  server = await startServer();
  clients = createClients(server.url);
  client = clients.find(({ name }) => name === "grpc-js")!;
});

afterAll(async () => {
  for (const one of clients) one.close();
  await server.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function manager() {
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  return givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
}

test.each([
  ["tokens for its own user", (userId: string) => addTokenFor(userId)],
  ["projects", (_userId: string, index: number) => addProjectNamed(`revoked ${index}`)],
])("calls that make %s end with the removal of their token", async (_what, request) => {
  const { userId, token, tokenId } = await manager();
  const before = await server.head();
  const call = (index: number) => {
    const { method, message } = request(userId, index);
    return client.call(method, message, bearer(token));
  };
  const earlier = Array.from({ length: 10 }, (_, index) => call(index));
  const removal = client.call(
    removePersonalAccessToken,
    create(removePersonalAccessToken.input, { userId, tokenId }),
    bearer(server.admin.token),
  );
  const later = Array.from({ length: 40 }, (_, index) => call(10 + index));
  expect(await removal).toMatchObject({ ok: true });
  const answers = await Promise.all([...earlier, ...later]);

  const events = await server.events(before);
  const removed = events.find(({ type }) => type === "user.token.removed");
  const after = events.filter(({ position }) => position > removed!.position);
  expect(after).toEqual([]);
  const refused = answers.filter((answer) => !answer.ok);
  expect(refused.length).toBe(50 - (events.length - 1));
  for (const answer of refused)
    expect(answer).toMatchObject({ code: 16, reason: "UNAUTHENTICATED" });
});

function addTokenFor(userId: string) {
  const message = create(addPersonalAccessToken.input, { userId });
  return { method: addPersonalAccessToken, message } as const;
}

function addProjectNamed(name: string) {
  return { method: addProject, message: create(addProject.input, { name }) } as const;
}
