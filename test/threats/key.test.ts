import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { parseKeyring } from "../../src/secrets/keys.ts";
import { requestFor } from "../cases/humans.ts";
import { callingOf, codeInvalid, givenCode, wrong } from "../cases/phones.ts";
import type { World } from "../harness/cases.ts";
import { clientNames, createClients, type TestClient } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { serveWith } from "./place.ts";

// Several processes serve one log, and a new key is not known to all of them yet.

const { verifyPhone } = UserService.method;
const { importHumanUser } = ManagementService.method;

let server: TestServer;
let older: Awaited<ReturnType<typeof serveWith>>;
let newer: readonly TestClient[];
let clients: readonly TestClient[];

beforeAll(async () => {
  server = await startServer();
  const keys = parseKeyring(`old:${randomBytes(32).toString("base64")}`);
  older = await serveWith(server, { keyring: createKeyring(keys, randomBytes) });
  newer = createClients(server.url);
  clients = createClients(older.url);
});

afterAll(async () => {
  for (const client of [...clients, ...newer]) client.close();
  await older.close();
  await server.close();
});

test.each(shortened(clientNames, 2))("a process without the key says so over %s", async (name) => {
  const of = (list: readonly TestClient[]) => list.find((client) => client.name === name)!;
  const [here, there] = [callingOf(server, of(newer)), callingOf(server, of(clients))];
  const { userId, code } = await givenCode(here);
  const before = await server.head();
  const [keyId] = server.keyring.keyIds;
  for (const verificationCode of [code, wrong(code)]) {
    const answer = await there.call(verifyPhone, { userId, verificationCode });
    const isHttp = name === "json" || name === "rest";
    expect(answer).toEqual({
      ok: false,
      code: 14,
      reason: "UNAVAILABLE",
      message:
        `The master key ${keyId} is missing in this process. ` +
        "The operator must add it; then repeat the call.",
      fields: [],
      retryMs: 5_000,
      ...(isHttp ? { httpStatus: 503 } : {}),
    });
  }
  // A code that was not compared is no try.
  expect(await server.events(before)).toEqual([]);
  expect(await here.call(verifyPhone, { userId, verificationCode: code })).toMatchObject({
    ok: true,
  });
  // What needs no old secret goes on.
  const request = requestFor(there as World);
  expect(await there.call(importHumanUser, request)).toMatchObject({ ok: true });
  expect(await there.call(verifyPhone, { userId, verificationCode: code })).toMatchObject({
    ok: false,
    ...codeInvalid,
  });
});
