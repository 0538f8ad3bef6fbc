import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createPasswords, type Passwords } from "../../src/secrets/passwords/passwords.ts";
import { bearer, createHttp, type Http } from "../access/http.ts";
import { callingOf, holderOf } from "../cases/phones.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import { serveWith } from "./place.ts";

// What the gate let through is judged anew when the slow work is done.

const { removePersonalAccessToken, addPersonalAccessToken, addOrgMember } =
  ManagementService.method;

let clock = 1_900_000_000_000;
let server: TestServer;
let client: TestClient;
let real: Passwords;
/** Settles when a password is about to be hashed, which then waits for `go`. */
let started: PromiseWithResolvers<void>;
let go: PromiseWithResolvers<void>;
let slow: Awaited<ReturnType<typeof serveWith>>;
let http: Http;

beforeAll(async () => {
  server = await startServer({ now: () => clock });
  client = createClients(server.url)[0]!;
  real = createPasswords({ random: randomBytes });
  const passwords: Passwords = {
    ...real,
    async hashPassword(password) {
      started.resolve();
      await go.promise;
      return await real.hashPassword(password);
    },
  };
  slow = await serveWith(server, { passwords, now: () => clock });
  http = createHttp(slow.port);
});

beforeEach(() => {
  started = Promise.withResolvers();
  go = Promise.withResolvers();
});

afterEach(() => go.resolve());

afterAll(async () => {
  http.close();
  client.close();
  await slow.close();
  await real.close();
  await server.close();
});

/** Imports a person as the caller, to whom something happens while the password is hashed. */
async function importWhile(token: string, happens: () => unknown) {
  const answer = http.send({
    path: "/management/v1/users/human/_import",
    headers: bearer(token),
    body: JSON.stringify({
      userName: v7(),
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: "ada@example.com" },
      password: "correct horse",
    }),
  });
  await started.promise;
  await happens();
  const before = await server.head();
  go.resolve();
  const { outcome, headers } = await answer;
  const types = (await server.events(before)).map(({ type }) => type);
  return { outcome, types, challenge: headers["www-authenticate"] };
}

const accepted = {
  outcome: "OK",
  types: ["user.human.added", "user.human.initialization.code.added"],
  challenge: undefined,
};
const unauthenticated = { outcome: "16 UNAUTHENTICATED", types: [], challenge: "Bearer" };

describe("while a password is hashed, the caller", () => {
  test("loses the token: nothing is written", async () => {
    const { userId, token, tokenId } = await holderOf(server, "ORG_USER_MANAGER");
    const admin = callingOf(server, client);
    const removed = () => admin.call(removePersonalAccessToken, { userId, tokenId });
    expect(await importWhile(token, removed)).toEqual(unauthenticated);
  });

  test("loses the token by time: nothing is written", async () => {
    const { organization } = server.admin;
    const scope = { level: "organization", organization } as const;
    const membership = { scope, roles: ["ORG_USER_MANAGER"] } as const;
    const end = { expirationMs: clock + 1_000 };
    const { token } = await givenUser(server, organization, [membership], end);
    const ends = () => {
      clock += 1_000;
    };
    expect(await importWhile(token, ends)).toEqual(unauthenticated);
  });

  test("is given another token, or a role: the call goes on", async () => {
    const { userId, token } = await holderOf(server, "ORG_USER_MANAGER");
    const admin = callingOf(server, client);
    const added = () => admin.call(addPersonalAccessToken, { userId });
    expect(await importWhile(token, added)).toEqual(accepted);

    started = Promise.withResolvers();
    go = Promise.withResolvers();
    const { organization } = server.admin;
    const owner = await givenUser(server, organization, [
      { scope: { level: "instance" }, roles: ["IAM_OWNER"] },
    ]);
    const request = { userId: owner.userId, roles: ["ORG_OWNER_VIEWER"] };
    const promoted = () => admin.call(addOrgMember, request);
    expect(await importWhile(owner.token, promoted)).toEqual(accepted);
  });

  test("stays as it was: the call goes on", async () => {
    const { token } = await holderOf(server, "ORG_USER_MANAGER");
    expect(await importWhile(token, () => undefined)).toEqual(accepted);
  });
});
