import { EventEmitter } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { createBudget } from "../../../src/gateway/call/budget.ts";
import { receive } from "../../../src/gateway/call/receive.ts";
import { http2Exchange } from "../../../src/gateway/native/exchange.ts";

// Node keeps some requests and streams that are over until all of its memory is looked through, and
// whatever listens to them for as long.

const room = { messageBytes: 10, leastBytes: 1 };

test.each([
  ["whole", "0123456789", true],
  ["too large", "0123456789a", false],
])("nobody listens to a body any more that was %s", async (_, text, isWhole) => {
  const body = new PassThrough();
  const before = ["data", "end"].map((name) => body.listenerCount(name));
  const received = receive(body, room, createBudget().lease(100));
  body.end(text);
  expect(await received).toMatchObject({ isWhole });
  expect(["data", "end"].map((name) => body.listenerCount(name))).toEqual(before);
});

test("nobody listens to a stream of HTTP/2 any more that is closed", () => {
  const stream = new EventEmitter();
  let closed = 0;
  http2Exchange(stream as ServerHttp2Stream, {}).onClose(() => {
    closed += 1;
  });
  stream.emit("close");
  expect([closed, stream.listenerCount("close")]).toEqual([1, 0]);
});
