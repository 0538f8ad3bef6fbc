import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startServer, type TestServer } from "../harness/server.ts";
import {
  type Access,
  callInFlight,
  callPath,
  connected,
  get,
  secondHalf,
  textOf,
} from "./flight.ts";
import {
  clientPreface,
  codeIn,
  dataFrame,
  errorCode,
  frameType,
  headersFrame,
  openFrames,
  pingFrame,
} from "./frames.ts";

const running: TestServer[] = [];
let server: TestServer;

async function start(options?: Parameters<typeof startServer>[0]): Promise<TestServer> {
  const started = await startServer(options);
  running.push(started);
  return started;
}

function accessOf({ port, admin }: TestServer): Access {
  return { port, authorization: `Bearer ${admin.token}` };
}

beforeAll(async () => {
  server = await start();
});

afterAll(() => Promise.all(running.map((one) => one.close())));

function request(path: string, headers: readonly string[]): string {
  return [`POST ${path} HTTP/1.1`, "host: localhost", "content-length: 0", ...headers, "\r\n"].join(
    "\r\n",
  );
}

describe("a new call on a connection that outlives the begin of the stop", () => {
  const message = "The server is stopping: repeat the call on a new connection.";
  const last = [/\nconnection: close\r/i, /\nretry-after: 1\r/i];
  const json = [/^503 /, ...last, /"code":14,/, message, "SHUTTING_DOWN"];
  const cases = [
    { name: "JSON", request: request(callPath, ["content-type: application/json"]), has: json },
    {
      name: "REST",
      request: request("/management/v1/orgs", ["content-type: application/json"]),
      has: json,
    },
    {
      name: "Connect",
      request: request(callPath, ["content-type: application/json", "connect-protocol-version: 1"]),
      has: [/^503 /, ...last, '"code":"unavailable"', message],
    },
    {
      name: "gRPC",
      request: request(callPath, ["content-type: application/grpc"]),
      has: [/^200 /, ...last, /\n0\r\n([^\n]+\n)*grpc-status: 14\r/i],
    },
    {
      name: "gRPC-Web",
      request: request(callPath, ["content-type: application/grpc-web+proto"]),
      has: [/^200 /, ...last, /\ngrpc-status: 14\r/i, /grpc-message: The.*stopping/i],
    },
    { name: "/healthz", request: get, has: json },
    { name: "/readyz", request: get.replace("healthz", "readyz"), has: json },
  ];
  let answers: readonly string[];

  beforeAll(async () => {
    const inFlight = await Promise.all(cases.map(() => callInFlight(accessOf(server))));
    const stopped = server.gateway.close();
    const texts = inFlight.map(textOf);
    for (const [index, one] of cases.entries()) {
      // The call in flight is left unfinished by an invalid body: only one may take the name.
      inFlight[index]!.write(secondHalf + one.request);
    }
    answers = await Promise.all(texts);
    await stopped;
  });

  test.each(cases.map((one, index) => ({ ...one, index })))(
    "is refused over $name",
    ({ index, has }) => {
      const [, first, second = ""] = answers[index]!.split("HTTP/1.1 ");
      expect(first).toMatch(/^(?:200|409) /);
      for (const part of has) expect(second).toMatch(part);
    },
  );
});

describe("the stop", () => {
  test("does not wait for peers that have nothing in flight and close nothing", async () => {
    // Past the grace the test itself would run out of time.
    const stopping = await start({ limits: { stopGraceMs: 60_000 } });
    const silent = await connected(stopping.port);
    const half = await connected(stopping.port);
    half.write("PRI * HTTP");
    const kept = await connected(stopping.port);
    const answered = once(kept, "data");
    kept.write(get);
    await answered;
    const frames = await openFrames(stopping.port);
    await frames.until(({ type }) => type === frameType.settings);
    const deaf = connect({ port: stopping.port, host: "127.0.0.1", allowHalfOpen: true });
    deaf.on("error", () => {}).write(clientPreface);
    await once(deaf, "data");

    const closed = [silent, half, kept].map((socket) => once(socket, "close"));
    await stopping.gateway.close();
    await Promise.all(closed);
    expect((await frames.ended).map(({ type }) => type)).toContain(frameType.goAway);
    deaf.destroy();
  });

  test("does not wait for calls whose callers are gone", async () => {
    const stopping = await start({ limits: { stopGraceMs: 60_000 } });
    const { authorization } = accessOf(stopping);
    const frames = await openFrames(stopping.port);
    const json = { authorization, "content-type": "application/json" };
    frames.write(headersFrame(1, callPath, { ...json, end: false }), pingFrame());
    await frames.until(({ type }) => type === frameType.ping);
    const inFlight = await callInFlight(accessOf(stopping));
    const gone = [once(inFlight, "close"), frames.ended];
    inFlight.destroy();
    frames.destroy();
    await Promise.all(gone);
    await stopping.gateway.close();
    expect(stopping.logged().filter((line) => line.includes("SHUTTING_DOWN"))).toEqual([]);
  });

  test("takes no further stream, and lets the open one finish", async () => {
    const stopping = await start();
    const frames = await openFrames(stopping.port);
    const watch = "/grpc.health.v1.Health/Watch";
    frames.write(
      headersFrame(1, watch, { end: false, "content-type": "application/grpc" }),
      // The empty message: the whole server.
      dataFrame(1, Buffer.alloc(5), { end: true }),
    );
    const data = await frames.until(({ type }) => type === frameType.data);
    expect([...data.payload]).toEqual([0, 0, 0, 0, 2, 8, 1]);

    const stopped = stopping.gateway.close();
    const goAway = await frames.until(({ type }) => type === frameType.goAway);
    expect(codeIn(goAway)).toBe(errorCode.noError);
    frames.write(headersFrame(3, "/unknown", { end: true }));
    await stopped;
    const received = await frames.ended;
    expect(
      received.filter(({ type, stream }) => type === frameType.headers && stream === 3),
    ).toEqual([]);
    const messages = received.filter(({ type, stream }) => type === frameType.data && stream === 1);
    expect(Buffer.concat(messages.map(({ payload }) => payload)).subarray(7)).toEqual(
      Buffer.from([0, 0, 0, 0, 2, 8, 2]),
    );
  });

  test("cuts off what is left after the grace", async () => {
    const stopping = await start({ limits: { stopGraceMs: 50 } });
    const inFlight = await callInFlight(accessOf(stopping));
    const frames = await openFrames(stopping.port);
    const { authorization } = accessOf(stopping);
    const json = { authorization, "content-type": "application/json" };
    frames.write(headersFrame(1, callPath, { ...json, end: false }));
    frames.write(pingFrame());
    await frames.until(({ type }) => type === frameType.ping);
    const before = await stopping.head();
    const cut = once(inFlight, "close");
    await stopping.gateway.close();
    await Promise.all([cut, frames.ended]);
    expect(await stopping.head()).toBe(before);
  });
});
