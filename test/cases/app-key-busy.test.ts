import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createKeyPairs, type KeyPair } from "../../src/secrets/key-pairs.ts";
import { createClients } from "../harness/clients.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { apiConfig, givenAppOf } from "./given.ts";
import { callingOf } from "./phones.ts";

// Keys are asked for faster than they are made.

const { addAppKey, listAppKeys } = ManagementService.method;
const making = Promise.withResolvers<KeyPair>();
const keyPairs = createKeyPairs({ waitingMax: 0, make: () => making.promise });
const pair: KeyPair = { publicKey: { kty: "RSA", n: "n", e: "AQAB" }, privateKey: "p" };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ keyPairs });
});
afterAll(() => server.close());

test("one who comes when no more may wait is told so, and everything else goes on", async () => {
  const { admin, project: projectId } = server;
  const settings = apiConfig({ authMethod: "PRIVATE_KEY_JWT" });
  const appId = await givenAppOf(server, admin.organization, { projectId }, settings);
  const busy = keyPairs.create();
  const head = await server.head();
  const clients = createClients(server.url);
  for (const client of clients) {
    const { call } = callingOf(server, client);
    expect(await call(addAppKey, { projectId, appId })).toMatchObject({
      ...{ ok: false, code: 8, reason: "KEYS_OVERLOADED", retryMs: 1_000 },
      message: "Too many keys wait to be created. Try again later.",
    });
    expect(await call(listAppKeys, { projectId, appId })).toMatchObject({ ok: true });
  }
  expect(await server.events(head)).toEqual([]);

  making.resolve(pair);
  await busy;
  const { call } = callingOf(server, clients[0]!);
  expect(await call(addAppKey, { projectId, appId })).toMatchObject({ ok: true });
  for (const client of clients) client.close();
});
