import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startServer, type TestServer } from "../../harness/server.ts";
import { openRaw } from "../raw.ts";

/** The connection ends with the answer to such a request, whatever else is wrong with that. */

const origin = "https://admin.example.com";
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ corsOrigins: [origin] });
});
afterAll(() => server.close());

/** What Node reads as one request, and another server may read as more. */
const unframed = {
  "codings in two lines": {
    version: "1.1",
    fields: ["host: a", "transfer-encoding: gzip", "transfer-encoding: chunked"],
    body: "0\r\n\r\n",
  },
  "chunks in HTTP/1.0": {
    version: "1.0",
    fields: ["connection: keep-alive", "transfer-encoding: chunked"],
    body: "0\r\n\r\n",
  },
  "no host": { version: "1.1", fields: [], body: "" },
};

/** What else is wrong with it: what looks for that may answer it first. */
const others: readonly (readonly [string, string, readonly string[], number])[] = [
  ["nothing", "POST /nothing", [], 400],
  ["a path that cannot be decoded", "POST /%zz", [], 400],
  ["a path that is none", "POST *x", [], 400],
  ["a field that was sent twice", "POST /x", ["content-type: a/b", "content-type: a/b"], 400],
  [
    "a question of CORS",
    "OPTIONS /nothing",
    [`origin: ${origin}`, "access-control-request-method: POST"],
    204,
  ],
];

const rows = Object.entries(unframed).flatMap(([name, request]) =>
  others.map(([other, ...rest]) => [name, other, request, ...rest] as const),
);

describe("a request that two servers could read differently ends its connection", () => {
  test.each(rows)("%s, and besides %s", async (_name, _other, request, line, fields, status) => {
    const connection = await openRaw(server.port);
    const head = [`${line} HTTP/${request.version}`, ...request.fields, ...fields].join("\r\n");
    const smuggled = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
    connection.write(`${head}\r\n\r\n${request.body}${smuggled}`);
    const answer = await connection.answer();
    expect(answer).toMatchObject({ status, headers: { connection: "close" } });
    expect(await connection.ended()).toHaveLength(0);
    await connection.close();
  });
});
