import { describe, expect, test } from "@jest/globals";
import { few } from "../../harness/in-full.ts";
import { dialectNames, type Fields, hostileServer, perDialect, send } from "../hostile.ts";
import { empty, expectRefusal, fieldsOf, type Refusal, reached } from "../refusal.ts";

const server = hostileServer();

describe("authorization", () => {
  const refused: Refusal = {
    status: 401,
    code: 16,
    reason: "UNAUTHENTICATED",
    message:
      /^The call has no valid token\. Send `authorization: Bearer <token>` with .*\. An access .*$/,
  };
  type Make = (token: string) => string;
  const rows: readonly { readonly name: string; readonly make: Make }[] = [
    { name: "empty", make: () => "" },
    { name: "a scheme alone", make: () => "Bearer" },
    { name: "a token alone", make: (token) => token },
    { name: "another scheme", make: (token) => `Basic ${token}` },
    { name: "a scheme run into the token", make: (token) => `Bearer${token}` },
    { name: "a tab after the scheme", make: (token) => `Bearer\t${token}` },
    { name: "the token twice", make: (token) => `Bearer ${token} ${token}` },
    { name: "a second one after a comma", make: (token) => `Bearer ${token}, Bearer x` },
    { name: "a token cut short", make: (token) => `Bearer ${token.slice(0, -1)}` },
    { name: "a token gone on", make: (token) => `Bearer ${token}0` },
    { name: "a token in other case", make: (token) => `Bearer ${token.toUpperCase()}` },
    { name: "an unknown token", make: () => `Bearer iam_pat_${"0".repeat(49)}` },
    { name: "10,000 characters", make: () => `Bearer ${"x".repeat(10_000)}` },
    { name: "bytes that are no text", make: () => "Bearer \u00ff\u00fe" },
  ];
  test.each(perDialect(rows, () => dialectNames))("$title", async ({ dialect, make }) => {
    const fields: Fields = [["authorization", make(server().admin.token)]];
    const answer = await send(server(), dialect, { fields, body: empty(dialect) });
    expectRefusal(dialect, answer, refused);
    expect(fieldsOf(dialect, answer)["www-authenticate"]).toBe("Bearer");
  });

  few(3).each(dialectNames)("missing over %s", async (dialect) => {
    const hostile = { without: ["authorization"], body: empty(dialect) };
    expectRefusal(dialect, await send(server(), dialect, hostile), refused);
  });

  test.each(["bearer", "BEARER", "bEaReR"])("the scheme may be written %s", async (scheme) => {
    const fields: Fields = [["authorization", `${scheme}  ${server().admin.token} `]];
    expectRefusal("json", await send(server(), "json", { fields, body: "{}" }), reached);
  });
});

describe("x-service-orgid", () => {
  const denied = { status: 403, code: 7, reason: "PERMISSION_DENIED" };
  const repeated = { status: 400, code: 3, reason: "ORGANIZATION_HEADER_REPEATED" };
  const rows: readonly { readonly name: string; readonly fields: Fields; expected: Refusal }[] = [
    { name: "of nothing", fields: [["x-service-orgid", "nothing"]], expected: denied },
    { name: "that is encoded", fields: [["x-service-orgid", "%00"]], expected: denied },
    { name: "of the prototype", fields: [["x-service-orgid", "__proto__"]], expected: denied },
    { name: "with a comma", fields: [["x-service-orgid", "a,b"]], expected: repeated },
    { name: "that is empty", fields: [["x-service-orgid", ""]], expected: reached },
  ];
  test.each(perDialect(rows, () => dialectNames))("$title", async (row) => {
    const { dialect, fields, expected } = row;
    const answer = await send(server(), dialect, { fields, body: empty(dialect) });
    expectRefusal(dialect, answer, expected);
  });

  test("given twice", async () => {
    const fields: Fields = [
      ["x-service-orgid", "a"],
      ["x-service-orgid", "b"],
    ];
    expectRefusal("json", await send(server(), "json", { fields, body: "{}" }), repeated);
  });
});
