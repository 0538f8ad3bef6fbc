import { type DescMessage, fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { AccountService } from "../../../gen/iam/account/v1/account_service_pb.js";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import {
  type Encoding,
  hasTooManyElements,
  requestLimits,
} from "../../../src/gateway/call/elements.ts";
import { isFull } from "../../harness/extent.ts";
import { fc } from "../../harness/laws.ts";
import { allKinds } from "./all-kinds.ts";

const { elements: max } = requestLimits;
const { listUsers, addOIDCApp, importHumanUser } = ManagementService.method;
const { finishPasskey } = AccountService.method;

const repeated = (count: number, ...bytes: readonly number[]) =>
  Buffer.concat(Array.from({ length: count }, () => Buffer.from(bytes)));
/** A field with a length. */
const delimited = (number: number, content: Uint8Array) =>
  Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
const varint = (value: number): Buffer =>
  value < 128
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([(value & 127) | 128]), varint(value >>> 7)]);
const numberOf = ({ fields }: DescMessage, name: string) =>
  fields.find((field) => field.name === name)!.number;
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const list = (count: number, entry: unknown) => Array.from({ length: count }, () => entry);
/** White space, so that no message is too short to be read. */
const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(2 * max, " ")]);

/** Messages with a number of elements, and how many of them are not those of the list. */
const rows: readonly {
  readonly name: string;
  readonly encoding: Encoding;
  readonly input: DescMessage;
  readonly besides: number;
  of(count: number): Buffer;
}[] = [
  {
    name: "unknown fields",
    ...{ encoding: "binary", input: listUsers.input, besides: 0 },
    of: (count) => repeated(count, 0xf8, 0x7f, 0),
  },
  {
    name: "empty messages",
    ...{ encoding: "binary", input: listUsers.input, besides: 0 },
    of: (count) => repeated(count, (numberOf(listUsers.input, "queries") << 3) | 2, 0),
  },
  {
    name: "empty messages in a message",
    ...{ encoding: "binary", input: listUsers.input, besides: 2 },
    of: (count) => {
      const queries = listUsers.input.fields.find(({ name }) => name === "queries")!;
      const or = queries.message!.fields.find(({ name }) => name === "or_query")!;
      const inner = (numberOf(or.message!, "queries") << 3) | 2;
      return delimited(queries.number, delimited(or.number, repeated(count, inner, 0)));
    },
  },
  {
    name: "packed numbers",
    ...{ encoding: "binary", input: addOIDCApp.input, besides: 1 },
    of: (count) => delimited(numberOf(addOIDCApp.input, "response_types"), repeated(count, 0)),
  },
  {
    name: "numbers of two bytes, packed",
    ...{ encoding: "binary", input: addOIDCApp.input, besides: 1 },
    of: (count) => delimited(numberOf(addOIDCApp.input, "response_types"), repeated(count, 128, 1)),
  },
  {
    name: "numbers, not packed",
    ...{ encoding: "binary", input: addOIDCApp.input, besides: 0 },
    of: (count) => repeated(count, numberOf(addOIDCApp.input, "response_types") << 3, 0),
  },
  {
    name: "one field again and again",
    ...{ encoding: "binary", input: importHumanUser.input, besides: 0 },
    of: (count) => repeated(count, (numberOf(importHumanUser.input, "profile") << 3) | 2, 0),
  },
  {
    name: "members of an object of any form",
    ...{ encoding: "binary", input: finishPasskey.input, besides: 1 },
    // A member is an entry of a map, with its key and its value, which has a field.
    of: (count) => {
      const members = Array.from({ length: Math.floor(count / 4) }, (_, at) => [`${at}`, true]);
      const struct = fromJson(StructSchema, Object.fromEntries(members));
      const rest = repeated(count % 4, 0xf8, 0x7f, 0);
      const number = numberOf(finishPasskey.input, "credential");
      return Buffer.concat([delimited(number, toBinary(StructSchema, struct)), rest]);
    },
  },
  {
    name: "entries of a list",
    ...{ encoding: "json", input: addOIDCApp.input, besides: 1 },
    of: (count) => padded(json({ redirectUris: list(count, 0) })),
  },
  {
    name: "members",
    ...{ encoding: "json", input: addOIDCApp.input, besides: 0 },
    of: (count) => padded(json(Object.fromEntries(list(count, 0).map((_, at) => [`a${at}`, at])))),
  },
  {
    name: "empty objects",
    ...{ encoding: "json", input: listUsers.input, besides: 1 },
    of: (count) => padded(Buffer.from(`{"queries":[${list(count, "{ }").join(" , ")}]}`)),
  },
  {
    name: "lists in lists",
    ...{ encoding: "json", input: listUsers.input, besides: 0 },
    of: (count) => padded(Buffer.from("[".repeat(count + 1) + "]".repeat(count + 1))),
  },
  {
    name: "texts with marks in them",
    ...{ encoding: "json", input: addOIDCApp.input, besides: 1 },
    of: (count) => padded(json({ redirectUris: list(count, '\\",{["\\\\') })),
  },
];

describe.each(rows)("$name, $encoding", ({ encoding, input, besides, of }) => {
  test.each([
    { count: max, isMore: false },
    { count: max + 1, isMore: true },
  ])("$count elements: $isMore", ({ count, isMore }) => {
    const bytes = of(count - besides);
    expect(bytes.length).toBeGreaterThan(max);
    expect(hasTooManyElements(encoding, input, bytes)).toBe(isMore);
  });
});

test.each([
  ["texts, however long", delimited(99, Buffer.alloc(2 * max, 0x0a)), "binary"],
  ["a text of commas", json({ name: ",".repeat(2 * max) }), "json"],
  ["an open text", Buffer.from(`"${",".repeat(2 * max)}`), "json"],
  ["bytes that are no message", Buffer.alloc(2 * max, 0xff), "binary"],
] as const)("%s are few", (_, bytes, encoding) => {
  expect(hasTooManyElements(encoding, listUsers.input, bytes)).toBe(false);
});

/** The least that a parser has made, to have made this: of unknown fields and of entries. */
function madeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Object.entries(value).flatMap(([name, one]) => {
    if (name === "$unknown") return [(one as readonly unknown[]).length];
    const entries = Array.isArray(one) ? one : [one];
    return [Array.isArray(one) ? one.length : 0, ...entries.map(madeOf)];
  });
  return parts.reduce((sum, part) => sum + part, 0);
}

test("nothing is hidden from it that the parser makes", () => {
  const numbers = [...allKinds.fields.map(({ number }) => number), 99];
  const tag = fc
    .tuple(fc.constantFrom(...numbers), fc.constantFrom(0, 1, 2, 3, 4, 5))
    .map(([number, type]) => [...varint(number * 8 + type)]);
  const length = fc.constantFrom(
    [0],
    [1],
    [2],
    [9],
    [0x80, 0x20],
    [0xff, 0xff, 0x03],
    [0x80, 0x80, 0x40],
  );
  const part = fc.oneof(
    tag,
    length,
    fc.tuple(tag, length).map((two) => two.flat()),
  );
  const head = fc.array(part, { maxLength: 8 }).map((parts) => parts.flat());
  // What alone would be too many: messages in a list, numbers in a list, unknown fields.
  const unit = fc.constantFrom(
    delimited(numberOf(allKinds, "selves"), Buffer.alloc(0)),
    delimited(numberOf(allKinds, "enums"), Buffer.from([0])),
    Buffer.from([0xf8, 0x7f, 0]),
  );
  let made = 0;
  fc.assert(
    fc.property(head, unit, (before, each) => {
      const bytes = Buffer.concat([Buffer.from(before), repeated(max + 50, ...each)]);
      let parsed: unknown;
      try {
        parsed = fromBinary(allKinds, bytes);
      } catch {
        return;
      }
      if (madeOf(parsed) <= max) return;
      made += 1;
      expect(hasTooManyElements("binary", allKinds, bytes)).toBe(true);
    }),
    { numRuns: isFull ? 5_000 : 60, seed: 1 },
  );
  expect(made).toBeGreaterThan(10);
});
