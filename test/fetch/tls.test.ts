import { createServer } from "node:https";
import { createServer as createPlainServer } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createCertificate } from "./certificate.ts";
import { createFetcher } from "./for-one.ts";
import { allowing, failureOf, ok, start, stop } from "./listener.ts";

const certificate = createCertificate(["sp.example.com"]);
const other = createCertificate(["sp.example.com"]);
const server = createServer(certificate, (request, response) => {
  requests.push(request.headers.host ?? "");
  response.end("<a/>");
});
const requests: string[] = [];
let port = 0;

beforeAll(async () => {
  port = await start(server);
});

afterAll(() => stop(server));

beforeEach(() => {
  requests.length = 0;
});

function fetcher(ca?: string) {
  return createFetcher({
    allow: allowing("127.0.0.0/8"),
    resolve: async () => ["127.0.0.1"],
    ...(ca === undefined ? {} : { ca }),
  });
}

test("a server whose certificate is trusted and has the name answers", async () => {
  const body = await fetcher(certificate.cert)(`https://sp.example.com:${port}/`);
  expect(Buffer.from(body).toString()).toBe("<a/>");
  expect(requests).toEqual([`sp.example.com:${port}`]);
});

test.each([
  ["another name", certificate.cert, "other.example.com", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["an address instead of the name", certificate.cert, "127.0.0.1", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["another authority", other.cert, "sp.example.com", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["the well-known authorities", undefined, "sp.example.com", "DEPTH_ZERO_SELF_SIGNED_CERT"],
])("%s: no request is sent", async (_, ca, host, code) => {
  const failure = await failureOf(fetcher(ca)(`https://${host}:${port}/`));
  expect(failure.reason).toBe("NOT_REACHED");
  expect(failure.message).toBe(
    `The URL leads to a server where no trusted TLS connection could be made (${code}).`,
  );
  expect(requests).toEqual([]);
});

test.each([
  ["plain HTTP", ok("<a/>")],
  ["nothing", ""],
])("a server that answers the greeting with %s", async (_, answer) => {
  const plain = createPlainServer((socket) =>
    socket
      .resume()
      .on("error", () => {})
      .end(answer),
  );
  const plainPort = await start(plain);
  const failure = await failureOf(fetcher()(`https://127.0.0.1:${plainPort}/`));
  expect(failure.reason).toBe("NOT_REACHED");
  expect(failure.message).toContain("no trusted TLS connection");
  await stop(plain);
});
