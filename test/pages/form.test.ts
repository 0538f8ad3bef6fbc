import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readForm } from "../../src/pages/form.ts";

let waited = 0;
const patience = {
  ...{ requestTimeoutMs: 60_000, formTimeoutMs: 60_000 },
  wait: () => {
    waited += 1;
    return () => {};
  },
};
const server = createServer((request, response) => {
  void readForm({ raw: request, headers: request.headers }, patience).then((fields) => {
    response.setHeader("connection", "close");
    response.end(fields.query);
  });
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Posts a form of 9 bytes in pieces, each of which is there before the next. */
async function post(...pieces: readonly string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const type = "content-type: application/x-www-form-urlencoded";
  const head = `POST / HTTP/1.1\r\nhost: a\r\n${type}\r\ncontent-length: 9\r\n\r\n`;
  const [first = "", ...others] = pieces;
  const waiting = waited;
  socket.write(head + first);
  for (const piece of others) {
    while (waited === waiting) await new Promise(setImmediate);
    socket.write(piece);
  }
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer.slice(answer.indexOf("\r\n\r\n") + 4);
}

test("a form waits for its sender where it did not come in one piece with its head", async () => {
  expect(await post("one=1&a=b")).toBe("one=1&a=b");
  expect(waited).toBe(0);
  expect(await post("one=1", "&a=b")).toBe("one=1&a=b");
  expect(await post("", "one=1&a=b")).toBe("one=1&a=b");
  expect(waited).toBe(2);
});
