import { afterAll, afterEach, beforeAll, beforeEach, expect } from "@jest/globals";
import { v7 } from "uuid";
import type { GatewayLimits } from "../../src/gateway/call/limits.ts";
import { isFull, sampled, turnOf } from "../harness/extent.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { exchangeHttp2, openConnections, openRaw, type RawAnswer } from "./raw.ts";

export const rpcPath = "/iam.management.v1.ManagementService/AddProject";
export const restPath = "/management/v1/projects";

/** How the same call looks on the wire, one entry for each way that the server answers. */
export interface Dialect {
  readonly http: 1 | 2;
  readonly path: string;
  readonly contentType: string;
  readonly body: "json" | "proto";
  /** How a refusal is written. */
  readonly refusal: "plain" | "connect" | "grpc" | "grpc-web";
}

const rpc = { http: 1, path: rpcPath } as const;

export const dialects = {
  json: { ...rpc, contentType: "application/json", body: "json", refusal: "plain" },
  rest: {
    ...rpc,
    path: restPath,
    contentType: "application/json",
    body: "json",
    refusal: "plain",
  },
  "connect-json": {
    ...rpc,
    contentType: "application/json",
    body: "json",
    refusal: "connect",
  },
  "connect-proto": {
    ...rpc,
    contentType: "application/proto",
    body: "proto",
    refusal: "connect",
  },
  grpc: { ...rpc, http: 2, contentType: "application/grpc", body: "proto", refusal: "grpc" },
  "grpc+json": {
    ...rpc,
    http: 2,
    contentType: "application/grpc+json",
    body: "json",
    refusal: "grpc",
  },
  "grpc-http1": { ...rpc, contentType: "application/grpc", body: "proto", refusal: "grpc" },
  "grpc-web": {
    ...rpc,
    contentType: "application/grpc-web+proto",
    body: "proto",
    refusal: "grpc-web",
  },
  "grpc-web+json": {
    ...rpc,
    contentType: "application/grpc-web+json",
    body: "json",
    refusal: "grpc-web",
  },
} as const satisfies { readonly [name: string]: Dialect };

export type DialectName = keyof typeof dialects;

export const dialectNames = Object.keys(dialects) as readonly DialectName[];
export const jsonDialects = dialectNames.filter((name) => dialects[name].body === "json");
export const protoDialects = dialectNames.filter((name) => dialects[name].body === "proto");
export const framedDialects = dialectNames.filter((name) => isFramed(name));

export function isFramed(name: DialectName): boolean {
  return dialects[name].refusal.startsWith("grpc");
}

export type Fields = readonly (readonly [name: string, value: string])[];

/** What a test sends; all that it leaves out is as a good caller would send it. */
export interface Hostile {
  readonly verb?: string;
  readonly path?: string;
  /** Replace the fields of the same name; the ones named here twice are sent twice. */
  readonly fields?: Fields;
  /** Names of fields that are not sent. */
  readonly without?: readonly string[];
  /** The body as it stands on the wire. */
  readonly body?: Uint8Array | string;
  readonly isChunked?: boolean;
}

/** Sends one request on a connection of its own, and answers what came back. */
export async function send(
  server: TestServer,
  name: DialectName,
  hostile: Hostile,
): Promise<RawAnswer> {
  const { verb = "POST", path = dialects[name].path } = hostile;
  const body = Buffer.from(hostile.body ?? "");
  if (dialects[name].http === 2) {
    const fields = Object.fromEntries(fieldsFor(server, name, hostile));
    const head = { ":method": verb, ":path": path, ...fields };
    const { answer } = await exchangeHttp2(server.port, head, body);
    if (answer === undefined) throw new Error("the stream was reset without an answer");
    return answer;
  }
  const connection = await openRaw(server.port);
  connection.write(http1Request(server, name, hostile));
  const answer = await connection.answer(verb);
  await connection.close();
  return answer;
}

/** The bytes of one HTTP/1.1 request. */
export function http1Request(server: TestServer, name: DialectName, hostile: Hostile): Buffer {
  const { verb = "POST", path = dialects[name].path, isChunked = false } = hostile;
  const body = Buffer.from(hostile.body ?? "");
  const given = fieldsFor(server, name, hostile);
  const isGiven = given.some(([field]) => field === "content-length");
  const length = isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
  const lines = [
    `${verb} ${path} HTTP/1.1`,
    ...given.map(([field, value]) => `${field}: ${value}`),
    ...(isGiven ? [] : [length]),
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat(isChunked ? [head, chunked(body)] : [head, body]);
}

function chunked(body: Buffer): Buffer {
  const end = Buffer.from("0\r\n\r\n");
  if (body.length === 0) return end;
  const size = Buffer.from(`${body.length.toString(16)}\r\n`);
  return Buffer.concat([size, body, Buffer.from("\r\n"), end]);
}

function fieldsFor(
  { admin }: TestServer,
  name: DialectName,
  { fields = [], without = [] }: Hostile,
): Fields {
  const { http, contentType, refusal } = dialects[name];
  const usual: Fields = [
    ...(http === 1 ? [["host", "localhost"] as const] : []),
    ["content-type", contentType],
    ["authorization", `Bearer ${admin.token}`],
    ...(refusal === "connect" ? [["connect-protocol-version", "1"] as const] : []),
    ...(refusal === "grpc" ? [["te", "trailers"] as const] : []),
  ];
  const replaced = new Set([...without, ...fields.map(([field]) => field)]);
  return [...usual.filter(([field]) => !replaced.has(field)), ...fields];
}

/** The message as the dialect carries it; framed where it frames. */
export function bodyFor(name: DialectName, message: Uint8Array | string, flags = 0): Buffer {
  return isFramed(name) ? frame(message, flags) : Buffer.from(message);
}

/** A message with a long name, of exactly so many bytes. */
export function messageOf(dialect: DialectName, bytes: number): Buffer {
  if (dialects[dialect].body === "json") {
    return Buffer.from(JSON.stringify({ name: "x".repeat(bytes - '{"name":""}'.length) }));
  }
  // A tag, and a length in three bytes, however short it is.
  const length = bytes - 4;
  const head = [0x0a, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  return Buffer.concat([Buffer.from(head), Buffer.alloc(length, "x")]);
}

/** One gRPC frame, whose length need not be true. */
export function frame(message: Uint8Array | string, flags = 0, length?: number): Buffer {
  const data = Buffer.from(message);
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(length ?? data.length, 1);
  return Buffer.concat([head, data]);
}

/**
 * One server for the tests of a file. After each test it has written nothing and answers the next
 * call; after the last one no connection is open, so that closing waits for none.
 */
export function hostileServer(limits: Partial<GatewayLimits> = {}): () => TestServer {
  let server: TestServer;
  let head: bigint;
  beforeAll(async () => {
    // Past the grace the test itself would run out of time.
    server = await startServer({ limits: { stopGraceMs: 60_000, ...limits } });
  });
  beforeEach(async () => {
    head = await server.head();
  });
  afterEach(async () => {
    expect(await server.events(head)).toEqual([]);
    const answer = await send(server, "json", { body: JSON.stringify({ name: v7() }) });
    expect(answer.status).toBe(200);
    expect((await server.events(head)).map(({ type }) => type)).toEqual(["project.added"]);
  });
  afterAll(async () => {
    const open = openConnections();
    await server.close();
    expect(open).toBe(0);
  });
  return () => server;
}

/**
 * The rows of a table, in full each for every dialect that it applies to; otherwise some of the
 * rows take turns, and only the first of them goes through all.
 */
export function perDialect<Row extends { readonly name: string }>(
  rows: readonly Row[],
  dialectsOf: (row: Row) => readonly DialectName[],
): readonly (Row & { readonly dialect: DialectName; readonly title: string })[] {
  return sampled(rows).flatMap((row, index) => {
    const all = dialectsOf(row);
    const chosen = isFull || index === 0 ? all : [turnOf(all, index)];
    return chosen.map((dialect) => ({ ...row, dialect, title: `${row.name} over ${dialect}` }));
  });
}
