import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "node:tls";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { credentials, Client as GrpcJsClient } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  Health,
  type HealthCheckResponse,
  HealthCheckRequestSchema as Request,
  HealthCheckResponseSchema as Response,
} from "../../gen/grpc/health/v1/health_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import type { WatchEventsResponse } from "../../gen/iam/event/v1/watch_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createPeers } from "../../src/port/peer.ts";
import { freePort } from "../harness/port.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { createCertificate } from "../port/certificate.ts";
import { find } from "./programs.ts";
import { proxies } from "./proxy.ts";

/** Proxies that others wrote, as `deploy/proxy` configures them, before the service. */

const certificate = createCertificate("iam test");
const ca = certificate.cert;
/** Somebody elsewhere, as far as this machine can be elsewhere. */
const elsewhere = "127.0.0.9";

/** Past what any test takes: only the signal ends it. */
const longMs = 600_000;

const nodeOptions = { ca, localAddress: elsewhere, family: 4 };

type ToTransport = (options: {
  readonly baseUrl: string;
  readonly nodeOptions: typeof nodeOptions;
}) => Transport;

const streaming: readonly (readonly [name: string, to: ToTransport])[] = [
  ["gRPC", createGrpcTransport],
  ["gRPC-Web over HTTP/2", (to) => createGrpcWebTransport({ ...to, httpVersion: "2" })],
  ["gRPC-Web over HTTP/1.1", (to) => createGrpcWebTransport({ ...to, httpVersion: "1.1" })],
  ["Connect over HTTP/2", (to) => createConnectTransport({ ...to, httpVersion: "2" })],
  ["Connect over HTTP/1.1", (to) => createConnectTransport({ ...to, httpVersion: "1.1" })],
];

describe.each(proxies)("$name", ({ name: program, start }) => {
  // Where the proxy is not installed, `test/runner/missing.ts` says so.
  const isThere = find(program) !== undefined;
  const onProxy = isThere ? test : test.skip;
  let directory: string;
  let server: TestServer;
  let proxy: Awaited<ReturnType<typeof start>>;
  let url: string;
  let headers: { readonly authorization: string };

  beforeAll(async () => {
    if (!isThere) return;
    directory = await mkdtemp(join(tmpdir(), "iam-test-"));
    server = await startServer({
      peers: createPeers([["127.0.0.1", 32]]),
      limits: { drainMs: longMs, drainQuietMs: longMs },
    });
    const port = await freePort();
    const services = [server.port, await freePort()] as const;
    proxy = await start({ directory, port, services, certificate });
    url = `https://localhost:${port}`;
    headers = { authorization: `Bearer ${server.admin.token}` };
    // HAProxy first asks each node whether it is there.
    while ((await get("/healthz")) !== 200) await pause(50);
  });
  afterAll(async () => {
    await proxy?.close();
    await server?.close();
    if (directory !== undefined) await rm(directory, { recursive: true });
  });

  onProxy.each(streaming)("hands on calls and watches by %s", async (name, to) => {
    const transport = to({ baseUrl: url, nodeOptions });
    const management = createClient(ManagementService, transport);
    const { id } = await management.addProject({ name }, { headers });
    const over = new AbortController();
    const { watchEvents } = createClient(EventService, transport);
    const options = { headers, signal: over.signal };
    const watch = watchEvents({}, options)[Symbol.asyncIterator]();
    await seen(watch, id);
    // It is open, and what happens now arrives.
    const next = await management.addProject({ name: `${name} again` }, { headers });
    await seen(watch, next.id);
    over.abort();
    await expect(watch.next()).rejects.toThrow(/aborted/);
    expect(lastLine("method", `${ManagementService.typeName}/AddProject`)).toMatchObject({
      address: elsewhere,
    });
  });

  onProxy("hands on gRPC of grpc-js", async () => {
    const client = new GrpcJsClient(new URL(url).host, credentials.createSsl(Buffer.from(ca)));
    const answer = await new Promise<HealthCheckResponse | undefined>((resolve, reject) => {
      client.makeUnaryRequest(
        `/${Health.typeName}/Check`,
        (message: object) => Buffer.from(message as Uint8Array),
        (bytes: Buffer) => fromBinary(Response, bytes),
        toBinary(Request, create(Request)),
        (error, message) => (error ? reject(error) : resolve(message)),
      );
    });
    client.close();
    expect(answer).toMatchObject({ status: 1 });
  });

  onProxy.each([
    "/readyz",
    "/readyz?figures",
    "/%72eadyz",
    "/readyz#figures",
    "/./readyz",
    "//readyz",
  ])("keeps %s to itself", async (path) => {
    const asked = connect({ host: "localhost", port: Number(new URL(url).port), ca });
    asked.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    const answer = await text(asked);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(answer).not.toContain("freeBytes");
  });

  onProxy("says who calls, and believes nobody else about it", async () => {
    const claimed = {
      "x-forwarded-for": "203.0.113.9",
      "x-request-id": "forged",
      traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    };
    expect(await get("/management/v1/orgs/me", claimed)).toBe(401);
    const line = lastLine("code", "UNAUTHENTICATED");
    expect(line).toMatchObject({ address: elsewhere, proxyRequestId: expect.any(String) });
    expect(line).not.toMatchObject({ proxyRequestId: "forged" });
    expect(line).not.toHaveProperty("traceparent");
  });

  onProxy("hands on calls where no node says that it is ready", async () => {
    const isEnough = new AbortController();
    const drained = server.gateway.drain(isEnough.signal);
    // By the second probe that is refused, HAProxy has seen the first.
    const probed = () => server.logged().filter((line) => line.includes("SHUTTING_DOWN")).length;
    while (program === "haproxy" && probed() < 2) await pause(50);
    for (const to of [createGrpcTransport, createConnectTransport] as const) {
      const transport = to({ baseUrl: url, nodeOptions, httpVersion: "1.1" });
      const { getMyOrg } = createClient(ManagementService, transport);
      expect(await getMyOrg({}, { headers })).toMatchObject({ org: expect.any(Object) });
    }
    isEnough.abort();
    await drained;
  });

  /** The last line of the log that has the member. */
  function lastLine(name: string, value: string): unknown {
    return server
      .logged()
      .map((line) => JSON.parse(line))
      .findLast((line) => line[name] === value);
  }

  /** The status of the answer to somebody elsewhere. */
  async function get(path: string, sent: Record<string, string> = {}): Promise<unknown> {
    const asked = request(`${url}${path}`, { ...nodeOptions, headers: sent, agent: false });
    const [answer] = await once(asked.end(), "response");
    answer.resume();
    await once(answer, "close");
    return answer.statusCode;
  }
});

/** Reads answers until one is about the object. */
async function seen(watch: AsyncIterator<WatchEventsResponse>, id: string): Promise<void> {
  for (;;) {
    const { value, done } = await watch.next();
    if (done) throw new Error(`the watch ended before ${id}`);
    if (value.event?.aggregate?.id === id) return;
  }
}
