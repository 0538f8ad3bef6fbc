import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { create, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { AccountService } from "../../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { replayed, replayedHeader } from "../../../src/api/once.ts";
import type { Role } from "../../../src/domain/permission.ts";
import { idempotencyHeader, idempotencyKeyMax } from "../../../src/gateway/call/idempotency.ts";
import { answerLimits } from "../../../src/store/answer.ts";
import { clientNames, createClients } from "../../harness/clients.ts";
import { shortened } from "../../harness/extent.ts";
import { few } from "../../harness/in-full.ts";
import {
  givenOrganization,
  givenUser,
  startServer,
  type TestServer,
} from "../../harness/server.ts";

const { addProject, removeProject, addPersonalAccessToken, addMachineUser, listProjects } =
  ManagementService.method;

let server: TestServer;
let connects: TestServer;
/** What the clock of the servers is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  const now = () => Date.now() + aheadMs;
  [server, connects] = await Promise.all([
    startServer({ now }),
    startServer({ now, nativeWire: false }),
  ]);
});
afterAll(() => Promise.all([server.close(), connects.close()]));

/** What a call came to, and what its header says of an answer that was given before. */
interface Answered {
  readonly message?: unknown;
  readonly reason?: string | undefined;
  readonly code?: number;
  readonly replayed: string | null;
}

interface CallOptions {
  readonly at?: TestServer;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly protocol?: keyof typeof transports;
}

const transports = {
  connect: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  grpc: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "grpc-web": (baseUrl: string) => createGrpcWebTransport({ baseUrl }),
};

async function call<Method extends DescMethodUnary>(
  method: Method,
  request: MessageInitShape<Method["input"]>,
  key: string,
  { at = server, token = at.admin.token, headers = {}, protocol = "connect" }: CallOptions = {},
): Promise<Answered> {
  const sent = { authorization: `Bearer ${token}`, [idempotencyHeader]: key, ...headers };
  try {
    const transport = transports[protocol](at.url);
    const answer = await transport.unary(method, undefined, 10_000, sent, request);
    return { message: answer.message, replayed: answer.header.get(replayedHeader) };
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    const [info] = error.findDetails(ErrorInfoSchema);
    const { code, metadata } = error;
    return { code, reason: info?.reason, replayed: metadata.get(replayedHeader) };
  }
}

/** A caller with roles in the organization of the first user. */
function givenCaller(...roles: readonly Role[]) {
  const { organization } = server.admin;
  const scopes = roles.map((role) => ({
    scope: role.startsWith("IAM")
      ? ({ level: "instance" } as const)
      : ({ level: "organization", organization } as const),
    roles: [role],
  }));
  return givenUser(server, organization, scopes);
}

describe("an idempotency key", () => {
  test.each([
    ["one character", "!"],
    ["the most characters", "~".repeat(idempotencyKeyMax)],
  ])("may have %s", async (_, key) => {
    expect(await call(addProject, { name: v7() }, key)).toMatchObject({ replayed: null });
  });

  few(2).each([
    ["no character", ""],
    ["one character too many", "~".repeat(idempotencyKeyMax + 1)],
    ["a blank, as of a header that was given twice", "a, b"],
    ["another character", "\u00e9"],
  ])("must not have %s", async (_, key) => {
    const head = await server.head();
    for (const at of [server, connects]) {
      const refused = await call(addProject, { name: v7() }, key, { at });
      expect(refused).toMatchObject({ code: 3, reason: "IDEMPOTENCY_KEY_INVALID" });
    }
    expect(await server.events(head)).toEqual([]);
    // One who only reads, and one who has no token, is asked for none.
    expect(await call(listProjects, {}, key)).toHaveProperty("message");
    const open = { userId: v7(), code: "123456" };
    expect(await call(AccountService.method.verifyPhone, open, key)).toMatchObject({
      reason: "CODE_INVALID",
    });
  });

  test("tells those who may not call nothing", async () => {
    const { token } = await givenCaller("ORG_SETTINGS_MANAGER");
    for (const key of ["", "key"]) {
      const denied = await call(addProject, { name: v7() }, key, { token });
      expect(denied).toMatchObject({ reason: "PERMISSION_DENIED" });
      const unknown = await call(addProject, { name: v7() }, key, { token: "none" });
      expect(unknown).toMatchObject({ reason: "UNAUTHENTICATED" });
    }
  });
});

describe("a call with the same key", () => {
  few().each([
    ["the native wire", () => server],
    ["Connect's wire", () => connects],
  ])("is answered as the first one on %s", async (_, which) => {
    const at = which();
    const [name, key] = [v7(), v7()];
    const first = await call(addProject, { name }, key, { at });
    expect(first).toMatchObject({ message: expect.anything(), replayed: null });
    const head = await at.head();
    for (const protocol of ["connect", "grpc", "grpc-web"] as const) {
      const again = await call(addProject, { name }, key, { at, protocol });
      expect(again).toEqual({ message: first.message, replayed: replayed.whole });
    }
    expect(await at.events(head)).toEqual([]);
  });

  test("is another one with another method, caller or key", async () => {
    const [name, key] = [v7(), v7()];
    const { token } = await givenCaller("ORG_OWNER");
    expect(await call(addProject, { name }, key)).toMatchObject({ replayed: null });
    const machine = { userName: v7(), name };
    expect(await call(addMachineUser, machine, key)).toMatchObject({ replayed: null });
    const taken = { reason: "NAME_TAKEN" };
    expect(await call(addProject, { name }, key, { token })).toMatchObject(taken);
    expect(await call(addProject, { name }, `${key}2`)).toMatchObject(taken);
  });

  test("is refused where it asks for something else", async () => {
    const [name, key] = [v7(), v7()];
    await call(addProject, { name }, key);
    const head = await server.head();
    const reused = { code: 9, reason: "IDEMPOTENCY_KEY_REUSED" };
    expect(await call(addProject, { name: v7() }, key)).toMatchObject(reused);
    expect(await call(addProject, { name, hasProjectCheck: true }, key)).toMatchObject(reused);
    const headers = { "x-service-orgid": await givenOrganization(server) };
    const elsewhere = await call(addProject, { name }, key, { headers });
    expect(elsewhere).toMatchObject(reused);
    const { userId } = server.admin;
    const second = await call(addPersonalAccessToken, { userId }, v7());
    const { token } = second.message as { readonly token: string };
    expect(await call(addProject, { name }, key, { token })).toMatchObject(reused);
    const events = await server.events(head);
    expect(events.map(({ type }) => type)).toEqual(["org.added", "user.token.added"]);
  });

  test("is done where the first one was refused and left nothing", async () => {
    const [name, key] = [v7(), v7()];
    const other = await call(addProject, { name }, v7());
    expect(await call(addProject, { name }, key)).toMatchObject({ reason: "NAME_TAKEN" });
    await call(removeProject, { id: (other.message as { id: string }).id }, v7());
    expect(await call(addProject, { name }, key)).toMatchObject({ replayed: null });
  });

  test("is done once of many at the same time, whatever it does", async () => {
    const clients = createClients(server.url);
    const headers = {
      authorization: `Bearer ${server.admin.token}`,
      [idempotencyHeader]: v7(),
    };
    const all = <Method extends DescMethodUnary>(
      method: Method,
      init: MessageInitShape<Method["input"]>,
    ) => {
      const request = create(method.input, init);
      return Promise.all(clients.map((client) => client.call(method, request, headers)));
    };
    const head = await server.head();
    const added = await all(addProject, { name: v7() });
    expect(added).toEqual(clientNames.map(() => added[0]));
    expect(added[0]).toMatchObject({ ok: true });
    const { id } = (added[0] as unknown as { message: { id: string } }).message;
    const removed = await all(removeProject, { id });
    expect(removed).toEqual(clientNames.map(() => removed[0]));
    expect(removed[0]).toMatchObject({ ok: true });
    const types = (await server.events(head)).map(({ type }) => type);
    expect(types).toEqual(["project.added", "project.removed"]);
    for (const client of clients) client.close();
  });
});

describe("the secret of an answer", () => {
  test.each(shortened(["connect", "grpc", "grpc-web"] as const))(
    "is in those of ten minutes, and in no later one, over %s",
    async (protocol) => {
      const { userId } = await givenCaller();
      const key = v7();
      const ask = () => call(addPersonalAccessToken, { userId }, key, { protocol });
      const first = await ask();
      const { token } = first.message as { readonly token: string };
      expect(token).not.toBe("");
      const startedMs = Date.now();
      const passMs = answerLimits.secretMs - 5_000;
      aheadMs += passMs;
      expect(await ask()).toEqual({ message: first.message, replayed: replayed.whole });
      aheadMs += 5_000 + (Date.now() - startedMs);
      const without = { message: { ...(first.message as object), token: "" } };
      expect(await ask()).toEqual({ ...without, replayed: replayed.withoutSecret });
      aheadMs += answerLimits.keptMs;
      const anew = await ask();
      expect(anew).toMatchObject({ replayed: null });
      expect((anew.message as { readonly token: string }).token).not.toBe(token);
    },
  );

  test("is in no file, nor what would open it", async () => {
    const { userId, token: own } = await givenCaller();
    const key = `a key that is nowhere ${v7()}`.replaceAll(" ", "-");
    const { message } = await call(addPersonalAccessToken, { userId }, key);
    const { token } = message as { readonly token: string };
    for (const file of ["iam.db", "iam.db-wal"]) {
      const bytes = await readFile(join(server.dataDir, file));
      for (const text of [key, token, own, server.admin.token]) {
        expect(bytes.includes(text)).toBe(false);
        expect(bytes.includes(Buffer.from(text).toString("base64url"))).toBe(false);
        const digest = createHash("sha256").update(key).digest();
        expect(bytes.includes(digest)).toBe(false);
      }
    }
  });
});

describe("who repeats a call is judged as who makes it", () => {
  const { removeOrgMember } = ManagementService.method;
  const { removeIAMMember } = AdminService.method;

  test("a token that was taken away is refused", async () => {
    const { userId, token, tokenId } = await givenCaller("ORG_OWNER");
    const [name, key] = [v7(), v7()];
    expect(await call(addProject, { name }, key, { token })).toHaveProperty("message");
    const { removePersonalAccessToken } = ManagementService.method;
    await call(removePersonalAccessToken, { userId, tokenId }, v7());
    const again = await call(addProject, { name }, key, { token });
    expect(again).toMatchObject({ code: 16, reason: "UNAUTHENTICATED" });
  });

  test("a role that was taken away is missed", async () => {
    const { userId, token } = await givenCaller("ORG_OWNER");
    const [name, key] = [v7(), v7()];
    expect(await call(addProject, { name }, key, { token })).toHaveProperty("message");
    await call(removeOrgMember, { userId }, v7());
    const again = await call(addProject, { name }, key, { token });
    expect(again).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
  });

  test("so is one that only the decision asked for", async () => {
    const { userId, token } = await givenCaller("ORG_OWNER", "IAM_OWNER");
    const { userId: owner } = await givenCaller("IAM_OWNER");
    const [request, key] = [{ userId: owner }, v7()];
    const first = await call(addPersonalAccessToken, request, key, { token });
    expect(first).toHaveProperty("message");
    const again = await call(addPersonalAccessToken, request, key, { token });
    expect(again).toEqual({ ...first, replayed: replayed.whole });
    // What is left lets it call the method, but not act on an owner of the instance.
    await call(removeIAMMember, { userId }, v7());
    const later = await call(addPersonalAccessToken, request, key, { token });
    expect(later).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
  });
});
