import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createPasswords, type Passwords } from "../../src/secrets/passwords/passwords.ts";
import { bearer, createHttp, type Http } from "../access/http.ts";
import { requestFor } from "../cases/humans.ts";
import { type Calling, callingOf } from "../cases/phones.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { serveWith } from "./place.ts";

const { importHumanUser, addAPIApp } = ManagementService.method;
const path = "/management/v1/users/human/_import";

let server: TestServer;
let passwords: Passwords;
let tiny: Awaited<ReturnType<typeof serveWith>>;
let http: Http;
let clients: readonly TestClient[];

beforeAll(async () => {
  server = await startServer();
  passwords = createPasswords({ random: randomBytes, concurrency: 1, waitingMax: 1 });
  tiny = await serveWith(server, { passwords });
  http = createHttp(tiny.port);
  clients = createClients(tiny.url);
});

afterAll(async () => {
  http.close();
  for (const client of clients) client.close();
  await tiny.close();
  await passwords.close();
  await server.close();
});

function given(world: Calling, more: object = {}) {
  return { ...requestFor(world as Parameters<typeof requestFor>[0]), ...more };
}

describe("imported hash with a huge cost", () => {
  const salt = "A".repeat(22);
  const digest = "A".repeat(43);

  test.each([
    ["Argon2: memory", `$argon2id$v=19$m=4194304,t=1,p=1$${salt}$${digest}`],
    ["Argon2: passes", `$argon2id$v=19$m=65536,t=4294967295,p=1$${salt}$${digest}`],
    ["Argon2: lanes", `$argon2id$v=19$m=65536,t=1,p=16777215$${salt}$${digest}`],
    ["bcrypt: cost", `$2b$31$${".".repeat(53)}`],
    ["scrypt: N", `$scrypt$ln=31,r=8,p=1$${salt}$${digest}`],
    ["scrypt: r", `$scrypt$ln=14,r=1073741823,p=1$${salt}$${digest}`],
    ["scrypt: p", `$scrypt$ln=14,r=8,p=1073741823$${salt}$${digest}`],
    ["scrypt of crypt(3): N", `$7$z6..../....salt$${".".repeat(43)}`],
    ["PBKDF2: rounds", `$pbkdf2-sha512$i=4294967295$${salt}$${digest}`],
    ["PBKDF2: blocks of the hash", `$pbkdf2-sha1$i=2000000$${salt}$${"A".repeat(86)}`],
    ["sha-crypt: rounds", `$6$rounds=999999999$salt$${".".repeat(86)}`],
    ["phpass: rounds", `$P$S${".".repeat(30)}`],
  ])("%s", async (_, value) => {
    const before = await server.head();
    const world = callingOf(server, clients[0]!);
    const answer = await world.call(importHumanUser, given(world, { hashedPassword: { value } }));
    expect(answer).toMatchObject({
      ok: false,
      code: 3,
      reason: "INVALID_FIELDS",
      fields: ["hashedPassword.value"],
    });
    expect(await server.events(before)).toEqual([]);
  });
});

test("passwords come faster than they are hashed: the rest of the service goes on", async () => {
  // One is always being derived while another one waits: one who is done comes again at once.
  const costly = `$argon2id$v=19$m=65536,t=3,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
  let isBusy = true;
  const busy = [1, 2].map(async () => {
    while (isBusy) expect(await passwords.verifyPassword("correct horse", costly)).toBe(false);
  });
  const before = await server.head();

  const password = "correct horse";
  const callers = shortened(clients, 2);
  for (const client of callers) {
    const world = callingOf(server, client);
    const refused = await world.call(importHumanUser, given(world, { password }));
    expect([client.name, refused]).toMatchObject([
      client.name,
      {
        ok: false,
        code: 8,
        reason: "HASHING_OVERLOADED",
        message: "Too many passwords are waiting to be hashed. Try again later.",
        retryMs: 1_000,
      },
    ]);
    const app = { projectId: server.project, name: v7() };
    expect(await world.call(addAPIApp, app)).toMatchObject({ ok: true });
    // Who brings a hash, or no password at all, does not wait either.
    expect(await world.call(importHumanUser, given(world))).toMatchObject({ ok: true });
  }
  const answer = await http.send({
    path,
    headers: bearer(server.admin.token),
    body: JSON.stringify({ ...given(callingOf(server, clients[0]!)), password }),
  });
  expect([answer.status, answer.outcome]).toEqual([429, "8 HASHING_OVERLOADED"]);
  const types = (await server.events(before)).map(({ type }) => type);
  expect(types.filter((type) => type === "user.human.added")).toHaveLength(callers.length);

  isBusy = false;
  await Promise.all(busy);
  const world = callingOf(server, clients[0]!);
  expect(await world.call(importHumanUser, given(world, { password }))).toMatchObject({ ok: true });
});
