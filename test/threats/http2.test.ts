// CVE-2023-44487, CVE-2026-21714: what a peer makes the server do that takes streams away faster
// than they are counted, and connections that stay when they should be over. All with the limits
// that the service has by default.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { defaultLimits } from "../../src/gateway/call/limits.ts";
import {
  clientPreface,
  codeIn,
  continuationFrame,
  dataFrame,
  errorCode,
  type Frame,
  type FrameConnection,
  frameType,
  headersFrame,
  openFrames,
  pingFrame,
  resetFrame,
  settingsFrame,
  windowFrame,
} from "../gateway/frames.ts";
import { isFull } from "../harness/extent.ts";
import { few, inFull } from "../harness/in-full.ts";
import { startServer, type TestServer } from "../harness/server.ts";

setFlagsFromString("--expose-gc");

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const path = "/grpc.health.v1.Health/Check";
const call = (stream: number) =>
  headersFrame(stream, path, { end: false, "content-type": "application/grpc" });
const fullWindow = 2 ** 31 - 1;

/** Frames of streams 1, 3, 5, ...: what each of them has. */
const streams = (count: number, each: (stream: number) => readonly Buffer[]) =>
  Array.from({ length: count }, (_, index) => each(1 + 2 * index)).flat();

/** What came until the server has ended the connection. Fails where it goes on instead. */
async function endOf(frames: FrameConnection, written: readonly Buffer[]) {
  frames.write(...written, pingFrame());
  const goesOn = frames.until(({ type }) => type === frameType.ping);
  await expect(goesOn).rejects.toThrow("the connection ended");
  return await frames.ended;
}

function expectEndedAsWrong(received: readonly Frame[]): void {
  const codes = received.filter(({ type }) => type === frameType.goAway).map(codeIn);
  expect(codes).not.toContain(errorCode.noError);
}

async function expectServing(): Promise<void> {
  const answer = await fetch(`${server.url}/management/v1/projects`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ name: `after ${performance.now()}` }),
  });
  expect(answer.status).toBe(200);
}

const { streamResetBurst, streamsPerConnectionMax } = defaultLimits;

describe("CVE-2023-44487: rapid reset", () => {
  const reset = (stream: number) => [call(stream), resetFrame(stream, errorCode.cancel)];

  test("ends the connection at its burst, and nothing comes to the service after it", async () => {
    const frames = await openFrames(server.port);
    const received = await endOf(frames, streams(50 * streamResetBurst, reset));
    expectEndedAsWrong(received);
    await expectServing();
  });

  test("below the burst is no attack", async () => {
    const frames = await openFrames(server.port);
    frames.write(...streams(streamResetBurst / 2, reset), pingFrame());
    await frames.until(({ type }) => type === frameType.ping);
    frames.destroy();
    await frames.ended;
  });
});

describe("CVE-2023-44487: resets that the server is made to send", () => {
  few(2).each<[string, (stream: number) => readonly Buffer[]]>([
    ["a window that overflows", (stream) => [call(stream), windowFrame(stream, fullWindow)]],
    ["a window that does not grow", (stream) => [call(stream), windowFrame(stream, 0)]],
    [
      "data behind the end",
      (stream) => [
        headersFrame(stream, path, { end: true, "content-type": "application/grpc" }),
        dataFrame(stream, Buffer.alloc(5), { end: true }),
      ],
    ],
    [
      "a body that is longer than it says",
      (stream) => [
        headersFrame(stream, path, { end: false, "content-length": "1" }),
        dataFrame(stream, Buffer.alloc(9), { end: true }),
      ],
    ],
    ["a header that is none", (stream) => [headersFrame(stream, path, { end: true, "A B": "c" })]],
  ])("by %s end the connection", async (_, provoke) => {
    const frames = await openFrames(server.port);
    const received = await endOf(frames, streams(5_000, provoke));
    expectEndedAsWrong(received);
    await expectServing();
  });

  test("by more streams than there may be end the connection", async () => {
    const frames = await openFrames(server.port);
    await frames.until(({ type }) => type === frameType.settings);
    const received = await endOf(
      frames,
      streams(10 * streamsPerConnectionMax, (stream) => [call(stream)]),
    );
    expectEndedAsWrong(received);
    await expectServing();
  });

  inFull("by more streams, and no word that so many may not be, end the connection", async () => {
    const frames = await openFrames(server.port, clientPreface, { isSilent: true });
    await frames.until(({ type }) => type === frameType.settings);
    const received = await endOf(
      frames,
      streams(10 * streamsPerConnectionMax, (stream) => [call(stream)]),
    );
    expectEndedAsWrong(received);
    await expectServing();
  });
});

describe("CVE-2023-44487: header blocks without an end", () => {
  test.each([0, 1, 16_000])("in pieces of %i bytes end the connection", async (bytes) => {
    const frames = await openFrames(server.port);
    const piece = continuationFrame(1, Buffer.alloc(bytes));
    const begun = headersFrame(1, path, { end: false, endsBlock: false });
    const received = await endOf(frames, [begun, ...Array<Buffer>(300).fill(piece)]);
    expectEndedAsWrong(received);
    await expectServing();
  });
});

describe("CVE-2023-44487: answers that nobody takes", () => {
  test.each([
    ["pings", pingFrame()],
    ["settings", settingsFrame()],
  ])("to %s are not kept: the connection ends", async (_, frame) => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(clientPreface);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const many = Buffer.alloc(frame.length * 10_000, frame);
    // Nothing is read until the server takes no more.
    let isOpen = true;
    socket.once("close", () => {
      isOpen = false;
    });
    for (let sent = 0; isOpen && sent < 200; sent += 1) {
      if (!socket.write(many)) {
        await Promise.race([once(socket, "drain").catch(() => {}), closed]);
      }
    }
    socket.resume();
    await closed;
    await expectServing();
  });
});

describe("CVE-2026-21714: a session that should be over", () => {
  const collect: () => void = runInNewContext("gc");
  const sessions: WeakRef<object>[] = [];
  const see = (message: unknown) => {
    const { stream } = message as { readonly stream: ServerHttp2Stream };
    sessions.push(new WeakRef(stream.session!));
  };

  test("leaves nothing behind, no matter who ended it", async () => {
    subscribe("http2.server.stream.created", see);
    const many = Array.from({ length: isFull ? 20 : 6 }, async (_, nth) => {
      const frames = await openFrames(server.port);
      if (nth % 2 > 0) await endOf(frames, [call(1), windowFrame(0, fullWindow)]);
      frames.write(call(1), pingFrame());
      if (nth % 2 === 0) await frames.until(({ type }) => type === frameType.ping);
      frames.destroy();
      await frames.ended;
    });
    await Promise.all(many);
    unsubscribe("http2.server.stream.created", see);
    await expectServing();
    expect(sessions).toHaveLength(many.length);
    const left = () => sessions.filter((session) => session.deref() !== undefined).length;
    // Timers of what has just ended hold a session a little longer.
    for (let looks = 0; left() > 0 && looks < 20; looks += 1) {
      await pause(200);
      collect();
    }
    expect(left()).toBe(0);
  });

  test("is over when the window of its connection overflows", async () => {
    const frames = await openFrames(server.port);
    const received = await endOf(frames, [call(1), windowFrame(0, fullWindow)]);
    expectEndedAsWrong(received);
    await expectServing();
  });

  test("is over when frames come after it was told to go", async () => {
    const frames = await openFrames(server.port);
    frames.write(call(1), windowFrame(0, fullWindow));
    for (let nth = 0; nth < 100; nth += 1) frames.write(windowFrame(0, fullWindow), pingFrame());
    await frames.ended;
    await expectServing();
  });
});
