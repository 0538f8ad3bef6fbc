import { EventEmitter } from "node:events";
import { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, test } from "@jest/globals";
import { createBudget } from "../../../src/gateway/call/budget.ts";
import { receive, takeArrived } from "../../../src/gateway/call/receive.ts";
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

/** A request of HTTP/1.1 with a text, before its end is there. */
function requestWith(text: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  if (text !== "") request.push(text);
  return request;
}

describe("a body of which all bytes are there", () => {
  /** A body with a text, before its end is there, and what it comes to. */
  function taken(text: string, announced: string | undefined, bytesMax = 100) {
    const body = requestWith(text);
    const heard = () => ["data", "end"].map((name) => body.listenerCount(name));
    const before = heard();
    const received = takeArrived(body, announced, room, createBudget().lease(bytesMax));
    expect(heard()).toEqual(before);
    return { body, received, text: received?.bytes.toString() };
  }

  it("is taken at once, and nobody listens to it", () => {
    expect(taken("0123456789", "10")).toMatchObject({
      ...{ received: { isWhole: true }, text: "0123456789" },
    });
    expect(taken("", "0")).toMatchObject({ received: { isWhole: true }, text: "" });
  });

  it.each([
    ["not announced", "0123", undefined],
    ["there in part", "0123", "5"],
    ["larger than announced", "0123", "3"],
    ["larger than it may be", "0123456789a", "11"],
  ])("is not one that is %s", (_, text, announced) => {
    const { body, received } = taken(text, announced);
    expect(received).toBeUndefined();
    expect(body.readableLength).toBe(text.length);
  });

  it("is not one whose sender has left", () => {
    const body = requestWith("0123");
    body.destroy();
    expect(takeArrived(body, "4", room, createBudget().lease(100))).toBeUndefined();
  });

  it.each([
    ["of HTTP/2", () => new PassThrough().end("0123")],
    ["that somebody reads", () => requestWith("0123").resume()],
  ])("is not one %s", (_, made) => {
    expect(takeArrived(made(), "4", room, createBudget().lease(100))).toBeUndefined();
  });

  it("waits where there is no room for it", () => {
    const { body, received } = taken("0123", "4", 3);
    expect(received).toEqual({ bytes: Buffer.alloc(0), isWhole: false });
    expect(body.readableLength).toBe(4);
    expect(taken("0123", "4", 4).text).toBe("0123");
  });

  it("ends without anybody reading on", async () => {
    const { body } = taken("0123", "4");
    body.push(null);
    await turn();
    expect(body.readableEnded).toBe(true);
  });
});
