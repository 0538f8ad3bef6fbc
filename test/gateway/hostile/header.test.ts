import { describe, expect, test } from "@jest/globals";
import { few } from "../../harness/in-full.ts";
import {
  type DialectName,
  dialectNames,
  dialects,
  type Fields,
  hostileServer,
  isFramed,
  perDialect,
  restPath,
  rpcPath,
  send,
} from "../hostile.ts";
import { empty, expectRefusal, type Refusal, reached } from "../refusal.ts";

const server = hostileServer();

const malformed = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };

describe("CVE-2026-25223, CVE-2026-3419: a content type", () => {
  const refused: Refusal = {
    status: 415,
    code: 3,
    reason: "UNSUPPORTED_MEDIA_TYPE",
    message: /does not support the content type .*: send application\/json/,
  };
  const types: readonly string[] = [
    "text/plain",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json, text/plain",
    "text/plain, application/json",
    "application/json\tx",
    "application/json x",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; x=y",
    "application/jsonx",
    "application/json+x",
    "xapplication/json",
    "application/vnd.api+json",
    "application/grpcfoo",
    "application/grpc-webfoo",
    "application/connect+json",
    "application/connect+proto",
    "application",
    "/",
    "*/*",
    "application/json\u00ff",
    "x".repeat(10_000),
  ];
  const paths = [rpcPath, restPath];
  test.each(types.flatMap((type) => paths.map((path) => ({ type, path }))))(
    "$type is refused on $path",
    async ({ type, path }) => {
      const answer = await send(server(), "json", {
        path,
        fields: [["content-type", type]],
        body: "{}",
      });
      expectRefusal("json", answer, refused);
      expect(answer.body.length).toBeLessThan(400);
    },
  );

  const grpcTypes: readonly (readonly [type: string, DialectName, instead: RegExp])[] = [
    ["application/grpc+foo", "grpc", /: send application\/grpc\+proto/],
    ["application/grpc+json; charset=utf-16", "grpc", /: send application\/grpc\+proto/],
    ["application/grpc-web-text", "grpc-web", /: send application\/grpc-web\+proto/],
    ["application/grpc-web-text+proto", "grpc-web", /: send application\/grpc-web\+proto/],
    ["application/grpc-web+foo", "grpc-web", /: send application\/grpc-web\+proto/],
  ];
  few(3).each(grpcTypes)("%s is refused in its own protocol", async (type, dialect, message) => {
    const answer = await send(server(), dialect, {
      fields: [["content-type", type]],
      body: empty(dialect),
    });
    expectRefusal(dialect, answer, { ...refused, message });
  });

  test.each(["grpc", "grpc-web", "connect-proto"] as const)(
    "of %s is refused on a REST path",
    async (dialect) => {
      const answer = await send(server(), dialect, { path: restPath, body: empty(dialect) });
      expectRefusal(dialect, answer, refused);
    },
  );

  const none = { ...refused, message: /has no content type: send application\/json/ };
  few(2).each(paths)("is needed with a body on %s", async (path) => {
    const hostile = { path, without: ["content-type"], body: "{}" };
    expectRefusal("json", await send(server(), "json", hostile), none);
    const chunked = { ...hostile, isChunked: true };
    expectRefusal("json", await send(server(), "json", chunked), none);
    const emptied = { path, fields: [["content-type", ""]] as Fields, body: "{}" };
    expectRefusal("json", await send(server(), "json", emptied), none);
  });

  test("is needed with a body on a REST path over HTTP/2", async () => {
    const hostile = { path: restPath, without: ["content-type"], body: "{}" };
    // The dialect only says which HTTP version; without a content type the answer is JSON.
    expectRefusal("json", await send(server(), "grpc", hostile), none);
  });

  test("is not needed without a body on a REST path", async () => {
    for (const isChunked of [false, true]) {
      const hostile = { without: ["content-type"], isChunked };
      expectRefusal("rest", await send(server(), "rest", hostile), reached);
      expectRefusal("rest", await send(server(), "rest", { isChunked }), reached);
    }
  });
});

describe("a header that counts once", () => {
  const names = [
    "authorization",
    "connect-protocol-version",
    "connect-timeout-ms",
    "content-encoding",
    "content-type",
    "grpc-encoding",
    "grpc-timeout",
  ];
  const http1 = dialectNames.filter((name) => dialects[name].http === 1);
  const rows = names.map((name) => ({ name }));
  // One who says which version of Connect it speaks is answered by Connect's own error body.
  const apply = ({ name }: { readonly name: string }) =>
    http1.filter(
      (dialect) => name !== "connect-protocol-version" || dialects[dialect].refusal !== "plain",
    );
  test.each(perDialect(rows, apply))("$title", async ({ name, dialect }) => {
    const value = { "content-type": dialects[dialect].contentType }[name] ?? "1";
    const fields: Fields = [
      [name, value],
      [name.toUpperCase(), value],
    ];
    expectRefusal(dialect, await send(server(), dialect, { fields, body: empty(dialect) }), {
      ...malformed,
      message: RegExp(`header ${name} was given more than once`),
    });
  });
});

describe("a deadline", () => {
  const connect = ["json", "rest", "connect-json", "connect-proto"] as const;
  const grpc = dialectNames.filter((name) => isFramed(name));
  const passed = { status: 504, code: 4, reason: "DEADLINE_EXCEEDED", message: /has passed/ };
  const invalid = { ...malformed, message: /invalid (connect|grpc) timeout value/ };

  const connectRows = [
    ...["-1", "abc", "1.5", "1e3", "", "12345678901", "0x10", "Infinity"].map((value) => ({
      value,
      expected: invalid,
    })),
    { value: "0", expected: passed },
    // More milliseconds than a timer can wait: as good as none.
    { value: "9999999999", expected: reached },
  ].map((row) => ({ ...row, name: `connect-timeout-ms: ${row.value}` }));
  test.each(perDialect(connectRows, () => connect))("$title", async (row) => {
    const { dialect, value, expected } = row;
    const fields: Fields = [["connect-timeout-ms", value]];
    const answer = await send(server(), dialect, { fields, body: empty(dialect) });
    expectRefusal(dialect, answer, expected);
  });

  const grpcRows = [
    ...["1X", "S", "-1S", "1.5S", "123456789S", ""].map((value) => ({ value, expected: invalid })),
    { value: "0n", expected: passed },
    { value: "0H", expected: passed },
    { value: "99999999H", expected: reached },
  ].map((row) => ({ ...row, name: `grpc-timeout: ${row.value}` }));
  test.each(perDialect(grpcRows, () => grpc))("$title", async (row) => {
    const { dialect, value, expected } = row;
    const fields: Fields = [["grpc-timeout", value]];
    const answer = await send(server(), dialect, { fields, body: empty(dialect) });
    expectRefusal(dialect, answer, expected);
  });
});

describe("CVE-2026-21710: fields with names of the prototype", () => {
  few().each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s", async (name) => {
    for (const dialect of ["json", "rest", "grpc", "grpc-web"] as const) {
      const fields: Fields = [[name.toLowerCase(), "x"]];
      const answer = await send(server(), dialect, { fields, body: empty(dialect) });
      expectRefusal(dialect, answer, reached);
    }
  });
});

/** `te: trailers` and Node's own fields count too, so the padding is what is missing. */
describe("the header section", () => {
  const bytesMax = 16 * 1024;
  const tooLarge = { status: 431, code: 8, reason: "HEADERS_TOO_LARGE", message: /larger than/ };

  /** Node counts the target, names and values, and stops one byte before its limit. */
  const http1Padding = (bytes: number): Fields => {
    const token = `Bearer ${server().admin.token}`;
    const sent = `${rpcPath}hostlocalhostcontent-typeapplication/jsonauthorization${token}`;
    return [["x-padding", "x".repeat(bytes - sent.length - "content-length2x-padding".length)]];
  };
  /** HTTP/2 counts names, values and 32 bytes for each (RFC 9113, 6.5.2). */
  const http2Padding = (bytes: number): Fields => {
    const fields = [
      [":method", "POST"],
      [":path", rpcPath],
      [":scheme", "http"],
      [":authority", `127.0.0.1:${server().port}`],
      ["content-type", "application/grpc"],
      ["authorization", `Bearer ${server().admin.token}`],
      ["te", "trailers"],
      ["x-padding", ""],
    ];
    const sent = fields.reduce((sum, [name, value]) => sum + `${name}${value}`.length + 32, 0);
    return [["x-padding", "x".repeat(bytes - sent)]];
  };

  test.each(["json", "grpc"] as const)("may have many short fields over %s", async (dialect) => {
    const fields = Array.from({ length: 400 }, (_, at) => [`x-${at}`, ""] as const);
    const answer = await send(server(), dialect, { fields, body: empty(dialect) });
    expectRefusal(dialect, answer, reached);
  });

  test("at the limit of HTTP/1.1", async () => {
    const fields = http1Padding(bytesMax - 1);
    expectRefusal("json", await send(server(), "json", { fields, body: "{}" }), reached);
  });

  test("past the limit of HTTP/1.1", async () => {
    const fields = http1Padding(bytesMax);
    const answer = await send(server(), "json", { fields, body: "{}" });
    expect(answer).toMatchObject({ status: 431, headers: { connection: "close" } });
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      code: 8,
      details: [{ reason: "HEADERS_TOO_LARGE" }],
    });
  });

  test("at the limit of HTTP/2", async () => {
    const answer = await send(server(), "grpc", {
      fields: http2Padding(bytesMax),
      body: empty("grpc"),
    });
    expectRefusal("grpc", answer, reached);
  });

  test("past the limit of HTTP/2", async () => {
    const answer = await send(server(), "grpc", {
      fields: http2Padding(bytesMax + 1),
      body: empty("grpc"),
    });
    expectRefusal("grpc", answer, tooLarge);
  });
});
