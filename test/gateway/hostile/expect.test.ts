import { describe, expect, test } from "@jest/globals";
import {
  dialectNames,
  dialects,
  type Fields,
  hostileServer,
  http1Request,
  perDialect,
  send,
} from "../hostile.ts";
import { openRaw } from "../raw.ts";
import { empty, expectRefusal, type Refusal, reached } from "../refusal.ts";

/** What Node would answer on its own, with a status and nothing else. */

const server = hostileServer();

describe("expect", () => {
  const failed: Refusal = {
    status: 417,
    code: 3,
    reason: "EXPECTATION_FAILED",
    message: /^The server supports only the expectation 100-continue\.$/,
  };
  const others = ["x", "100", "200-continue", "100-continues", "100_continue"];
  const rows = others.map((value) => ({ name: value, value }));
  test.each(perDialect(rows, () => dialectNames))("of $title is refused", async (row) => {
    const { dialect, value } = row;
    const fields: Fields = [["expect", value]];
    expectRefusal(dialect, await send(server(), dialect, { fields, body: empty(dialect) }), failed);
  });

  test.each(["100-continue", "100-Continue", "100-continue, x", ""])(
    "of %j is met",
    async (value) => {
      const fields: Fields = [["expect", value]];
      expectRefusal("json", await send(server(), "json", { fields, body: "{}" }), reached);
    },
  );

  test("of anything is refused on an unknown path too", async () => {
    const hostile = { path: "/nothing", fields: [["expect", "x"]] as Fields };
    expectRefusal("json", await send(server(), "json", hostile), failed);
  });

  test("is nothing over HTTP/1.0", async () => {
    const connection = await openRaw(server().port);
    connection.write("GET /healthz HTTP/1.0\r\nexpect: x\r\n\r\n");
    expect(await connection.answer("GET")).toMatchObject({ status: 200 });
    await connection.close();
  });
});

describe("a host", () => {
  const missing = {
    status: 400,
    code: 3,
    reason: "MALFORMED_REQUEST",
    message: /^The header host is missing: HTTP\/1\.1 requires it\.$/,
  };
  const http1 = dialectNames.filter((name) => dialects[name].http === 1);

  test.each(http1)(
    "that is missing is refused over %s, and the connection ends",
    async (dialect) => {
      const hostile = { without: ["host"], body: empty(dialect) };
      const connection = await openRaw(server().port);
      connection.write(http1Request(server(), dialect, hostile));
      const answer = await connection.answer();
      expectRefusal(dialect, answer, missing);
      expect(answer.headers.connection).toBe("close");
      expect(await connection.ended()).toHaveLength(0);
      await connection.close();
    },
  );

  test.each([
    ["HTTP/1.0 does without", "GET /healthz HTTP/1.0\r\n\r\n"],
    ["may be empty", "GET /healthz HTTP/1.1\r\nhost:\r\n\r\n"],
  ])("%s", async (_name, request) => {
    const connection = await openRaw(server().port);
    connection.write(request);
    expect(await connection.answer("GET")).toMatchObject({ status: 200 });
    await connection.close();
  });
});
