import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { GatewayLimits } from "../../../src/gateway/call/limits.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { callPath, firstHalf, secondHalf } from "../flight.ts";
import {
  codeIn,
  dataFrame,
  errorCode,
  type Frame,
  frameType,
  headersFrame,
  openFrames,
  pingFrame,
  resetFrame,
} from "../frames.ts";

const running: TestServer[] = [];

async function start(limits: Partial<GatewayLimits>) {
  const server = await startServer({ limits: { unwantedBodyMs: 0, ...limits } });
  running.push(server);
  return { ...server, authorization: `Bearer ${server.admin.token}` };
}

afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));

const ofType = (type: number) => (frame: Frame) => frame.type === type;
const onStream = (type: number, stream: number) => (frame: Frame) =>
  frame.type === type && frame.stream === stream;

/** Odd numbers: what a client calls its streams. */
function streams(count: number, first = 1): readonly number[] {
  return Array.from({ length: count }, (_none, index) => first + 2 * index);
}

describe("streamsPerConnectionMax", () => {
  const open = streams(100);
  const callFrames = (authorization: string) => (stream: number) =>
    headersFrame(stream, callPath, {
      end: false,
      "content-type": "application/json",
      authorization,
    });

  test("is how many streams are open at once; one that ends makes room", async () => {
    const { port, authorization } = await start({});
    const call = callFrames(authorization);
    const frames = await openFrames(port);
    frames.write(...open.map(call), resetFrame(1, errorCode.cancel), call(201));
    frames.write(dataFrame(201, Buffer.from(firstHalf + secondHalf), { end: true }));
    const answer = await frames.until(onStream(frameType.data, 201));
    expect(JSON.parse(String(answer.payload))).toMatchObject({ id: expect.any(String) });
    frames.destroy();
    await frames.ended;
  });

  test("refuses one more of a peer that may not know the limit yet; the others go on", async () => {
    const { port, authorization } = await start({});
    const call = callFrames(authorization);
    const frames = await openFrames(port);
    // Settings bind when they are acknowledged, which happens after these are written.
    frames.write(...open.map(call), call(201));
    const reset = await frames.until(onStream(frameType.resetStream, 201));
    expect(codeIn(reset)).toBe(errorCode.refusedStream);
    frames.write(dataFrame(199, Buffer.from(firstHalf + secondHalf), { end: true }));
    await frames.until(onStream(frameType.data, 199));
    frames.destroy();
    await frames.ended;
  });

  test("ends the connection of a peer that knows the limit and ignores it", async () => {
    const { port, authorization } = await start({});
    const call = callFrames(authorization);
    const frames = await openFrames(port);
    await frames.until(ofType(frameType.settings));
    frames.write(...open.map(call), pingFrame());
    await frames.until(ofType(frameType.ping));
    frames.write(call(201));
    const goAway = await frames.until(ofType(frameType.goAway));
    expect(codeIn(goAway)).toBe(errorCode.protocolError);
    await frames.ended;
  });
});

describe("streamResetBurst", () => {
  const burst = (count: number) =>
    streams(count).flatMap((stream) => [
      headersFrame(stream, "/healthz", { end: true }),
      resetFrame(stream, errorCode.cancel),
    ]);

  test("lets a connection reset as many streams at once", async () => {
    const server = await start({ streamResetBurst: 20, streamResetsPerSecond: 0 });
    const frames = await openFrames(server.port);
    frames.write(...burst(20), headersFrame(101, "/healthz", { end: true }));
    const answer = await frames.until(onStream(frameType.headers, 101));
    expect(answer.stream).toBe(101);
    frames.destroy();
    await frames.ended;
  });

  test("ends a connection that resets one more", async () => {
    const server = await start({ streamResetBurst: 20, streamResetsPerSecond: 0 });
    const frames = await openFrames(server.port);
    frames.write(...burst(21), headersFrame(101, "/healthz", { end: true }));
    const received = await frames.ended;
    expect(received.filter(ofType(frameType.goAway)).map(codeIn)).not.toContain(errorCode.noError);
    expect(received.filter(onStream(frameType.headers, 101))).toEqual([]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe("a stream of whose body much is not read", () => {
  test("is over when it is answered, so that its connection is idle", async () => {
    const { url, authorization } = await start({ bodyBytesMax: 1_000, idleTimeoutMs: 100 });
    const session = connectHttp2(url);
    const head = { ":method": "POST", ":path": callPath, "content-type": "application/json" };
    const stream = session.request({ ...head, authorization });
    stream.resume().end(Buffer.alloc(100_000, " "));
    const [answer] = await once(stream, "response");
    expect(answer).toMatchObject({ ":status": 413 });
    await once(session, "close");
  });
});

describe("unwantedBodyMs", () => {
  test("lets the rest of a body come once its stream is answered, which ends it", async () => {
    const { port } = await start({ unwantedBodyMs: 60_000 });
    const frames = await openFrames(port);
    frames.write(headersFrame(1, "/unknown", { end: false }));
    await frames.until(onStream(frameType.data, 1));
    frames.write(dataFrame(1, Buffer.alloc(1_000), { end: true }), pingFrame());
    await frames.until(ofType(frameType.ping));
    frames.destroy();
    expect((await frames.ended).filter(onStream(frameType.resetStream, 1))).toEqual([]);
  });

  test("past it resets them, and so more of them than may be open at once", async () => {
    const server = await start({ streamsPerConnectionMax: 10 });
    const frames = await openFrames(server.port);
    for (const stream of streams(25)) {
      frames.write(headersFrame(stream, "/unknown", { end: false }));
      const reset = await frames.until(onStream(frameType.resetStream, stream));
      expect(codeIn(reset)).toBe(errorCode.noError);
    }
    frames.destroy();
    const received = await frames.ended;
    expect(received.filter(ofType(frameType.headers)).map(({ stream }) => stream)).toEqual(
      streams(25),
    );
  });
});
