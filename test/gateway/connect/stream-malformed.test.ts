import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { defaultLimits } from "../../../src/gateway/call/limits.ts";
import { isFull, turnOf } from "../../harness/extent.ts";
import {
  bodyFor,
  type DialectName,
  dialectNames,
  dialects,
  frame,
  hostileServer,
  isFramed,
  send,
} from "../hostile.ts";
import { exchangeHttp2, type RawAnswer } from "../raw.ts";
import { expectRefusal, type Refusal, readRefusal } from "../refusal.ts";

const server = hostileServer();
const bytesMax = defaultLimits.openBodyBytesMax;
const watch = "/grpc.health.v1.Health/Watch";
const check = "/grpc.health.v1.Health/Check";
const reflect = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/** How streams are written: the dialect says how a refusal looks, and the rest differs. */
const streams = {
  grpc: { dialect: "grpc", contentType: "application/grpc" },
  "grpc+json": { dialect: "grpc+json", contentType: "application/grpc+json" },
  "grpc-web": { dialect: "grpc-web", contentType: "application/grpc-web+proto" },
  "grpc-web+json": { dialect: "grpc-web+json", contentType: "application/grpc-web+json" },
  "connect+proto": { dialect: "connect-proto", contentType: "application/connect+proto" },
  "connect+json": { dialect: "connect-json", contentType: "application/connect+json" },
} as const satisfies {
  readonly [name: string]: { readonly dialect: DialectName; readonly contentType: string };
};

type StreamName = keyof typeof streams;
const streamNames = Object.keys(streams) as readonly StreamName[];
/** Browsers have no streams in both directions. */
const bothWays = streamNames.filter((name) => !name.startsWith("grpc-web"));

async function call(name: StreamName, path: string, body: Buffer, encoding?: string) {
  const { dialect, contentType } = streams[name];
  const isConnect = name.startsWith("connect");
  const fields = {
    "content-type": contentType,
    ...(isConnect ? { "connect-protocol-version": "1" } : {}),
    ...(encoding ? { [isConnect ? "connect-content-encoding" : "grpc-encoding"]: encoding } : {}),
  };
  if (path === watch) {
    return send(server(), dialect, { path, fields: Object.entries(fields), body });
  }
  const head = { ":method": "POST", ":path": path, ...fields };
  const { answer } = await exchangeHttp2(server().port, head, body);
  return answer!;
}

/** Expects the refusal where the stream has its end, behind so many messages. */
function expectEnd(name: StreamName, answer: RawAnswer, expected: Refusal, messages = 0): void {
  const { dialect } = streams[name];
  let body = answer.body;
  for (let count = 0; count < messages; count += 1) {
    expect(body.readUInt8(0)).toBe(0);
    body = body.subarray(5 + body.readUInt32BE(1));
  }
  expect(answer.status).toBe(200);
  const { status: _status, message = /./, ...rest } = expected;
  let end: RawAnswer = { ...answer, body };
  if (name.startsWith("connect")) {
    expect(body.readUInt8(0)).toBe(2);
    const { error } = JSON.parse(body.subarray(5).toString());
    const headers = { "content-type": "application/json" };
    end = { ...answer, headers, body: Buffer.from(JSON.stringify(error)) };
  }
  expect(readRefusal(dialect, end)).toMatchObject({
    ...rest,
    message: expect.stringMatching(message),
  });
}

const malformed = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };
const tooLarge = {
  status: 413,
  code: 8,
  reason: "BODY_TOO_LARGE",
  message: /^The message is larger than 16384 bytes, as sent or decompressed\.$/,
};
const isJson = (name: StreamName) => name.endsWith("json");
/** A text in the first field of a request, which for both methods takes one. */
function textMessage(name: StreamName, path: string, text: string): Buffer {
  const field = path === watch ? "service" : "host";
  if (isJson(name)) return Buffer.from(JSON.stringify({ [field]: text }));
  const length = Buffer.byteLength(text);
  const head = [0x0a, ...varint(length)];
  return Buffer.concat([Buffer.from(head), Buffer.from(text)]);
}
/** A number in the three bytes that the largest one here needs, which all may have. */
function varint(value: number): readonly number[] {
  return [0x80 | (value & 0x7f), 0x80 | ((value >> 7) & 0x7f), value >> 14];
}
/** A message of exactly so many bytes. */
function sized(name: StreamName, path: string, bytes: number): Buffer {
  return textMessage(name, path, "x".repeat(bytes - textMessage(name, path, "").length));
}

interface Row {
  readonly name: string;
  body(stream: StreamName, path: string): Buffer;
  readonly encoding?: string;
  readonly expected: Refusal;
}

const rows: readonly Row[] = [
  {
    name: "a frame without its length",
    body: () => Buffer.from([0, 0, 0]),
    expected: { ...malformed, message: /incomplete envelope/ },
  },
  {
    name: "a frame shorter than it says",
    body: () => frame("{}", 0, 9),
    expected: { ...malformed, message: /incomplete envelope/ },
  },
  ...[2, 3, 0x40, 0x80, 0xff].map((flags) => ({
    name: `a frame with the flags ${flags}`,
    body: () => frame("", flags),
    expected: { ...malformed, message: RegExp(`has the flags ${flags}:`) },
  })),
  {
    name: "a frame that is compressed without saying how",
    body: () => frame("", 1),
    expected: {
      ...malformed,
      message: /header (grpc|connect-content)-encoding names no compression/,
    },
  },
  {
    name: "a frame that is not compressed as it says",
    body: () => frame("garbage", 1),
    encoding: "gzip",
    expected: { ...malformed, message: /cannot be decompressed/ },
  },
  {
    name: "an unknown compression",
    body: (stream, path) => frame(textMessage(stream, path, "a")),
    encoding: "br",
    expected: { status: 501, code: 12, reason: "UNSUPPORTED_COMPRESSION" },
  },
  {
    name: "a message that is none",
    body: () => frame('{"'),
    expected: { ...malformed, message: /./ },
  },
  {
    name: "a text with U+0000",
    body: (stream, path) => frame(textMessage(stream, path, "a\0b")),
    expected: { status: 400, code: 3, reason: "INVALID_FIELDS", message: /U\+0000/ },
  },
  {
    name: "a message one byte too large",
    body: (stream, path) => frame(sized(stream, path, bytesMax + 1)),
    expected: tooLarge,
  },
  {
    name: "a message that is too large when decompressed",
    body: (stream, path) => frame(gzipSync(sized(stream, path, bytesMax + 1)), 1),
    encoding: "gzip",
    expected: tooLarge,
  },
];
const single: readonly Row[] = [
  {
    name: "no message",
    body: () => Buffer.alloc(0),
    expected: { ...malformed, message: /^There is no message: this method takes one/ },
  },
  {
    name: "a second message",
    body: (stream, path) => Buffer.concat(Array(2).fill(frame(textMessage(stream, path, "a")))),
    expected: { ...malformed, message: /^There is a second message: this method takes one/ },
  },
];

function perStream<T extends Row>(table: readonly T[], names: readonly StreamName[]) {
  return table.flatMap((row, index) => {
    const chosen = isFull || index === 0 ? names : [turnOf(names, index)];
    return chosen.map((stream) => ({ ...row, stream, title: `${row.name} over ${stream}` }));
  });
}

let before: number;
beforeEach(() => {
  before = server().logged().length;
});

/** The caller is to blame, and so nothing but the line of the call is logged. */
function expectNoDefect(): void {
  const lines = server()
    .logged()
    .slice(before)
    .map((line) => JSON.parse(line));
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([[30, "call"]]);
}

describe("a method that answers one message with a stream refuses", () => {
  test.each(perStream([...rows, ...single], streamNames))("$title", async (row) => {
    const { stream, body, encoding, expected } = row;
    expectEnd(stream, await call(stream, watch, body(stream, watch), encoding), expected);
    expectNoDefect();
  });
});

describe("a method that answers a stream with a stream refuses", () => {
  test.each(perStream(rows, bothWays))("$title", async (row) => {
    const { stream, body, encoding, expected } = row;
    expectEnd(stream, await call(stream, reflect, body(stream, reflect), encoding), expected);
    expectNoDefect();
  });

  const later = rows.filter(({ name }) => name === "a message that is none");
  test.each(perStream(later, bothWays))("$title, behind one that it answers", async (row) => {
    const { stream, body, expected } = row;
    const good = frame(textMessage(stream, reflect, "a"));
    const both = Buffer.concat([good, body(stream, reflect)]);
    expectEnd(stream, await call(stream, reflect, both), expected, 1);
    expectNoDefect();
  });
});

describe("a method that asks for no token reads, of one message,", () => {
  const bytes = (dialect: DialectName, count: number) =>
    dialects[dialect].body === "json"
      ? Buffer.from("{}".padEnd(count))
      : Buffer.from([0xfa, 0x7f, ...varint(count)]);
  /** An unknown field of Protobuf, which is left alone, or spaces. */
  const filled = (dialect: DialectName, count: number) =>
    dialects[dialect].body === "json"
      ? bytes(dialect, count)
      : Buffer.concat([bytes(dialect, count - 5), Buffer.alloc(count - 5)]);
  const http = dialectNames.filter((name) => name !== "rest");

  test.each(http)("no more than its limit over %s", async (dialect) => {
    const sendBytes = (count: number) =>
      send(server(), dialect, { path: check, body: bodyFor(dialect, filled(dialect, count)) });
    const answer = await sendBytes(bytesMax);
    expect([answer.status, isFramed(dialect) ? answer.body.readUInt8(0) : 0]).toEqual([200, 0]);
    expect(answer.body.length).toBeGreaterThan(0);
    expectRefusal(dialect, await sendBytes(bytesMax + 1), tooLarge);
  });
});
