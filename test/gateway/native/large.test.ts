// Large answers leave in pieces, each of which may wait for its caller.

import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { connect, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { http1Exchange, http2Exchange } from "../../../src/gateway/native/exchange.ts";

const answer = { status: 200, headers: {}, body: Buffer.alloc(2_000_000, "x") };
const warnings: string[] = [];
const warn = ({ message }: Error) => void warnings.push(message);

beforeEach(() => {
  warnings.length = 0;
  process.on("warning", warn);
});
afterEach(() => {
  process.off("warning", warn);
});

async function listening<Listener extends Server>(server: Listener): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.byteLength;
  return bytes;
}

test("2 MB over HTTP/1.1 leave no listener for each piece", async () => {
  const server = createServer((request, response) => {
    http1Exchange(request, response).answer(answer);
  });
  const port = await listening(server);
  const [response] = (await once(get({ port }), "response")) as [IncomingMessage];
  expect(await bytesOf(response)).toBe(answer.body.byteLength);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(warnings).toEqual([]);
});

test("2 MB over HTTP/2 leave no listener for each piece", async () => {
  const server = createHttp2Server();
  server.on("stream", (stream, headers) => http2Exchange(stream, headers).answer(answer));
  const session = connect(`http://127.0.0.1:${await listening(server)}`);
  expect(await bytesOf(session.request({ ":path": "/" }))).toBe(answer.body.byteLength);
  session.close();
  await new Promise((resolve) => server.close(resolve));
  expect(warnings).toEqual([]);
});
