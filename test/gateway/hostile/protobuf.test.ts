import { describe, test } from "@jest/globals";
import { few } from "../../harness/in-full.ts";
import {
  bodyFor,
  frame,
  framedDialects,
  hostileServer,
  perDialect,
  protoDialects,
  send,
} from "../hostile.ts";
import { expectRefusal, type Refusal, reached } from "../refusal.ts";

const server = hostileServer();

const malformed = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };

describe("Protobuf", () => {
  const rows: readonly {
    readonly name: string;
    readonly bytes: readonly number[];
    readonly message?: RegExp;
    readonly expected?: Refusal;
  }[] = [
    { name: "a number cut off", bytes: [0x10, 0x80], message: /premature EOF/ },
    { name: "a number of 11 bytes", bytes: [0x10, ...Array(10).fill(0xff), 1], message: /varint/ },
    { name: "a tag cut off", bytes: [0x8a], message: /premature EOF/ },
    { name: "the field number 0", bytes: [0x00, 0x00], message: /illegal tag/ },
    { name: "a text past the end", bytes: [0x0a, 100, 0x61], message: /premature EOF/ },
    { name: "a text of 4 GiB", bytes: [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f], message: /EOF/ },
    { name: "a wrong wire type", bytes: [0x08, 1], message: /premature EOF/ },
    { name: "a wire type that is none", bytes: [0x0f], message: /wire type|tag/ },
    { name: "a text that is none", bytes: [0x0a, 1, 0xff], message: /not valid.*utf-8/ },
    { name: "half a character", bytes: [0x0a, 3, 0xed, 0xa0, 0x80], message: /not valid.*utf-8/ },
    { name: "a group that does not end", bytes: [0x7b], message: /premature EOF/ },
    { name: "the end of no group", bytes: [0x7c], message: /./ },
    { name: "a group that ends as another", bytes: [0x7b, 0x84, 0x01], message: /./ },
    { name: "5,000 open groups", bytes: Array(5_000).fill(0x7b), message: /recursion depth/ },
    { name: "JSON", bytes: [...Buffer.from('{"name":"a"}')], message: /./ },
    {
      name: "U+0000 in a text",
      bytes: [0x0a, 3, 0x61, 0, 0x62],
      expected: {
        status: 400,
        code: 3,
        reason: "INVALID_FIELDS",
        fields: ["name"],
        message: /must not contain the character U\+0000/,
      },
    },
    {
      name: "an undefined enum number",
      bytes: [0x0a, 1, 0x61, 0x28, 99],
      expected: {
        status: 400,
        code: 3,
        reason: "INVALID_FIELDS",
        fields: ["private_labeling_setting"],
      },
    },
    // Newer clients may know more fields, and the last of two values counts (protobuf.dev).
    { name: "an unknown field is left alone", bytes: [0xf8, 0x7f, 1], expected: reached },
    { name: "the last of two counts", bytes: [0x0a, 1, 0x61, 0x0a, 0], expected: reached },
  ];
  test.each(perDialect(rows, () => protoDialects))("$title", async (row) => {
    const { dialect, bytes, message = /./, expected = { ...malformed, message } } = row;
    const body = bodyFor(dialect, Buffer.from(bytes));
    expectRefusal(dialect, await send(server(), dialect, { body }), expected);
  });
});

describe("a frame", () => {
  /** Fits every dialect: no bytes are an empty message, and so is an empty frame. */
  const none = Buffer.alloc(0);
  const flags = (value: number) => ({
    name: `with the flags ${value}`,
    body: frame(none, value),
    message: RegExp(`has the flags ${value}: frames of a request have the flags 0 or 1`),
  });
  const rows: readonly { readonly name: string; readonly body: Buffer; message: RegExp }[] = [
    { name: "that is missing", body: none, message: /missing input message/ },
    { name: "without its length", body: Buffer.from([0, 0, 0]), message: /incomplete envelope/ },
    { name: "shorter than it says", body: frame("{}", 0, 9), message: /incomplete envelope/ },
    {
      name: "longer than it says",
      body: Buffer.concat([frame("{}"), Buffer.from([0])]),
      message: /incomplete envelope|parse binary/,
    },
    {
      name: "and a second one",
      body: Buffer.concat([frame("{}"), frame("{}")]),
      message: /extra input message|parse binary/,
    },
    ...[2, 3, 0x40, 0x7e, 0x80, 0x81, 0xff].map(flags),
    {
      name: "and trailers, which only answers have",
      body: Buffer.concat([frame(none), frame("x: y\r\n", 0x80)]),
      message: /has the flags 128/,
    },
    {
      name: "that is compressed without saying how",
      body: frame("{}", 1),
      message: /flagged as compressed, but the header grpc-encoding names no compression/,
    },
    {
      name: "without a message that is compressed without saying how",
      body: frame(none, 1),
      message: /flagged as compressed/,
    },
  ];
  const binary = framedDialects.filter((name) => protoDialects.includes(name));
  const isText = (body: Buffer) => body.includes("{}");
  test.each(perDialect(rows, ({ body }) => (isText(body) ? framedDialects : binary)))(
    "$title",
    async ({ dialect, body, message }) => {
      const answer = await send(server(), dialect, { body });
      expectRefusal(dialect, answer, { ...malformed, message });
    },
  );

  few(2).each(framedDialects)("of 4 GiB over %s is refused before it comes", async (dialect) => {
    const body = frame("{}", 0, 0xffffffff);
    expectRefusal(dialect, await send(server(), dialect, { body }), {
      status: 413,
      code: 8,
      reason: "BODY_TOO_LARGE",
      message: /larger than 1048576 bytes/,
    });
  });
});
