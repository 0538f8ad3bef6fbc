import { describe, expect, test } from "@jest/globals";
import { frameType, headersFrame, openFrames } from "../frames.ts";
import {
  bodyFor,
  type DialectName,
  dialectNames,
  dialects,
  type Fields,
  hostileServer,
  http1Request,
  isFramed,
  restPath,
  rpcPath,
  send,
} from "../hostile.ts";
import { exchangeHttp2, openRaw, type RawAnswer } from "../raw.ts";
import { empty, expectNoLeak, expectRefusal, reached } from "../refusal.ts";

const limits = { requestTimeoutMs: 500, sniffTimeoutMs: 300, idleTimeoutMs: 300 };
const server = hostileServer(limits);

const http1 = dialectNames.filter((name) => dialects[name].http === 1);
const http2 = dialectNames.filter((name) => dialects[name].http === 2);
const tooLate = {
  status: 504,
  code: 4,
  reason: "REQUEST_TIMEOUT",
  message: /^The request was not sent completely within 500 ms\.$/,
};
const passed = { status: 504, code: 4, reason: "DEADLINE_EXCEEDED", message: /has passed/ };

/** The answer to a request whose body never ends, and proof that the connection ends after it. */
async function sendHalf(dialect: DialectName, fields: Fields = []): Promise<RawAnswer> {
  const connection = await openRaw(server().port);
  const length: Fields = [["content-length", "100"]];
  const body = empty(dialect);
  connection.write(http1Request(server(), dialect, { fields: [...length, ...fields], body }));
  const answer = await connection.answer();
  expect(answer.headers.connection).toBe("close");
  expect(await connection.ended()).toHaveLength(0);
  await connection.close();
  return answer;
}

async function sendHalfHttp2(dialect: DialectName, body: Buffer, fields = {}) {
  const { contentType, path } = dialects[dialect];
  const authorization = `Bearer ${server().admin.token}`;
  const head = { "content-type": contentType, authorization, te: "trailers", ...fields };
  const request = { ":method": "POST", ":path": path, ...head };
  const { answer, resetCode } = await exchangeHttp2(server().port, request, body, { end: false });
  expect(resetCode).toBe(0);
  return answer!;
}

describe("slow body, half-open request: half a request", () => {
  test("whose body does not go on is answered, over HTTP/1.1", async () => {
    const answers = await Promise.all(http1.map((dialect) => sendHalf(dialect)));
    for (const [at, dialect] of http1.entries()) expectRefusal(dialect, answers[at]!, tooLate);
  });

  test("whose stream stays open is answered and ended, over HTTP/2", async () => {
    const whole = await Promise.all(http2.map((name) => sendHalfHttp2(name, empty(name))));
    const half = await Promise.all(
      http2.map((name) => sendHalfHttp2(name, empty(name).subarray(0, 3))),
    );
    for (const [at, dialect] of http2.entries()) {
      expectRefusal(dialect, whole[at]!, tooLate);
      expectRefusal(dialect, half[at]!, tooLate);
    }
  });

  test("in JSON over HTTP/2 is answered", async () => {
    const json = await sendHalfHttp2("json", Buffer.from("{"));
    expectRefusal("json", json, tooLate);
    const rest = await sendHalfHttp2("rest", Buffer.from("{"));
    expectRefusal("rest", rest, tooLate);
  });

  test("whose caller gives it a millisecond is given up then", async () => {
    const answers = await Promise.all(
      http1.map((dialect) => {
        const name = isFramed(dialect) ? "grpc-timeout" : "connect-timeout-ms";
        return sendHalf(dialect, [[name, isFramed(dialect) ? "1m" : "1"]]);
      }),
    );
    for (const [at, dialect] of http1.entries()) expectRefusal(dialect, answers[at]!, passed);
    const answer = await sendHalfHttp2("grpc", empty("grpc"), { "grpc-timeout": "1m" });
    expectRefusal("grpc", answer, passed);
  });

  test("whose header does not go on is refused", async () => {
    const heads = [
      `POST ${rpcPath} HTTP/1.1\r\nhost: localhost\r\n`,
      `POST ${rpcPath} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bea`,
      `POST ${rpcPath} HT`,
      "PO",
    ];
    await Promise.all(
      heads.map(async (head) => {
        const connection = await openRaw(server().port);
        connection.write(head);
        const answer = await connection.answer();
        expect(answer).toMatchObject({ status: 408, headers: { connection: "close" } });
        expect(JSON.parse(answer.body.toString())).toMatchObject({
          code: 4,
          message: "The request was not sent completely in time.",
          details: [{ reason: "REQUEST_TIMEOUT" }],
        });
        expect(await connection.ended()).toHaveLength(0);
        await connection.close();
      }),
    );
  });
});

describe("a socket", () => {
  test("that does not say what it speaks is closed without a word", async () => {
    await Promise.all(
      ["", "P", "PRI", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r"].map(async (said) => {
        const connection = await openRaw(server().port);
        connection.write(said);
        expect(await connection.ended()).toHaveLength(0);
        await connection.close();
      }),
    );
  });

  test("that only says that it speaks HTTP/2 is closed", async () => {
    const frames = await openFrames(server().port);
    const received = await frames.ended;
    expect(received.map(({ type }) => type)).toContain(frameType.goAway);
  });

  test.each([
    ["TLS", Buffer.from("16030100640100006003", "hex")],
    ["SSH", "SSH-2.0-OpenSSH_9.9\r\n"],
    ["SMTP", "EHLO localhost\r\n"],
    ["U+0000", "\0\0\0\0"],
    ["HTTP of another version", "GET / HTTP/3.0\r\n\r\n"],
    ["a preface with a wrong end", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"],
  ] as const)("that speaks %s is told that this is no HTTP", async (_name, bytes) => {
    await expectNoHttp(Buffer.from(bytes));
  });
});

test.each([
  ["HTTP/0.9", "GET /healthz HTTP/0.9\r\n\r\n"],
  ["HTTP/0.9 without a name", "GET /healthz\r\n\r\n"],
  ["HTTP/2.0 as text", "GET /healthz HTTP/2.0\r\nhost: localhost\r\n\r\n"],
  [
    "chunks in another coding",
    `POST ${rpcPath} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: identity, chunked\r\n\r\n` +
      "2\r\n{}\r\n0\r\n\r\n",
  ],
  [
    "chunks in HTTP/1.0",
    `POST ${restPath} HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  ...["gzip", "identity", "chunked"].map((other) => [
    `chunks in two lines, of which the other is ${other}`,
    `POST ${rpcPath} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
      `transfer-encoding: ${other}\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ]),
])("a request that two servers could read differently, and Node reads: %s", async (_name, text) => {
  const connection = await openRaw(server().port);
  connection.write(text);
  const answer = await connection.answer();
  expect(answer).toMatchObject({ status: 400, headers: { connection: "close" } });
  expect(JSON.parse(answer.body.toString()).details).toMatchObject([
    { reason: "MALFORMED_REQUEST" },
  ]);
  expect(await connection.ended()).toHaveLength(0);
  await connection.close();
});

/** Node refuses the bytes, in our words, and closes: nothing after them is taken for a request. */
async function expectNoHttp(bytes: Buffer): Promise<void> {
  const connection = await openRaw(server().port);
  connection.write(bytes);
  const answer = await connection.answer();
  expect(answer).toMatchObject({ status: 400, headers: { connection: "close" } });
  expect(JSON.parse(answer.body.toString())).toMatchObject({
    code: 3,
    message: "The request is not valid HTTP.",
    details: [{ reason: "MALFORMED_REQUEST", domain: "iam" }],
  });
  expectNoLeak(answer);
  expect(await connection.ended()).toHaveLength(0);
  await connection.close();
}

describe("a request that two servers could read differently", () => {
  const smuggled = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
  const rows: readonly (readonly [name: string, fields: readonly string[], body: string])[] = [
    ["both lengths", ["content-length: 5", "transfer-encoding: chunked"], "0\r\n\r\n"],
    ["both lengths, turned", ["transfer-encoding: chunked", "content-length: 5"], "0\r\n\r\n"],
    ["two lengths", ["content-length: 2", "content-length: 3"], "{} "],
    ["two equal lengths", ["content-length: 2", "content-length: 2"], "{}"],
    ["an encoding that is not chunked", ["transfer-encoding: gzip"], "{}"],
    ["an encoding almost chunked", ["transfer-encoding: xchunked"], "0\r\n\r\n"],
    ["chunked, then another", ["transfer-encoding: chunked, gzip"], "0\r\n\r\n"],
    ["chunked twice", ["transfer-encoding: chunked", "transfer-encoding: gzip"], "0\r\n\r\n"],
    ["a folded field", ["x-a: a", " transfer-encoding: chunked", "content-length: 2"], "{}"],
    ["a space before the colon", ["content-length : 2"], "{}"],
    ["a field without a colon", ["nothing", "content-length: 2"], "{}"],
    ["U+0000 in a name", ["x\0a: b", "content-length: 2"], "{}"],
    ["U+0000 in a value", ["x-a: a\0b", "content-length: 2"], "{}"],
    ["a lone carriage return", ["x-a: a\rcontent-length: 99", "content-length: 2"], "{}"],
    ["a lone line feed", ["x-a: a\ncontent-length: 99", "content-length: 2"], "{}"],
    ["a chunk of negative size", ["transfer-encoding: chunked"], "-2\r\n{}\r\n0\r\n\r\n"],
    ["a chunk of endless size", ["transfer-encoding: chunked"], `${"f".repeat(17)}\r\n{}`],
    ["a chunk of no size", ["transfer-encoding: chunked"], "\r\n{}\r\n0\r\n\r\n"],
    ["a chunk longer than its size", ["transfer-encoding: chunked"], "1\r\n{}\r\n0\r\n\r\n"],
  ];
  test.each(rows)("%s", async (_name, fields, body) => {
    const head = [
      `POST ${rpcPath} HTTP/1.1`,
      "host: localhost",
      "content-type: application/json",
      `authorization: Bearer ${server().admin.token}`,
      ...fields,
    ];
    await expectNoHttp(Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}${smuggled}`, "latin1"));
  });
});

describe("an HTTP/2 request", () => {
  const json = { end: true, "content-type": "application/json" };
  const rows: readonly (readonly [string, string, { readonly [name: string]: string }])[] = [
    ["without a path", "", {}],
    ["with the path *", "*", {}],
    ["whose path has no slash", "http://[bad/", {}],
    ["with a malformed authority", rpcPath, { ":authority": "[/?#" }],
    ["with a field name in upper case", rpcPath, { "X-A": "a" }],
    ["with a field of HTTP/1.1", rpcPath, { connection: "close" }],
    ["with a pseudo-field that is none", rpcPath, { ":x": "a" }],
    ["with a pseudo-field of answers", rpcPath, { ":status": "200" }],
  ];
  test.each(rows)("%s is reset", async (_name, path, fields) => {
    const frames = await openFrames(server().port);
    frames.write(headersFrame(1, path, { ...json, ...fields }));
    const { type } = await frames.until(({ stream }) => stream === 1);
    expect(type).toBe(frameType.resetStream);
    frames.destroy();
    await frames.ended;
  });

  test("whose token has U+0000 has none", async () => {
    const frames = await openFrames(server().port);
    const authorization = `Bearer ${server().admin.token}\0`;
    frames.write(headersFrame(1, rpcPath, { ...json, authorization }));
    const { payload } = await frames.until(({ type }) => type === frameType.data);
    expect(JSON.parse(payload.toString())).toMatchObject({ code: 16 });
    frames.destroy();
    await frames.ended;
  });
});

describe("pipelined requests", () => {
  test("are answered in their order, up to the first that is none", async () => {
    const connection = await openRaw(server().port);
    const requests = [
      http1Request(server(), "json", { body: "{}" }),
      http1Request(server(), "rest", { body: "[" }),
      http1Request(server(), "json", { path: "/nothing" }),
      http1Request(server(), "connect-proto", { body: bodyFor("connect-proto", "") }),
    ];
    connection.write(Buffer.concat(requests));
    expectRefusal("json", await connection.answer(), reached);
    const malformed = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };
    expectRefusal("rest", await connection.answer(), malformed);
    const unknown = { status: 404, code: 5, reason: "UNKNOWN_PATH" };
    expectRefusal("json", await connection.answer(), unknown);
    expectRefusal("connect-proto", await connection.answer(), reached);

    connection.write("garbage\r\n\r\n");
    expect(await connection.answer()).toMatchObject({ status: 400 });
    expect(await connection.ended()).toHaveLength(0);
    await connection.close();
  });

  test("may come after one that is refused", async () => {
    const answers = await Promise.all(http1.map((dialect) => send(server(), dialect, {})));
    expect(answers.map(({ headers }) => headers.connection)).toEqual(http1.map(() => "keep-alive"));
  });
});
