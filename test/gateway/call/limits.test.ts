import { once } from "node:events";
import { connect as connectHttp2, constants, type OutgoingHttpHeaders } from "node:http2";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { GatewayLimits } from "../../../src/gateway/call/limits.ts";
import { createPeers, loopback, type Peers } from "../../../src/port/peer.ts";
import { few, inFull } from "../../harness/in-full.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import {
  type Access,
  callInFlight,
  callPath,
  connected,
  firstHalf,
  get,
  secondHalf,
  textOf,
} from "../flight.ts";
import {
  codeIn,
  dataFrame,
  errorCode,
  type Frame,
  frameType,
  headersFrame,
  openFrames,
} from "../frames.ts";
import { openRaw } from "../raw.ts";

const running: TestServer[] = [];

async function start(limits: Partial<GatewayLimits>, peers?: Peers) {
  const server = await startServer({ limits, ...(peers ? { peers } : {}) });
  running.push(server);
  return { ...server, authorization: `Bearer ${server.admin.token}` };
}

afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));

const ofType = (type: number) => (frame: Frame) => frame.type === type;
const onStream = (type: number, stream: number) => (frame: Frame) =>
  frame.type === type && frame.stream === stream;

/** Connections with a call under way that waits for the rest of its body. */
const busy = (server: Access, count: number) =>
  Promise.all(Array.from({ length: count }, () => callInFlight(server)));

describe("connectionsMax", () => {
  test("is how many connections are served where all have calls", async () => {
    const server = await start({ connectionsMax: 2, stopGraceMs: 0 });
    await busy(server, 2);
    const third = await openRaw(server.port);
    third.write(get);
    expect(await third.ended()).toHaveLength(0);
    await third.close();
  });

  test("lets the one go that has been idle the longest", async () => {
    const server = await start({ connectionsMax: 3, stopGraceMs: 0 });
    const first = await openRaw(server.port);
    await busy(server, 1);
    const second = await openRaw(server.port);
    // By this it has been idle for less long than the second.
    first.write(get);
    expect(await first.answer("GET")).toMatchObject({ status: 200 });
    const third = await openRaw(server.port);
    third.write(get);
    expect(await third.answer("GET")).toMatchObject({ status: 200 });
    expect(await second.ended()).toHaveLength(0);
    first.write(get);
    expect(await first.answer("GET")).toMatchObject({ status: 200 });
    for (const connection of [first, second, third]) await connection.close();
  });
});

describe("connectionsOfAddressMax", () => {
  const peers = createPeers([], []);

  test("bounds what one address has, and lets its oldest idle connection go", async () => {
    const server = await start({ connectionsOfAddressMax: 2, stopGraceMs: 0 }, peers);
    await busy(server, 1);
    const idle = await openRaw(server.port);
    const next = await openRaw(server.port);
    expect(await idle.ended()).toHaveLength(0);
    next.write(get);
    expect(await next.answer("GET")).toMatchObject({ status: 200 });
    for (const connection of [idle, next]) await connection.close();
  });

  test("refuses one more of an address whose connections all have calls", async () => {
    const server = await start({ connectionsOfAddressMax: 2, stopGraceMs: 0 }, peers);
    await busy(server, 2);
    const third = await openRaw(server.port);
    third.write(get);
    expect(await third.ended()).toHaveLength(0);
    await third.close();
  });

  inFull("is nothing to the connections of this machine and of trusted proxies", async () => {
    const local = await start({ connectionsOfAddressMax: 1, stopGraceMs: 0 });
    const trusting = createPeers(loopback, []);
    const proxied = await start({ connectionsOfAddressMax: 1, stopGraceMs: 0 }, trusting);
    for (const server of [local, proxied]) {
      const [first, second] = [await openRaw(server.port), await openRaw(server.port)];
      for (const connection of [first, second]) {
        connection.write(get);
        expect(await connection.answer("GET")).toMatchObject({ status: 200 });
      }
      for (const connection of [first, second]) await connection.close();
    }
  });
});

describe("headerBytesMax", () => {
  const limits = { headerBytesMax: 2_000 };
  const target = "/healthz";

  // HTTP/1.1 counts the target and the header fields without what separates them.
  few().each([
    { bytes: 1_999, status: 200 },
    { bytes: 2_000, status: 431 },
  ])("answers $status to $bytes bytes over HTTP/1.1", async ({ bytes, status }) => {
    const server = await start(limits);
    const connection = await openRaw(server.port);
    const rest = bytes - `${target}hostlocalhostx-filler`.length;
    const filler = "f".repeat(rest);
    connection.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nx-filler: ${filler}\r\n\r\n`);
    expect(await connection.answer("GET")).toMatchObject({ status });
    await connection.close();
  });

  // HTTP/2 counts names, values and 32 bytes for each field (RFC 9113, 6.5.2).
  few().each([
    { bytes: 2_000, outcome: 200 },
    { bytes: 2_001, outcome: constants.NGHTTP2_ENHANCE_YOUR_CALM },
  ])("comes to $outcome with $bytes bytes over HTTP/2", async ({ bytes, outcome }) => {
    const server = await start(limits);
    const session = connectHttp2(server.url);
    await once(session, "localSettings");
    const fields: OutgoingHttpHeaders = {
      ":method": "GET",
      ":scheme": "http",
      ":authority": "localhost",
      ":path": target,
      "x-filler": "",
    };
    const used = Object.entries(fields).map(([name, value]) => name + value);
    const rest = bytes - used.join("").length - 32 * used.length;
    const stream = session.request({ ...fields, "x-filler": "f".repeat(rest) });
    stream.on("error", () => {});
    stream.resume();
    let status: number | undefined;
    stream.on("response", (headers) => {
      status = headers[":status"];
    });
    await new Promise((resolve) => stream.on("close", resolve));
    expect(status ?? stream.rstCode).toBe(outcome);
    const closed = once(session, "close");
    session.close();
    await closed;
  });
});

describe("bodyBytesMax", () => {
  const max = 2_048;
  const json = { "content-type": "application/json" };
  const plain = (text: string) => Buffer.from(text);

  few(3).each([
    { name: "plain", bytes: max, headers: json, encode: plain, status: 200 },
    { name: "plain", bytes: max + 1, headers: json, encode: plain, status: 413 },
    {
      name: "gzip",
      bytes: max,
      headers: { ...json, "content-encoding": "gzip" },
      encode: gzipSync,
      status: 200,
    },
    {
      name: "gzip",
      bytes: max + 1,
      headers: { ...json, "content-encoding": "gzip" },
      encode: gzipSync,
      status: 413,
    },
  ])("answers $status to $bytes bytes sent $name", async ({ bytes, headers, encode, status }) => {
    const { url, authorization } = await start({ bodyBytesMax: max });
    const text = `${'{"name": "large"'.padEnd(bytes - 1)}}`;
    const answer = await fetch(url + callPath, {
      method: "POST",
      // Without this header it is Connect's protocol that answers, which has the same limit.
      headers: { ...headers, authorization },
      body: encode(text),
    });
    expect(answer.status).toBe(status);
    await answer.arrayBuffer();
  });
});

describe("sniffTimeoutMs", () => {
  few().each(["", "PRI * HT"])("ends a connection that has only said %j", async (said) => {
    const server = await start({ sniffTimeoutMs: 50 });
    const connection = await openRaw(server.port);
    if (said !== "") connection.write(said);
    expect(await connection.ended()).toHaveLength(0);
    await connection.close();
  });

  test("ends a connection that speaks HTTP/2 and makes no call", async () => {
    const server = await start({ sniffTimeoutMs: 50 });
    const frames = await openFrames(server.port);
    const received = await frames.ended;
    expect(received.filter(ofType(frameType.goAway)).map(codeIn)).toContain(errorCode.noError);
  });

  test("leaves one alone that has made its first call", async () => {
    const { port } = await start({ sniffTimeoutMs: 200 });
    const used = await openFrames(port);
    used.write(headersFrame(1, "/healthz", { end: true }));
    await used.until(onStream(frameType.headers, 1));
    const unused = await openFrames(port);
    await unused.ended;
    used.write(headersFrame(3, "/healthz", { end: true }));
    await used.until(onStream(frameType.headers, 3));
    used.destroy();
    await used.ended;
  });
});

describe("requestTimeoutMs", () => {
  test("ends a call whose body does not come, over HTTP/1.1", async () => {
    const socket = await callInFlight(await start({ requestTimeoutMs: 100 }));
    const text = await textOf(socket);
    expect(text).toMatch(/^HTTP\/1\.1 504 .*\nconnection: close\r.*REQUEST_TIMEOUT/is);
  });

  test("ends a call whose body does not come, over HTTP/2, but not the connection", async () => {
    const { port, authorization } = await start({ requestTimeoutMs: 100 });
    const frames = await openFrames(port);
    const call = { authorization, "content-type": "application/json", end: false };
    frames.write(headersFrame(1, callPath, call));
    const data = await frames.until(onStream(frameType.data, 1));
    expect(String(data.payload)).toContain("REQUEST_TIMEOUT");
    const reset = await frames.until(onStream(frameType.resetStream, 1));
    expect(codeIn(reset)).toBe(errorCode.noError);
    frames.write(headersFrame(3, "/healthz", { end: true }));
    await frames.until(onStream(frameType.headers, 3));
    frames.destroy();
    await frames.ended;
  });

  test("ends a request whose header does not come", async () => {
    const server = await start({ requestTimeoutMs: 100 });
    const socket = await connected(server.port);
    socket.write("GET /healthz HTTP/1.1\r\nhost: loc");
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 408 .*REQUEST_TIMEOUT/s);
  });
});

describe("idleTimeoutMs", () => {
  test("ends a connection that waits for its next request, over HTTP/1.1", async () => {
    const server = await start({ idleTimeoutMs: 100 });
    const connection = await openRaw(server.port);
    connection.write(get);
    expect(await connection.answer("GET")).toMatchObject({ status: 200 });
    expect(await connection.ended()).toHaveLength(0);
    await connection.close();
  });

  test("ends a connection without a stream, over HTTP/2", async () => {
    const server = await start({ idleTimeoutMs: 100 });
    const frames = await openFrames(server.port);
    frames.write(headersFrame(1, "/healthz", { end: true }));
    const received = await frames.ended;
    expect(received.filter(ofType(frameType.goAway)).map(codeIn)).toContain(errorCode.noError);
  });

  test("leaves a connection alone as long as it has a stream, over HTTP/2", async () => {
    const limits = { idleTimeoutMs: 100, sniffTimeoutMs: 100 };
    const { port, authorization } = await start(limits);
    const busy = await openFrames(port);
    const call = { authorization, "content-type": "application/json", end: false };
    busy.write(headersFrame(1, callPath, call));
    // Two idle lives of another connection are longer than one of this.
    for (let count = 0; count < 2; count += 1) await (await openFrames(port)).ended;
    // Nor has it been told to open no further stream.
    busy.write(headersFrame(3, "/healthz", { end: true }));
    await busy.until(onStream(frameType.headers, 3));
    busy.write(dataFrame(1, Buffer.from(firstHalf + secondHalf), { end: true }));
    const answer = await busy.until(onStream(frameType.data, 1));
    expect(JSON.parse(String(answer.payload))).toMatchObject({ id: expect.any(String) });
    // And when the stream is over, the connection is idle at last.
    expect((await busy.ended).map(({ type }) => type)).toContain(frameType.goAway);
  });
});
