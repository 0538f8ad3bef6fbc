// JSON that is refused costs no more than what it is: no value is read once for each message that
// it stands in, and no number takes longer than its bytes.

import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { requestLimits } from "../../../src/gateway/call/elements.ts";
import { messagesIn, shallow } from "../../../src/gateway/call/json-message.ts";
import { toParsable } from "../../../src/gateway/connect/json-fault.ts";
import { allKinds } from "../call/all-kinds.ts";
import { bodyFor, hostileServer, isFramed, jsonDialects, perDialect, send } from "../hostile.ts";
import { expectRefusal } from "../refusal.ts";

const server = hostileServer();
const { listUsers } = ManagementService.method;
const { depth: depthMax, numberCharacters: charactersMax } = requestLimits;

/** Objects, lists and values in a value. */
function sizeOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, one) => sum + sizeOf(one), 0);
}

describe("CVE-2020-10735: JSON is read in a time that goes with its bytes", () => {
  test("messages within each other are each looked at once", () => {
    const leaves: JsonValue = { orQuery: { queries: Array(1_000).fill({ stateQuery: {} }) } };
    const depth = depthMax / 2 - 5;
    const deep = Array(depth)
      .fill(0)
      .reduce<JsonValue>((query) => ({ notQuery: { query } }), leaves);
    const request = { queries: [deep] };
    const places = messagesIn(listUsers.input, request);
    expect(places.length).toBeGreaterThan(2_000);
    const looked = places.reduce((sum, place) => sum + sizeOf(shallow(place)), 0);
    // Its own, and the empty one in the message that it stands in.
    expect(looked).toBeLessThan(2 * sizeOf(request));
  });

  test("what stands in a message is looked at as it is, but for messages", () => {
    const value = { self: { int32: 1 }, selves: [{ int32: 2 }, 3], list: ["a"], map: { a: "b" } };
    const [place] = messagesIn(allKinds, { ...value, time: "now", none: 5, toString: {} }).slice(
      -1,
    );
    expect(shallow(place!)).toEqual({
      ...{ self: {}, selves: [{}, 3], list: ["a"], map: { a: "b" } },
      ...{ time: "now", none: 5, toString: {} },
    });
  });

  describe("a number of 64 bits", () => {
    const zeros = (characters: number) => JSON.stringify("1".padStart(characters, "0"));
    const fields = ["int64", "uint64", "sint64", "fixed64", "sfixed64"];

    test.each(fields)("has so many characters, and not one more: %s", (field) => {
      const message = (characters: number) =>
        Buffer.from(`{"selves":[{},{"self":{"${field}":${zeros(characters)}}}]}`);
      const most = message(charactersMax);
      expect(toParsable(allKinds, most)).toBe(most);
      expect(() => toParsable(allKinds, message(charactersMax + 1))).toThrow(
        `selves[1].self.${field}: must be a whole number from `,
      );
    });

    test("does not bound texts, nor numbers of other kinds", () => {
      const texts = [`{"string":${zeros(2 * charactersMax)}}`, `{"list":[${zeros(5_000)}]}`];
      for (const text of texts.map((one) => Buffer.from(one))) {
        expect(toParsable(allKinds, text)).toBe(text);
      }
    });

    const rows = [
      { name: "so many characters", characters: charactersMax, isRefused: false },
      { name: "one more", characters: charactersMax + 1, isRefused: true },
      { name: "all that fit a body", characters: 1024 * 1024 - 100, isRefused: true },
    ];
    test.each(perDialect(rows, () => jsonDialects))("$title", async (row) => {
      const { dialect, characters, isRefused } = row;
      const path =
        dialect === "rest"
          ? "/management/v1/users/_search"
          : "/iam.management.v1.ManagementService/ListUsers";
      const body = bodyFor(dialect, `{"query":{"offset":${zeros(characters)}}}`);
      const answer = await send(server(), dialect, { path, body });
      if (isRefused) {
        const refused = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };
        expectRefusal(dialect, answer, { ...refused, fields: ["query.offset"] });
      } else {
        expect(answer.status).toBe(200);
        // In frames the first one is a message, and no end.
        if (isFramed(dialect)) expect(answer.body[0]).toBe(0);
      }
    });
  });
});
