import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { GetAppByIDResponse } from "../../gen/iam/management/v1/app_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createClients, type TestClient } from "../harness/clients.ts";
import { givenProject, startServer, type TestServer } from "../harness/server.ts";
import { givenAppOf, oidcConfig } from "./given.ts";
import { granted } from "./stored.ts";
import { startTwin, type Twin } from "./twin.ts";

// Several administrators change one application at once, in two processes on one log: nothing is
// overwritten unseen.

const { addRedirectURI, getAppByID, removeRedirectURI, updateOIDCAppConfig } =
  ManagementService.method;

const rounds = 10;

let server: TestServer;
let twin: Twin;
let clients: readonly TestClient[];
let ids: { readonly projectId: string; readonly appId: string };

beforeAll(async () => {
  server = await startServer();
  twin = await startTwin(server);
  clients = [server.url, twin.url].flatMap((url) => createClients(url)).slice(0, 8);
});

afterAll(async () => {
  for (const one of clients) one.close();
  await twin.close();
  await server.close();
});

beforeEach(async () => {
  const { organization } = server.admin;
  const projectId = await givenProject(server, organization);
  ids = { projectId, appId: await givenAppOf(server, organization, { projectId }, oidcConfig()) };
});

async function call(client: TestClient, method: DescMethodUnary, request: object) {
  const message = create(method.input, { ...ids, ...request }) as Message;
  return client.call(method, message, { authorization: `Bearer ${server.admin.token}` });
}

/** The application as the first client reads it. */
async function read() {
  const { app } = granted<GetAppByIDResponse>(await call(clients[0]!, getAppByID, {}));
  const { config, details } = app!;
  if (config.case !== "oidcConfig") throw new TypeError("the application is not OIDC");
  return { settings: config.value, sequence: details!.sequence };
}

/** What each client is answered when all call at once: `OK` or the reason of a refusal. */
async function callAll(method: DescMethodUnary, requestOf: (index: number) => object) {
  const answers = await Promise.all(
    clients.map((client, index) => call(client, method, requestOf(index))),
  );
  return answers.map((answer) => (answer.ok ? "OK" : answer.reason));
}

const uriOf = (index: number) => `https://shop.example.com/${index}`;
const paths = (...names: readonly string[]) => ({ updateMask: { paths: [...names] } });

test("of those who read the same, one changes it, and the others are told", async () => {
  expect(clients).toHaveLength(8);
  for (let round = 1; round <= rounds; round += 1) {
    const { sequence: expectedSequence } = await read();
    const outcomes = await callAll(updateOIDCAppConfig, (index) => ({
      ...{ redirectUris: [uriOf(round * 10 + index)], expectedSequence },
    }));
    const others = Array.from({ length: 7 }, () => "CHANGED_MEANWHILE");
    expect(outcomes.toSorted()).toEqual([...others, "OK"]);
    const winner = uriOf(round * 10 + outcomes.indexOf("OK"));
    expect((await read()).settings.redirectUris).toEqual([winner]);
  }
});

test("one who reads again and repeats comes through in the end", async () => {
  const add = async (client: TestClient, index: number): Promise<number> => {
    for (let tries = 1; ; tries += 1) {
      const { settings, sequence: expectedSequence } = await read();
      const redirectUris = [...settings.redirectUris, uriOf(index)];
      const answer = await call(client, updateOIDCAppConfig, { redirectUris, expectedSequence });
      if (answer.ok) return tries;
      expect(answer.reason).toBe("CHANGED_MEANWHILE");
    }
  };
  await Promise.all(clients.map(add));
  expect((await read()).settings.redirectUris.toSorted()).toEqual(
    clients.map((_, at) => uriOf(at)),
  );
});

test("masks of other fields leave what all have changed", async () => {
  const names = ["dev_mode", "id_token_role_assertion", "access_token_role_assertion"];
  const values = { devMode: true, idTokenRoleAssertion: true, accessTokenRoleAssertion: true };
  const outcomes = await callAll(updateOIDCAppConfig, (index) => ({
    ...values,
    ...paths(names[index] ?? "redirect_uris"),
    redirectUris: [uriOf(1)],
  }));
  expect(new Set(outcomes)).toEqual(new Set(["OK", "NOTHING_CHANGED"]));
  expect((await read()).settings).toMatchObject({ ...values, redirectUris: [uriOf(1)] });
});

test("redirect URIs that are added and removed at once do not touch each other", async () => {
  expect(new Set(await callAll(addRedirectURI, (index) => ({ uri: uriOf(index) })))).toEqual(
    new Set(["OK"]),
  );
  const outcomes = await callAll(removeRedirectURI, (index) => ({ uri: uriOf(index % 4) }));
  expect(outcomes.toSorted()).toEqual(
    ["NOTHING_CHANGED", "OK"].flatMap((outcome) => Array.from({ length: 4 }, () => outcome)),
  );
  expect((await read()).settings.redirectUris.toSorted()).toEqual([4, 5, 6, 7].map(uriOf));
});
