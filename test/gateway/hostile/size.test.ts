import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { describeFew, few } from "../../harness/in-full.ts";
import {
  bodyFor,
  type DialectName,
  dialectNames,
  dialects,
  type Fields,
  frame,
  hostileServer,
  http1Request,
  isFramed,
  messageOf,
  perDialect,
  send,
} from "../hostile.ts";
import { openRaw } from "../raw.ts";
import { expectRefusal, fieldsOf, type Refusal, reached } from "../refusal.ts";

const bytesMax = 64 * 1024;
const server = hostileServer({ bodyBytesMax: bytesMax });

const unframed = dialectNames.filter((name) => !isFramed(name));
const malformed = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };
/** The message was read, and refused for what is in it. */
const read: Refusal = { ...reached, message: /at most 200 characters/ };
const tooLarge: Refusal = {
  status: 413,
  code: 8,
  reason: "BODY_TOO_LARGE",
  message: /^The message is larger than 65536 bytes, as sent or decompressed\.$/,
};

describe("oversize body: a message", () => {
  const sizes = [
    { name: "at the limit", bytes: bytesMax, expected: read },
    { name: "one byte past it", bytes: bytesMax + 1, expected: tooLarge },
  ];
  test.each(perDialect(sizes, () => dialectNames))("$title", async (row) => {
    const { dialect, bytes, expected } = row;
    const body = bodyFor(dialect, messageOf(dialect, bytes));
    expectRefusal(dialect, await send(server(), dialect, { body }), expected);
  });

  const http1 = dialectNames.filter((name) => dialects[name].http === 1);
  test.each(perDialect(sizes, () => http1))("$title, in chunks", async (row) => {
    const { dialect, bytes, expected } = row;
    const body = bodyFor(dialect, messageOf(dialect, bytes));
    expectRefusal(dialect, await send(server(), dialect, { body, isChunked: true }), expected);
  });

  few(2).each(unframed)(
    "that is announced too large over %s is not waited for",
    async (dialect) => {
      const fields: Fields = [["content-length", String(10 * 1024 * 1024 * 1024)]];
      expectRefusal(dialect, await send(server(), dialect, { fields, body: "{" }), tooLarge);
    },
  );
});

/** How bytes may be compressed; another way is taken for garbage. */
const compress = { gzip: gzipSync };
type Encoding = keyof typeof compress;
const encodings = ["gzip"] as const;

function encodingField(dialect: DialectName, encoding: string): Fields {
  return [[isFramed(dialect) ? "grpc-encoding" : "content-encoding", encoding]];
}

function sendCompressed(dialect: DialectName, encoding: string, compressed: Uint8Array) {
  const fields = encodingField(dialect, encoding);
  return send(server(), dialect, { fields, body: bodyFor(dialect, compressed, 1) });
}

describeFew().each(encodings)(
  "decompression bomb: a message compressed by %s",
  (encoding: Encoding) => {
    const bomb = 128 * bytesMax;
    const sizes = [
      { name: "that is at the limit", bytes: bytesMax, expected: read },
      { name: "that is one byte past it", bytes: bytesMax + 1, expected: tooLarge },
    ];
    test.each(perDialect(sizes, () => dialectNames))("$title", async (row) => {
      const { dialect, bytes, expected } = row;
      const compressed = compress[encoding](messageOf(dialect, bytes));
      expectRefusal(dialect, await sendCompressed(dialect, encoding, compressed), expected);
    });

    const packed = compress[encoding](Buffer.alloc(bomb));
    few(3).each(dialectNames)("that is a bomb over %s", async (dialect) => {
      expect(packed.length).toBeLessThan(bytesMax);
      expectRefusal(dialect, await sendCompressed(dialect, encoding, packed), tooLarge);
    });

    const whole = (dialect: DialectName) => compress[encoding](messageOf(dialect, 20_000));
    const broken: readonly { readonly name: string; make(dialect: DialectName): Buffer }[] = [
      { name: "that is cut off", make: (dialect) => whole(dialect).subarray(0, -9) },
      { name: "that is something else", make: () => Buffer.from("garbage, not compressed") },
      { name: "that is compressed otherwise", make: () => brotliCompressSync("{}") },
    ];
    test.each(perDialect(broken, () => dialectNames))("$title", async ({ dialect, make }) => {
      expectRefusal(dialect, await sendCompressed(dialect, encoding, make(dialect)), {
        ...malformed,
        message: RegExp(`cannot be decompressed: it is truncated or not ${encoding}`),
      });
    });
  },
);

describe("an encoding", () => {
  const names = ["br", "deflate", "zstd", "GZIP", "gzip, br", "x-gzip", "*"];
  const rows = names.map((encoding) => ({ name: encoding, encoding }));
  test.each(perDialect(rows, () => dialectNames))("$title is unknown", async (row) => {
    const { dialect, encoding } = row;
    const answer = await sendCompressed(dialect, encoding, Buffer.from("{}"));
    expectRefusal(dialect, answer, {
      status: 501,
      code: 12,
      reason: "UNSUPPORTED_COMPRESSION",
      message: /^unknown compression ".*": supported encodings are gzip$/,
    });
  });

  test.each(["json", "rest", "grpc"] as const)(
    "that is unknown over %s is answered with those that are known",
    async (dialect) => {
      const answer = await sendCompressed(dialect, "deflate", Buffer.from("{}"));
      const name = isFramed(dialect) ? "grpc-accept-encoding" : "accept-encoding";
      expect(fieldsOf(dialect, answer)[name]).toBe("gzip");
    },
  );

  few(2).each(dialectNames)("identity over %s is none", async (dialect) => {
    const body = bodyFor(dialect, messageOf(dialect, 20_000));
    const answer = await send(server(), dialect, {
      fields: encodingField(dialect, "identity"),
      body,
    });
    expectRefusal(dialect, answer, read);
  });

  test.each(dialectNames.filter(isFramed))(
    "identity over %s does not go with a compressed frame",
    async (dialect) => {
      const fields = encodingField(dialect, "identity");
      const answer = await send(server(), dialect, { fields, body: frame("{}", 1) });
      expectRefusal(dialect, answer, { ...malformed, message: /flagged as compressed/ });
    },
  );
});

describe("a content length that lies", () => {
  const refusedByNode = { code: 3, details: [{ reason: "MALFORMED_REQUEST" }] };

  few(2).each(unframed)("too short over %s: what is left is no request", async (dialect) => {
    const connection = await openRaw(server().port);
    const fields: Fields = [["content-length", "2"]];
    const body = bodyFor(dialect, dialects[dialect].body === "json" ? "{}" : "\x0a\x00");
    connection.write(http1Request(server(), dialect, { fields, body: `${body}{}{}` }));
    // What was read is answered first, so that nobody takes the second answer for it.
    const refused = { status: 400, code: 3, reason: "INVALID_FIELDS" };
    expectRefusal(dialect, await connection.answer(), refused);
    const answer = await connection.answer();
    expect(answer).toMatchObject({ status: 400, headers: { connection: "close" } });
    expect(JSON.parse(answer.body.toString())).toMatchObject(refusedByNode);
    await connection.close();
  });

  few(2).each(unframed)("too long over %s: the caller hangs up", async (dialect) => {
    const connection = await openRaw(server().port);
    const fields: Fields = [["content-length", "9"]];
    connection.write(http1Request(server(), dialect, { fields, body: "{}" }));
    connection.end();
    const answer = await connection.answer();
    expect(answer).toMatchObject({ status: 400, headers: { connection: "close" } });
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      ...refusedByNode,
      message: "The connection ended before the request was complete.",
    });
    expect(await connection.ended()).toHaveLength(0);
    await connection.close();
  });

  const numbers = ["-1", "1e3", "0x2", "two", "99999999999999999999", "2, 2", "2 2", "+2"];
  test.each(numbers)("%s is refused by Node", async (length) => {
    const fields: Fields = [["content-length", length]];
    const answer = await send(server(), "json", { fields, body: "{}" });
    expect(answer).toMatchObject({ status: 400, headers: { connection: "close" } });
    expect(JSON.parse(answer.body.toString())).toMatchObject(refusedByNode);
  });
});
