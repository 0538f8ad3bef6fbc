import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { GatewayLimits } from "../../../src/gateway/call/limits.ts";
import { few } from "../../harness/in-full.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { hostileServer, messageOf, restPath, rpcPath } from "../hostile.ts";
import { type Compression, type GrpcJsCall, refuseGrpcJs } from "./grpc-js.ts";

/** Refusals of the protocol layer as a client reads them that is stricter than our own. */

const bodyBytesMax = 64 * 1024;
const server = hostileServer({ bodyBytesMax, requestTimeoutMs: 300 });

interface Row extends Omit<GrpcJsCall, "path"> {
  readonly name: string;
  readonly path?: string;
  readonly compression?: Compression;
  readonly code: number;
  readonly reason: string;
  readonly message: RegExp;
}

const unknown = { code: 12, reason: "UNKNOWN_PATH", message: /^No operation has this path\.$/ };
const malformed = { code: 3, reason: "MALFORMED_REQUEST" };
const tooLarge = { code: 8, reason: "BODY_TOO_LARGE", message: /larger than 65536 bytes/ };
const tooLong = messageOf("grpc", bodyBytesMax + 1);

const rows: readonly Row[] = [
  { name: "an unknown method", path: `${rpcPath}s`, ...unknown },
  { name: "an unknown service", path: "/iam.management.v1.NoService/AddProject", ...unknown },
  {
    name: "a path with %ff",
    path: "/%ff",
    ...malformed,
    message: /^The path or a header cannot be decoded\.$/,
  },
  {
    name: "a REST path",
    path: restPath,
    code: 3,
    reason: "UNSUPPORTED_MEDIA_TYPE",
    message: /content type application\/grpc/,
  },
  {
    name: "a path without POST",
    path: "/healthz",
    code: 12,
    reason: "METHOD_NOT_ALLOWED",
    message: /supports GET/,
  },
  {
    name: "an expectation",
    metadata: [["expect", "x"]],
    code: 3,
    reason: "EXPECTATION_FAILED",
    message: /only the expectation/,
  },
  { name: "a message too large", messages: [tooLong], ...tooLarge },
  {
    name: "a message too large, compressed",
    messages: [tooLong],
    compression: "gzip",
    ...tooLarge,
  },
  {
    name: "a message in an unknown compression",
    messages: [Buffer.alloc(2_000)],
    compression: "deflate",
    code: 12,
    reason: "UNSUPPORTED_COMPRESSION",
    message: /supported encodings are gzip/,
  },
  {
    name: "a message that is none",
    messages: [gzipSync("a")],
    ...malformed,
    message: /parse binary/,
  },
  { name: "no message", messages: [], ...malformed, message: /missing input message/ },
  {
    name: "a second message",
    messages: [Buffer.alloc(0), Buffer.alloc(0)],
    ...malformed,
    message: /extra input message/,
  },
  {
    name: "a request without its end",
    isOpen: true,
    code: 4,
    reason: "REQUEST_TIMEOUT",
    message: /not sent completely within 300 ms/,
  },
  {
    name: "a message that breaks a rule",
    code: 3,
    reason: "INVALID_FIELDS",
    message: /^name: is required$/,
  },
  {
    name: "an organization twice",
    metadata: [
      ["x-service-orgid", "a"],
      ["x-service-orgid", "b"],
    ],
    code: 3,
    reason: "ORGANIZATION_HEADER_REPEATED",
    message: /Send x-service-orgid once/,
  },
  {
    name: "another organization",
    metadata: [["x-service-orgid", "nothing"]],
    code: 7,
    reason: "PERMISSION_DENIED",
    message: /./,
  },
];

describe("grpc-js is refused", () => {
  few(6).each(rows)("for $name", async (row) => {
    const { path = rpcPath, compression, code, reason, message, metadata = [] } = row;
    const authorization = ["authorization", `Bearer ${server().admin.token}`] as const;
    const call = { ...row, path, metadata: [authorization, ...metadata] };
    const answer = await refuseGrpcJs(server().port, call, compression);
    expect(answer).toMatchObject({ ok: false, code, reason });
    expect(answer).toMatchObject({ message: expect.stringMatching(message) });
  });

  test("for want of a token", async () => {
    const answer = await refuseGrpcJs(server().port, { path: rpcPath });
    expect(answer).toMatchObject({ code: 16, reason: "UNAUTHENTICATED" });
  });

  test("for too large a header, by a reset of its stream", async () => {
    const metadata = [["x-padding", "x".repeat(20_000)]] as const;
    const answer = await refuseGrpcJs(server().port, { path: rpcPath, metadata });
    expect(answer).toMatchObject({ code: 8 });
  });

  test("by itself when it cancels, which the server notes", async () => {
    const before = server().logged().length;
    const answer = await refuseGrpcJs(server().port, {
      path: "/iam.event.v1.EventService/WatchEvents",
      metadata: [["authorization", `Bearer ${server().admin.token}`]],
      onMessage: (cancel) => cancel(),
    });
    expect(answer).toMatchObject({ code: 1 });
    const lines = () => server().logged().slice(before).join();
    while (!lines().includes("CANCELED")) await new Promise((look) => setTimeout(look, 5));
  });
});

describe("grpc-js is told when to come back", () => {
  const running: TestServer[] = [];
  afterEach(() => Promise.all(running.splice(0).map((one) => one.close())));
  const start = async (limits: Partial<GatewayLimits> = {}) => {
    const started = await startServer({ limits });
    running.push(started);
    const metadata = [["authorization", `Bearer ${started.admin.token}`]] as const;
    const watch = { path: "/iam.event.v1.EventService/WatchEvents", metadata };
    return { started, watch, add: { path: rpcPath, metadata } };
  };

  test("by a server that stops", async () => {
    const { started, watch } = await start();
    const onMessage = () => void started.gateway.close();
    const ended = refuseGrpcJs(started.port, { ...watch, onMessage });
    expect(await ended).toMatchObject({ code: 14, reason: "SHUTTING_DOWN", retryMs: 1_000 });
  });

  test("by a server without its log", async () => {
    const { started, add } = await start();
    await started.store.close();
    const unavailable = { code: 14, reason: "UNAVAILABLE", retryMs: 5_000 };
    expect(await refuseGrpcJs(started.port, add)).toMatchObject(unavailable);
  });

  test("by a server that holds as many bytes as it may", async () => {
    const { started, add } = await start({ bufferedBytesMax: 100 });
    const call = { ...add, messages: [messageOf("grpc", 101)] };
    const overloaded = { code: 8, reason: "BODIES_OVERLOADED", retryMs: 1_000 };
    expect(await refuseGrpcJs(started.port, call)).toMatchObject(overloaded);
  });
});
