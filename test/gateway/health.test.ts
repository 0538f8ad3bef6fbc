import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { type Client, Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import {
  Health,
  HealthCheckRequestSchema,
  HealthListRequestSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/grpc/health/v1/health_pb.js";
import { createClients, type TestClient } from "../harness/clients.ts";
import { describeFew } from "../harness/in-full.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const services = ["", "iam.management.v1.ManagementService", "iam.admin.v1.AdminService"];
const unknown = "iam.management.v1.NoService";

let server: TestServer;
let clients: readonly TestClient[];

beforeAll(async () => {
  server = await startServer();
  clients = createClients(server.url);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.close();
});

const unary = ["connect-json", "connect-proto", "grpc", "grpc-js", "grpc-web", "json"] as const;

describeFew(2).each(unary)("Check over %s", (name) => {
  const check = (service: string) =>
    clients
      .find((client) => client.name === name)!
      .call(Health.method.check, create(HealthCheckRequestSchema, { service }), {});

  test.each(services)("of %j is SERVING, without a token", async (service) => {
    expect(await check(service)).toMatchObject({ ok: true, message: { status: Status.SERVING } });
  });

  test.each([unknown, "grpc.health.v1", " "])("of %j finds no service", async (service) => {
    const notFound = { ok: false, code: Code.NotFound, reason: "SERVICE_NOT_FOUND" };
    expect(await check(service)).toMatchObject(notFound);
  });
});

test.each(unary)(
  "List over %s tells the status of the server and of each service",
  async (name) => {
    const client = clients.find((one) => one.name === name)!;
    const answer = await client.call(Health.method.list, create(HealthListRequestSchema), {});
    const serving = { status: Status.SERVING };
    const statuses = Object.fromEntries(services.map((service) => [service, serving]));
    expect(answer).toMatchObject({ ok: true, message: { statuses } });
  },
);

const transports = [
  {
    name: "connect",
    of: (url: string) => createConnectTransport({ baseUrl: url, httpVersion: "2" }),
  },
  { name: "grpc", of: (url: string) => createGrpcTransport({ baseUrl: url }) },
  { name: "grpc-web", of: (url: string) => createGrpcWebTransport({ baseUrl: url }) },
];

describeFew().each(transports)("Watch over $name", ({ of }) => {
  const watch = (client: Client<typeof Health>, service: string) =>
    client.watch({ service })[Symbol.asyncIterator]();

  test("tells each state, and ends when the server stops", async () => {
    const stopping = await startServer();
    const client = createClient(Health, of(stopping.url));
    const watches = services.map((service) => watch(client, service));
    const lost = watch(client, unknown);
    for (const each of watches) {
      expect((await each.next()).value).toMatchObject({ status: Status.SERVING });
    }
    expect((await lost.next()).value).toMatchObject({ status: Status.SERVICE_UNKNOWN });

    const stopped = stopping.close();
    for (const each of watches) {
      expect((await each.next()).value).toMatchObject({ status: Status.NOT_SERVING });
      expect(await each.next()).toMatchObject({ done: true });
    }
    expect(await lost.next()).toMatchObject({ done: true });
    await stopped;
  });

  test("tells when the store becomes unusable, and when it is usable again", async () => {
    const held = await startServer({ limits: { healthIntervalMs: 20 } });
    const client = createClient(Health, of(held.url));
    const watches = ["", services[1]!].map((service) => watch(client, service));
    for (const each of watches) await each.next();
    const other = new Database(join(held.dataDir, "iam.db"));
    other.exec("BEGIN IMMEDIATE");
    for (const each of watches) {
      expect((await each.next()).value).toMatchObject({ status: Status.NOT_SERVING });
    }
    other.exec("ROLLBACK");
    for (const each of watches) {
      expect((await each.next()).value).toMatchObject({ status: Status.SERVING });
    }
    other.close();
    const ends = watches.map(async (each) => {
      while ((await each.next()).done !== true);
    });
    await Promise.all([held.close(), ...ends]);
  });

  test("ends when the caller gives it up", async () => {
    const client = createClient(Health, of(server.url));
    const over = new AbortController();
    const each = client.watch({}, { signal: over.signal })[Symbol.asyncIterator]();
    await each.next();
    over.abort();
    await expect(each.next()).rejects.toMatchObject({ code: Code.Canceled });
  });
});

describe("a server whose log is closed", () => {
  let closed: TestServer;

  beforeAll(async () => {
    closed = await startServer();
    await closed.store.close();
  });

  afterAll(() => closed.close());

  test("is alive but not ready", async () => {
    const alive = await fetch(`${closed.url}/healthz`);
    expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
    const ready = await fetch(`${closed.url}/readyz`);
    expect([ready.status, ready.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await ready.json()).toMatchObject({
      code: 14,
      details: [{ reason: "UNAVAILABLE" }, { retryDelay: "5s" }],
    });
  });

  test("says NOT_SERVING", async () => {
    const client = createClient(Health, createGrpcTransport({ baseUrl: closed.url }));
    expect(await client.check({})).toMatchObject({ status: Status.NOT_SERVING });
    const over = new AbortController();
    const each = client.watch({}, { signal: over.signal })[Symbol.asyncIterator]();
    expect((await each.next()).value).toMatchObject({ status: Status.NOT_SERVING });
    over.abort();
    await expect(each.next()).rejects.toMatchObject({ code: Code.Canceled });
  });
});

test("the probes answer GET alone", async () => {
  const storage = {
    freeBytes: expect.any(Number),
    walBytes: expect.any(Number),
    ...{ postponedMessages: 0, dueMessages: 0, retriedMessages: 0, oldestMessageMs: 0 },
    ...{ mailsFailingMs: 0, smsFailingMs: 0, waitingAppends: 0 },
    ...{ actionRuns: 0, failedActionRuns: 0 },
    warnings: expect.any(Array),
  };
  for (const [path, more] of [
    ["/healthz", {}],
    ["/readyz", storage],
  ] as const) {
    const ready = await fetch(server.url + path);
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ok", ...more }]);
    const posted = await fetch(server.url + path, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"]);
    await posted.arrayBuffer();
  }
});

test("the error of an unknown service carries its reason", async () => {
  const client = createClient(Health, createGrpcTransport({ baseUrl: server.url }));
  const error = await client.check({ service: unknown }).catch((thrown) => thrown);
  expect(error.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "SERVICE_NOT_FOUND" }]);
});
