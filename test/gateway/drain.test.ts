// Before it stops, the service says that it is going to, and goes on to answer until callers left.

import { once } from "node:events";
import { connect } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, describe, expect, test } from "@jest/globals";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/grpc/health/v1/health_pb.js";
import type { PortLimits } from "../../src/port/limits.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { callPath, connected, get, textOf } from "./flight.ts";
import { codeIn, errorCode, frameType, headersFrame, openFrames } from "./frames.ts";

/** Past what any test takes: only the signal ends it. */
const longMs = 600_000;

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A server whose drain lasts until the test is over, or until it is told that it is enough. */
async function start(limits: Partial<PortLimits>) {
  const server = await startServer({ limits: { stopGraceMs: 50, ...limits } });
  const isEnough = new AbortController();
  let drained: Promise<void> | undefined;
  const end = async () => {
    isEnough.abort();
    await drained;
  };
  ends.push(async () => {
    await end();
    await server.close();
  });
  const drain = () => {
    drained = server.gateway.drain(isEnough.signal);
  };
  return { server, drain, end };
}

const ready = get.replace("healthz", "readyz");

function addOrg({ admin }: TestServer, name: string): string {
  const body = JSON.stringify({ name });
  const head = [
    `POST ${callPath} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${admin.token}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

async function answerOn(port: number, request: string): Promise<string> {
  const socket = await connected(port);
  socket.write(request);
  return await textOf(socket);
}

/** What comes first, on a connection that may stay open. */
async function answerOnce(port: number): Promise<string> {
  const socket = await connected(port);
  socket.write(get);
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}

describe("while the service drains", () => {
  test("it is not ready, and each answer of HTTP/1.1 is the last of its connection", async () => {
    const { server, drain } = await start({ drainMs: longMs });
    const before = await connected(server.port);
    const answered = once(before, "data");
    before.write(ready);
    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 200 (?!.*connection: close)/is);
    drain();
    before.write(addOrg(server, "on a connection of before"));
    expect(await textOf(before)).toMatch(/^HTTP\/1\.1 200 .*connection: close\r.*"id":/is);
    const answers = [ready, get, addOrg(server, "on a new one")].map((request) =>
      answerOn(server.port, request),
    );
    const [readiness, health, call] = await Promise.all(answers);
    expect(readiness).toMatch(/^HTTP\/1\.1 503 .*connection: close\r.*"SHUTTING_DOWN"/is);
    expect(health).toMatch(/^HTTP\/1\.1 200 .*connection: close\r/is);
    expect(call).toMatch(/^HTTP\/1\.1 200 .*connection: close\r.*"id":/is);
  });

  test("what comes behind the last request of a connection is not done", async () => {
    const { server, drain } = await start({ drainMs: longMs });
    drain();
    const head = await server.head();
    const text = await answerOn(server.port, get + addOrg(server, "for nobody"));
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(await server.head()).toBe(head);
  });

  test("each connection of HTTP/2 gets a GOAWAY with its next call, and the answer", async () => {
    const { server, drain } = await start({ drainMs: longMs });
    const before = await openFrames(server.port);
    await before.until(({ type }) => type === frameType.settings);
    drain();
    for (const frames of [before, await openFrames(server.port)]) {
      frames.write(headersFrame(1, "/healthz", { end: true, ":method": "GET" }));
      const received = await frames.ended;
      const goAway = received.find(({ type }) => type === frameType.goAway);
      expect([codeIn(goAway!), goAway!.payload.readUInt32BE(0)]).toEqual([errorCode.noError, 1]);
      const data = received.filter(({ type }) => type === frameType.data);
      expect(String(Buffer.concat(data.map(({ payload }) => payload)))).toBe('{"status":"ok"}');
    }
  });

  test("connections go on in both versions for drainQuietMs, and no longer", async () => {
    const ask = (stream: number) =>
      headersFrame(stream, "/healthz", { end: true, ":method": "GET" });
    const quiet = await start({ drainMs: longMs, drainQuietMs: longMs });
    quiet.drain();
    const [http1, http2] = [
      await connected(quiet.server.port),
      await openFrames(quiet.server.port),
    ];
    for (const stream of [1, 3]) {
      const answered = once(http1, "data");
      http1.write(stream === 1 ? ready : get);
      expect(String((await answered)[0])).toMatch(
        /^HTTP\/1\.1 (503|200) (?!.*connection: close)/is,
      );
      http2.write(ask(stream));
      await http2.until((frame) => frame.type === frameType.data && frame.stream === stream);
    }
    expect(http2.seen().some(({ type }) => type === frameType.goAway)).toBe(false);
    const over = await start({ drainMs: longMs, drainQuietMs: 1 });
    over.drain();
    while (!/connection: close/i.test(await answerOnce(over.server.port))) {
      await new Promise(setImmediate);
    }
    const late = await openFrames(over.server.port);
    late.write(ask(1));
    expect((await late.ended).map(({ type }) => type)).toContain(frameType.goAway);
  });

  test("health watches say so, and last until it stops", async () => {
    const { server, drain, end } = await start({ drainMs: longMs });
    const health = createClient(Health, createGrpcTransport({ baseUrl: server.url }));
    const watch = health.watch({})[Symbol.asyncIterator]();
    expect(await watch.next()).toMatchObject({ value: { status: Status.SERVING } });
    drain();
    expect(await watch.next()).toMatchObject({ value: { status: Status.NOT_SERVING } });
    const last = watch.next();
    expect(await health.check({})).toMatchObject({ status: Status.NOT_SERVING });
    expect(await Promise.race([last, "it lasts"])).toBe("it lasts");
    await end();
    const closed = server.gateway.close();
    expect(await last).toMatchObject({ done: true });
    await closed;
  });
});

describe("when the drain is over", () => {
  test("the port is closed, and what comes on open connections is answered still", async () => {
    const { server, drain } = await start({ drainMs: 1, lingerMs: longMs });
    const open = await connected(server.port);
    const answered = once(open, "data");
    open.write(get);
    await answered;
    drain();
    while (await isOpen(server.port)) await new Promise(setImmediate);
    open.write(addOrg(server, "late"));
    expect(await textOf(open)).toMatch(/^HTTP\/1\.1 200 .*connection: close\r.*"id":/is);
  });

  test("a stop does what it always does", async () => {
    const { server, drain, end } = await start({ drainMs: longMs });
    drain();
    await end();
    const closed = server.gateway.close();
    expect(await isOpen(server.port)).toBe(false);
    await closed;
  });
});

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on("error", () => resolve(false)).on("connect", () => resolve(true));
  return await promise.finally(() => socket.destroy());
}
