import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { metadataLimits, metadataOf } from "../../src/domain/user/metadata.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { callingOf } from "./phones.ts";
import { givenHuman } from "./users.ts";

// Many keys of one user are set at once.

const { removeUser, setUserMetadata } = ManagementService.method;
const { keysOfUser } = metadataLimits;

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = createClients(server.url)[0]!;
});
afterAll(async () => {
  client.close();
  await server.close();
});

/** Sets so many keys of a user at once; answers what became of each. */
async function setAtOnce(id: string, count: number): Promise<readonly string[]> {
  const { call } = callingOf(server, client);
  const keys = Array.from({ length: count }, (_, index) => `k${index}`);
  const answers = await Promise.all(
    keys.map((key) => call(setUserMetadata, { id, key, value: Uint8Array.of(1) })),
  );
  return answers.map((answer) => (answer.ok ? "OK" : answer.reason));
}

const heldBy = async (id: string) => (await server.store.holders(metadataOf(id), 1)).total;

test("as many as may be are taken, and no call has to repeat", async () => {
  const id = await givenHuman(server, server.admin.organization);
  const outcomes = await setAtOnce(id, keysOfUser + 10);
  expect(outcomes.filter((one) => one === "OK")).toHaveLength(keysOfUser);
  expect(outcomes.filter((one) => one === "LIMIT_REACHED")).toHaveLength(10);
  expect(await heldBy(id)).toBe(keysOfUser);
});

test("none is left of a user who is removed meanwhile", async () => {
  const id = await givenHuman(server, server.admin.organization);
  const { call } = callingOf(server, client);
  const [outcomes, removed] = await Promise.all([setAtOnce(id, 20), call(removeUser, { id })]);
  expect(removed.ok).toBe(true);
  for (const outcome of outcomes) expect(["OK", "USER_NOT_FOUND"]).toContain(outcome);
  expect(await heldBy(id)).toBe(0);
});
