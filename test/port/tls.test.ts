import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { Agent, type RequestOptions, request } from "node:https";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { credentials, Client as GrpcJsClient } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  Health,
  HealthCheckRequestSchema,
  type HealthCheckResponse,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/grpc/health/v1/health_pb.js";
import type { GatewayLimits } from "../../src/gateway/call/limits.ts";
import { connected, get, textOf } from "../gateway/flight.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { createCertificate } from "./certificate.ts";

const certificate = createCertificate("first");
const ca = certificate.cert;
const running: TestServer[] = [];
let server: TestServer;

async function start(limits: Partial<GatewayLimits> = {}): Promise<TestServer> {
  const started = await startServer({ certificate, limits });
  running.push(started);
  return started;
}

beforeAll(async () => {
  server = await start();
});

afterAll(() => Promise.all(running.map((one) => one.close())));

async function secured(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", ca, ...options });
  await once(socket, "secureConnect");
  socket.on("error", () => {});
  return socket;
}

/** One request over HTTP/1.1; the connection is the agent's to keep. */
async function getOver(url: string, options: RequestOptions): Promise<string> {
  const sent = request(url, { ca, ...options }).end();
  const [response] = await once(sent, "response");
  expect(response).toMatchObject({ statusCode: 200, httpVersion: "1.1" });
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

describe("clients of each kind reach the one port over TLS", () => {
  test("HTTP/1.1, with the connection kept", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; count < 3; count += 1) {
      expect(JSON.parse(await getOver(`${server.url}/healthz`, { agent }))).toEqual({
        status: "ok",
      });
    }
    agent.destroy();
  });

  test.each([
    { name: "Connect over HTTP/1.1", create: createConnectTransport, httpVersion: "1.1" as const },
    { name: "Connect over HTTP/2", create: createConnectTransport, httpVersion: "2" as const },
  ])("$name", async ({ create: createTransport, httpVersion }) => {
    const transport = createTransport({
      baseUrl: server.url,
      httpVersion,
      nodeOptions: { ca },
    });
    expect(await createClient(Health, transport).check({})).toMatchObject({
      status: Status.SERVING,
    });
  });

  test("gRPC of the Connect family", async () => {
    const transport = createGrpcTransport({ baseUrl: server.url, nodeOptions: { ca } });
    expect(await createClient(Health, transport).check({})).toMatchObject({
      status: Status.SERVING,
    });
  });

  test("grpc-js", async () => {
    const client = new GrpcJsClient(
      `127.0.0.1:${server.port}`,
      credentials.createSsl(Buffer.from(ca)),
    );
    const response = await new Promise<HealthCheckResponse | undefined>((resolve, reject) => {
      client.makeUnaryRequest(
        `/${Health.typeName}/Check`,
        (message: object) => Buffer.from(message as Uint8Array),
        (bytes: Buffer) => fromBinary(HealthCheckResponseSchema, bytes),
        toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema)),
        (error, message) => (error ? reject(error) : resolve(message)),
      );
    });
    expect(response).toMatchObject({ status: Status.SERVING });
    client.close();
  });
});

describe("the handshake", () => {
  test.each([
    { offered: ["h2"], spoken: "h2" },
    { offered: ["http/1.1", "h2"], spoken: "h2" },
    { offered: ["http/1.1"], spoken: "http/1.1" },
    { offered: undefined, spoken: false },
  ])("of a client that offers $offered agrees on $spoken", async ({ offered, spoken }) => {
    const socket = await secured(server.port, offered ? { ALPNProtocols: offered } : {});
    expect(socket.alpnProtocol).toBe(spoken);
    socket.destroy();
  });

  test("without a protocol is followed by HTTP/1.1", async () => {
    const socket = await secured(server.port);
    socket.end(get.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("tells browsers to come back over TLS alone", async () => {
    const socket = await secured(server.port);
    socket.end("GET /ui/done HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    expect(await textOf(socket)).toContain("\r\nstrict-transport-security: max-age=31536000\r\n");
  });

  test.each([
    { name: "a protocol that nobody speaks", options: { ALPNProtocols: ["spdy/3"] } },
    { name: "TLS 1.1", options: { minVersion: "TLSv1.1", maxVersion: "TLSv1.1" } as const },
    { name: "TLS 1.0", options: { minVersion: "TLSv1", maxVersion: "TLSv1" } as const },
    ...["AES128-SHA", "AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA"].map(
      (cipher) => ({ name: cipher, options: { ciphers: cipher, maxVersion: "TLSv1.2" } as const }),
    ),
  ])("fails with $name", async ({ options }) => {
    // Old versions need ciphers that OpenSSL only offers at this level.
    const ciphers = "DEFAULT@SECLEVEL=0";
    await expect(secured(server.port, { ciphers, ...options })).rejects.toThrow(/alert/);
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)("succeeds with %s", async (version) => {
    const socket = await secured(server.port, { minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  });
});

describe("cleartext", () => {
  test.each([get, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\0"])(
    "is closed without an answer: %j",
    async (sent) => {
      const socket = await connected(server.port);
      socket.write(sent);
      expect(await textOf(socket)).toBe("");
    },
  );
});

describe("limits hold as they do without TLS", () => {
  test("a peer that does not begin, or does not finish, the handshake is cut off", async () => {
    const { port } = await start({ sniffTimeoutMs: 50 });
    const [silent, half] = [await connected(port), await connected(port)];
    half.write(Buffer.from([0x16, 3, 1]));
    expect(await Promise.all([textOf(silent), textOf(half)])).toEqual(["", ""]);
  });

  test("a peer that says nothing after the handshake is cut off", async () => {
    const { port } = await start({ sniffTimeoutMs: 50 });
    const socket = await secured(port);
    await once(socket, "close");
    expect(socket.bytesRead).toBe(0);
  });

  test("idle connections are closed in both versions", async () => {
    const { port, url } = await start({ idleTimeoutMs: 50, sniffTimeoutMs: 500 });
    const session = connectHttp2(url, { ca });
    const goAway = once(session, "goaway");
    const socket = await secured(port);
    socket.write(get);
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect((await goAway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
  });

  test("a header that does not come is answered", async () => {
    const { port } = await start({ requestTimeoutMs: 100 });
    const socket = await secured(port);
    socket.write("GET / HTTP/1.1\r\nhost: loc");
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("connections past the maximum are dropped", async () => {
    const { port } = await start({ connectionsMax: 1 });
    const idle = await secured(port);
    const gone = new Promise((resolve) => idle.on("error", () => {}).once("close", resolve));
    const busy = await secured(port);
    await gone;
    const begun = once(busy, "data");
    const fields = "content-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue";
    const path = "/iam.account.v1.AccountService/VerifyPhone";
    busy.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${fields}\r\n\r\n`);
    expect(String(await begun)).toMatch(/^HTTP\/1\.1 100 /);
    await expect(secured(port)).rejects.toThrow();
    busy.destroy();
  });

  test("the stop does not wait for idle connections, and tells HTTP/2 peers", async () => {
    const stopping = await start({ stopGraceMs: 60_000 });
    const silent = await connected(stopping.port);
    const quiet = await secured(stopping.port);
    const kept = await secured(stopping.port);
    const answered = once(kept, "data");
    kept.write(get);
    await answered;
    const session = connectHttp2(stopping.url, { ca });
    await once(session, "remoteSettings");
    const ends = [silent, quiet, kept].map((socket) => once(socket, "close"));
    const goAway = once(session, "goaway");
    const closed = once(session, "close");
    await stopping.gateway.close();
    await Promise.all([...ends, goAway, closed]);
    expect(session.destroyed).toBe(true);
  });

  test("the stop does not wait for peers that are gone", async () => {
    const stopping = await start({ stopGraceMs: 60_000, sniffTimeoutMs: 60_000 });
    const half = await connected(stopping.port);
    half.write(Buffer.from([0x16, 3, 1]));
    const peers = [
      half,
      await secured(stopping.port),
      await secured(stopping.port, { ALPNProtocols: ["h2"] }),
      await secured(stopping.port, { ALPNProtocols: ["http/1.1"] }),
    ];
    // A whole call on another connection, so that the server has seen what came before.
    await getOver(`${stopping.url}/healthz`, { agent: false });
    const ends = peers.map((socket) => once(socket, "close"));
    for (const socket of peers) socket.destroy();
    await Promise.all(ends);
    const { store } = stopping;
    await stopping.close();
    running.splice(running.indexOf(stopping), 1);
    await expect(store.ready()).rejects.toThrow("closed");
  });
});
