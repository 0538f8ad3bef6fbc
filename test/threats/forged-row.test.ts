import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { v7 } from "uuid";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import { viewTexts } from "../harness/texts.ts";

// Somebody writes into the file while the service runs on it, and has no key.

let server: TestServer;
let db: Database.Database;
beforeAll(async () => {
  server = await startServer();
  db = viewTexts(new Database(join(server.dataDir, "iam.db"), { timeout: 1_000 }));
});
afterAll(async () => {
  db.close();
  await server.close();
});

async function me(token: string) {
  const path = "/iam.management.v1.ManagementService/AddProject";
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: v7() }),
  });
  const { details = [] } = (await response.json()) as {
    readonly details?: readonly { readonly reason?: string }[];
  };
  return { status: response.status, reason: details[0]?.reason };
}

const owners = [{ scope: { level: "instance" }, roles: ["IAM_OWNER"] }] as const;

test("a claim that is moved to another user lets nobody in", async () => {
  const { admin } = server;
  const stranger = await givenUser(server, admin.organization);
  const move = db.prepare("UPDATE claims SET stream = ? WHERE value = ?");
  move.run(`user-${admin.userId}`, hashSecret(stranger.token));
  const holder = db.prepare("SELECT stream FROM claims WHERE value = ?").pluck();
  expect(holder.get(hashSecret(stranger.token))).toBe(`user-${admin.userId}`);
  expect(await me(stranger.token)).toEqual({ status: 401, reason: "UNAUTHENTICATED" });
});

test("a token that is written into a user's row lets nobody in, and is told once", async () => {
  const { organization } = server.admin;
  const owner = await givenUser(server, organization, owners);
  const stranger = await givenUser(server, organization);
  const [held, hash] = [owner.token, stranger.token].map(hashSecret);
  db.prepare("UPDATE objects SET state = replace(state, ?, ?) WHERE stream = ?").run(
    ...[held, hash, `user-${owner.userId}`],
  );
  db.prepare("UPDATE claims SET stream = ? WHERE value = ?").run(`user-${owner.userId}`, hash);
  const refused = { status: 500, reason: "INTERNAL" };
  expect(await me(stranger.token)).toEqual(refused);
  expect(await me(stranger.token)).toEqual(refused);
});
