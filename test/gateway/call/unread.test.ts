// What callers without a token do not read is bounded, and takes nothing of what others need.

import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { createPeers } from "../../../src/port/peer.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

const limits = { openCallsMax: 4, unreadBytesMax: 4 * 33_000 };
const running: TestServer[] = [];
const sessions: ClientHttp2Session[] = [];
/** Of the server that was started last. */
let authorization: string;

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await Promise.all(running.splice(0).map((server) => server.close()));
  jest.restoreAllMocks();
});

async function start(given: Parameters<typeof startServer>[0]) {
  const server = await startServer({ peers: createPeers([["127.0.0.1", 32]]), ...given });
  running.push(server);
  authorization = `Bearer ${server.admin.token}`;
  return server;
}

/** A connection that takes nothing, or with a window what it is sent. */
function sessionTo({ url }: TestServer, initialWindowSize = 0): ClientHttp2Session {
  const session = connect(url, { settings: { initialWindowSize } }).on("error", () => {});
  sessions.push(session);
  return session;
}

const health = "/grpc.health.v1.Health/List";
const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
/** `file_containing_symbol`, whose answer of 190 KB has all that the file imports. */
const symbol = Buffer.from("iam.management.v1.ManagementService");
const askFile = Buffer.from([0, 0, 0, 0, symbol.length + 2, 0x22, symbol.length, ...symbol]);
const empty = Buffer.alloc(5);

const open = {
  "on the native wire": { path: health, type: "application/grpc", body: empty },
  "on Connect's wire": {
    ...{ path: health, type: "application/grpc+json" },
    body: Buffer.from("\0\0\0\0\x02{}"),
  },
} as const;

const refused = {
  path: "/iam.management.v1.ManagementService/AddProject",
  body: Buffer.from("{}"),
};

const form = "application/x-www-form-urlencoded";
/** It makes a call unusual. */
const identity = { "content-encoding": "identity" };
const nothing = { path: "/nothing", body: Buffer.from("{}") };

const asks: readonly (readonly [string, Asked])[] = [
  ...Object.entries(open),
  ["refused on the native wire", { ...refused, type: "application/json" }],
  ["refused on Connect's wire", { ...refused, type: "application/json", fields: identity }],
  [
    "refused with a token on the native wire",
    { ...refused, type: "application/json", isKnown: true },
  ],
  [
    "refused with a token on Connect's wire",
    { ...refused, type: "application/json", fields: identity, isKnown: true },
  ],
  [
    "refused with a token on both",
    { ...refused, type: "application/json", body: Buffer.from("{"), isKnown: true },
  ],
  ["refused where nothing is", { ...nothing, type: "application/json" }],
  ["refused where nothing is, over gRPC", { ...nothing, type: "application/grpc" }],
  ["refused by Fastify", { ...nothing, path: "/%zz", type: "application/json" }],
  ["refused by Fastify, over gRPC", { ...nothing, path: "/%zz", type: "application/grpc" }],
  ["led on without a body", { path: "/oauth/v2/authorize", type: form, body: Buffer.from("a=b") }],
];

interface Asked {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  readonly fields?: { readonly [name: string]: string };
  /** Whether it has a token. */
  readonly isKnown?: boolean;
}

/** Has one answer made that is not read, unless the window is open. */
async function ask(session: ClientHttp2Session, asked: Asked, from = "203.0.113.1") {
  const { path, type, body, isKnown = false, fields } = asked;
  const stream = session.request({
    ...{ ":method": "POST", ":path": path, "content-type": type, te: "trailers" },
    ...{ "x-forwarded-for": from, ...fields, ...(isKnown ? { authorization } : {}) },
  });
  stream.on("error", () => {});
  stream.end(body);
  await once(stream, "response");
  return stream;
}

/** Resolves when the server has cut off what is too much. */
async function settle(session: ClientHttp2Session): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) {
    await new Promise((resolve) => session.ping(resolve));
    await pause();
  }
}

const closedOf = (streams: readonly ClientHttp2Stream[]) => streams.map(({ closed }) => closed);

describe.each(asks)("unread answers of strangers, %s", (_, asked) => {
  test("are as many as `openCallsMax`, and of one more the oldest is cut off", async () => {
    const session = sessionTo(await start({ limits }));
    const streams: ClientHttp2Stream[] = [];
    for (let count = 0; count < limits.openCallsMax; count += 1) {
      streams.push(await ask(session, asked));
    }
    await settle(session);
    expect(closedOf(streams)).toEqual([false, false, false, false]);
    streams.push(await ask(session, asked, "203.0.113.2"));
    await settle(session);
    expect(closedOf(streams)).toEqual([true, false, false, false, false]);
    // One that leaves makes room.
    streams[3]?.close(constants.NGHTTP2_CANCEL);
    await settle(session);
    streams.push(await ask(session, asked));
    await settle(session);
    expect(closedOf(streams)).toEqual([true, false, false, true, false, false]);
  });

  test("are cut off of the address that has most", async () => {
    const given = { ...limits, openCallsOfAddressMax: 2 };
    const session = sessionTo(await start({ limits: given }));
    const honest = await ask(session, asked, "203.0.113.2");
    const streams = [await ask(session, asked), await ask(session, asked)];
    streams.push(await ask(session, asked));
    await settle(session);
    expect(closedOf([honest, ...streams])).toEqual([false, true, false, false]);
  });

  test("are none of those that are read, however many come at once", async () => {
    const session = sessionTo(await start({ limits: { ...limits, openCallsMax: 50 } }), 65_535);
    await once(session, "remoteSettings");
    const all = Array.from({ length: 90 }, async () => {
      const stream = await ask(session, asked);
      await once(stream.resume(), "close");
      return stream.rstCode;
    });
    expect(new Set(await Promise.all(all))).toEqual(new Set([0]));
  });

  test("take nothing of the bytes for answers with a token", async () => {
    const server = await start({ limits: { answersBytesMax: 3_000, smallAnswerBytesMax: 1_000 } });
    const session = sessionTo(server);
    for (let count = 0; count < 20; count += 1) await ask(session, asked);
    const made = await fetch(`${server.url}/management/v1/projects`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.admin.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "honest" }),
    });
    expect(made.status).toBe(200);
  });
});

test("unread answers of strangers, in streams, count by their bytes", async () => {
  const asked = { path: reflection, type: "application/grpc", body: askFile };
  const given = { openCallsMax: 16, unreadBytesMax: 16 * 33_000, answersBytesMax: 3_000 };
  const session = sessionTo(await start({ limits: given }));
  const written = jest.spyOn(console, "error").mockImplementation(() => {});
  const streams = [await ask(session, asked), await ask(session, asked)];
  await settle(session);
  expect(closedOf(streams)).toEqual([false, false]);
  streams.push(await ask(session, asked));
  await settle(session);
  expect(closedOf(streams)).toEqual([true, false, false]);
  // For Connect, the one that is cut off has left.
  expect(written).not.toHaveBeenCalled();
});
