import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { ServerReflectionRequestSchema } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { defaultLimits, type GatewayLimits } from "../../src/gateway/call/limits.ts";
import { createCrowd } from "../../src/port/crowd.ts";
import { createHttp2Side } from "../../src/port/http2.ts";
import { shareCleartext } from "../../src/port/one-port.ts";
import { createPeers } from "../../src/port/peer.ts";
import { createWriteTimeout } from "../../src/port/write-timeout.ts";
import { connected, get } from "../gateway/flight.ts";
import {
  codeIn,
  dataFrame,
  errorCode,
  type Frame,
  type FrameConnection,
  frameType,
  headersFrame,
  openFrames,
  pingFrame,
  prefaceWithWindow,
  windowFrame,
} from "../gateway/frames.ts";
import { frame } from "../gateway/hostile.ts";
import { inFull } from "../harness/in-full.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const running: TestServer[] = [];

async function start(limits: Partial<GatewayLimits>): Promise<TestServer> {
  const server = await startServer({ limits });
  running.push(server);
  return server;
}

afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));

const onStream = (type: number, stream: number) => (one: Frame) =>
  one.type === type && one.stream === stream;
const grpc = { "content-type": "application/grpc", end: false };
const bytesOf = (frames: readonly Frame[]) =>
  frames.reduce((sum, { payload }) => sum + payload.length, 0);

/** A call that asks for a large answer so many times. */
function reflection(stream: number, count: number): readonly Buffer[] {
  const value = "iam.management.v1.ManagementService";
  const messageRequest = { case: "fileContainingSymbol", value } as const;
  const ask = create(ServerReflectionRequestSchema, { messageRequest });
  const asks: Buffer[] = Array(count).fill(frame(toBinary(ServerReflectionRequestSchema, ask)));
  return [
    headersFrame(stream, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", grpc),
    dataFrame(stream, Buffer.concat(asks), { end: true }),
  ];
}

/** A stream whose answer has come but for its body, of which the peer takes nothing. */
async function stuck(server: TestServer): Promise<FrameConnection> {
  const frames = await openFrames(server.port, prefaceWithWindow(0));
  frames.write(headersFrame(1, "/unknown", { end: true }));
  await frames.until(onStream(frameType.headers, 1));
  return frames;
}

describe("over HTTP/2", () => {
  const timers = ["Date", "hrtime", "nextTick", "performance", "queueMicrotask"] as const;
  const others = ["setImmediate", "clearImmediate", "setTimeout", "clearTimeout"] as const;
  const isReset = ({ type, stream }: Frame) => type === frameType.resetStream && stream === 1;
  let server: TestServer;

  beforeEach(async () => {
    // Only the looks at what is taken wait for the test to tell them so.
    jest.useFakeTimers({ doNotFake: [...timers, ...others] });
    server = await start({ writeTimeoutMs: 400 });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** So many looks, of which the first finds what waits and four more make up the time. */
  async function look(count: number): Promise<void> {
    jest.advanceTimersByTime(100 * count);
    await turn();
  }

  /** Whatever the server was at when it is asked, it has finished by the time of the answer. */
  async function pinged(frames: FrameConnection): Promise<void> {
    const pings = () => frames.seen().filter(({ type }) => type === frameType.ping).length;
    const before = pings();
    frames.write(pingFrame());
    await frames.until(() => pings() > before);
  }

  test("a stream of which nothing is taken is reset; the others go on", async () => {
    const frames = await stuck(server);
    await look(4);
    await pinged(frames);
    expect(frames.seen().filter(isReset)).toEqual([]);
    await look(1);
    expect(codeIn(await frames.until(isReset))).toBe(errorCode.cancel);
    frames.write(headersFrame(3, "/unknown", { end: true }), windowFrame(3, 1_000));
    const answer = await frames.until(onStream(frameType.data, 3));
    expect(JSON.parse(String(answer.payload))).toMatchObject({ code: 5 });
    frames.destroy();
    await frames.ended;
  });

  inFull("a stream of which little is taken again and again gets all of it", async () => {
    const frames = await openFrames(server.port, prefaceWithWindow(0));
    frames.write(...reflection(1, 12));
    await frames.until(onStream(frameType.headers, 1));
    const mine = () => frames.seen().filter(({ stream }) => stream === 1);
    const bytes = () => bytesOf(mine().filter(({ type }) => type === frameType.data));
    const isOver = () => mine().some(({ flags }) => (flags & 1) === 1);
    let grants = 0;
    for (; !isOver(); grants += 1) {
      const before = bytes();
      frames.write(windowFrame(1, 8 * 1024), windowFrame(0, 8 * 1024));
      await frames.until(() => isOver() || bytes() > before);
      await pinged(frames);
      await look(2);
    }
    expect(mine().filter(isReset)).toEqual([]);
    expect(bytes()).toBeGreaterThan(300_000);
    // In all it took far longer than the five looks of which each part had to come within.
    expect(grants).toBeGreaterThan(10);
    frames.destroy();
    await frames.ended;
  });

  test("a stream with nothing to write is left alone", async () => {
    const frames = await openFrames(server.port);
    frames.write(
      headersFrame(1, "/grpc.health.v1.Health/Watch", grpc),
      dataFrame(1, frame(""), { end: true }),
    );
    await frames.until(onStream(frameType.data, 1));
    await look(100);
    jest.useRealTimers();
    await server.gateway.close();
    const received = (await frames.ended).filter(({ stream }) => stream === 1);
    expect(received.filter(isReset)).toEqual([]);
    const told = received.filter(({ type }) => type === frameType.data);
    expect(Buffer.concat(told.map(({ payload }) => payload))).toEqual(
      Buffer.concat([frame(Buffer.from([8, 1])), frame(Buffer.from([8, 2]))]),
    );
  });
});

describe("a connection that is written to and not read", () => {
  test("is cut off, over HTTP/1.1", async () => {
    // More than the kernels of both sides keep for a connection.
    const http1 = createServer((_request, response) => void response.end(Buffer.alloc(2 ** 25)));
    const writeTimeout = createWriteTimeout(100);
    const crowd = createCrowd(defaultLimits, createPeers([]));
    const http2 = createHttp2Side(
      () => {},
      () => false,
      defaultLimits,
      writeTimeout,
      crowd,
    );
    shareCleartext(http1, http2, defaultLimits, writeTimeout, crowd);
    http1.listen(0, "127.0.0.1");
    await once(http1, "listening");
    const accepted = once(http1, "connection");
    const socket = await connected((http1.address() as AddressInfo).port);
    socket.pause();
    const [served] = (await accepted) as [Socket];
    const cut = new Promise((resolve) => served.once("close", resolve));
    socket.write(get);
    await cut;
    socket.destroy();
    writeTimeout.end();
    await new Promise((resolve) => http1.close(resolve));
  });

  inFull("is cut off, over HTTP/2", async () => {
    const server = await start({ writeTimeoutMs: 100, streamsPerConnectionMax: 1_000_000 });
    const socket = await connected(server.port);
    const cut = new Promise((resolve) => socket.once("close", resolve));
    socket.pause();
    socket.write(prefaceWithWindow(2 ** 31 - 1));
    socket.write(windowFrame(0, 2 ** 31 - 65_536));
    // A reset is noticed by who writes, even by one who does not read.
    for (let stream = 1; !socket.destroyed; stream += 2) {
      if (socket.writableLength === 0) socket.write(Buffer.concat(reflection(stream, 12)));
      await turn();
    }
    await cut;
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe("the time in which something must be taken", () => {
  const timeoutMs = 400;

  /** Something that takes one write each time it is told to. */
  function peer() {
    const taking: (() => void)[] = [];
    const write = (_chunk: unknown, _encoding: unknown, done: () => void) => void taking.push(done);
    const final = (done: () => void) => void taking.push(done);
    const writable = new Writable({ write, final });
    return { writable, take: () => taking.shift()?.() };
  }

  type Step = (made: ReturnType<typeof peer>) => void;
  const write: Step = ({ writable }) => void writable.write("four");
  const end: Step = ({ writable }) => void writable.end();
  const take: Step = (made) => made.take();
  const wait =
    (ms: number): Step =>
    () =>
      void jest.advanceTimersByTime(ms);
  /** As long as a peer may take nothing, counted from the look that finds something. */
  const whole = wait(timeoutMs);
  const part = wait(timeoutMs / 4);
  const rows: readonly { readonly name: string; steps: readonly Step[]; cuts: number }[] = [
    { name: "nothing is written", steps: [whole, whole, whole], cuts: 0 },
    { name: "all is taken", steps: [write, take, whole, whole], cuts: 0 },
    { name: "nothing is taken, and the time is not over", steps: [write, whole], cuts: 0 },
    { name: "nothing is taken, and the time is over", steps: [write, whole, part], cuts: 1 },
    { name: "nothing is taken, twice as long", steps: [write, whole, whole, part], cuts: 2 },
    { name: "more is written but nothing taken", steps: [write, whole, write, part], cuts: 1 },
    {
      name: "one of two is taken in time",
      steps: [write, write, whole, take, write, whole],
      cuts: 0,
    },
    {
      name: "all is taken in time, and as much is written anew",
      steps: [write, whole, take, write, whole],
      cuts: 0,
    },
    { name: "the end is not out in time", steps: [end, whole, part], cuts: 1 },
    { name: "the end is out in time", steps: [write, take, end, take, whole, whole], cuts: 0 },
  ];

  afterEach(() => {
    jest.useRealTimers();
  });

  test.each(rows)("$name: $cuts times cut off", async ({ steps, cuts }) => {
    jest.useFakeTimers({ doNotFake: ["nextTick"] });
    const writeTimeout = createWriteTimeout(timeoutMs);
    const made = peer();
    let cut = 0;
    const end = writeTimeout.watch(made.writable, () => {
      cut += 1;
    });
    made.writable.once("close", end);
    for (const step of steps) {
      step(made);
      await turn();
    }
    writeTimeout.end();
    jest.advanceTimersByTime(10 * timeoutMs);
    expect(cut).toBe(cuts);
  });
});
