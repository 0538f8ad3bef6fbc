// One who shows no token cannot take all that the service has for those who do not.

import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { create } from "@bufbuild/protobuf";
import { createHandlerContext } from "@connectrpc/connect";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { Health, HealthCheckRequestSchema } from "../../../gen/grpc/health/v1/health_pb.js";
import type { GatewayLimits } from "../../../src/gateway/call/limits.ts";
import { healthService } from "../../../src/gateway/health.ts";
import { createPeers, loopback, type Peers } from "../../../src/port/peer.ts";
import { shortened } from "../../harness/extent.ts";
import { describeFew } from "../../harness/in-full.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

const running: TestServer[] = [];
const sessions: ClientHttp2Session[] = [];

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** A service on which this machine has a share, as others have. */
async function start(limits: Partial<GatewayLimits>, peers: Peers = createPeers([], [])) {
  const server = await startServer({
    limits: { stopGraceMs: 0, unwantedBodyMs: 0, ...limits },
    peers,
  });
  running.push(server);
  return server;
}

function sessionTo({ url }: TestServer): ClientHttp2Session {
  const session = connect(url).on("error", () => {});
  sessions.push(session);
  return session;
}

const account = "/iam.account.v1.AccountService/VerifyPhone";
const calls = {
  "a health watch": { ":path": "/grpc.health.v1.Health/Watch", "content-type": "application/grpc" },
  "a call that takes the native wire": { ":path": account, "content-type": "application/grpc" },
  "a call that takes Connect's wire": { ":path": account, "content-type": "application/grpc+json" },
  "a call of JSON": { ":path": account, "content-type": "application/json" },
  "a stream": {
    ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "content-type": "application/grpc",
  },
} as const;

/** What is said of a call, whose request goes on unless it is refused: "open", or the refusal. */
function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, isWhole = false) {
  const stream = session.request({ ":method": "POST", te: "trailers", ...headers });
  const emptyFrame = Buffer.alloc(5);
  if (isWhole) stream.end(emptyFrame);
  stream.on("error", () => {});
  let told = "";
  const said = new Promise<string>((resolve) => {
    stream.on("response", ({ ":status": status }) => {
      told = `${status}`;
    });
    stream.on("trailers", (fields) => {
      told += Buffer.from(`${fields["grpc-status-details-bin"]}`, "base64").toString("latin1");
    });
    stream.on("data", (chunk) => {
      told += chunk;
      if (isWhole) resolve("open");
    });
    stream.on("close", () => resolve(/TOO_MANY_\w+/.exec(told)?.[0] ?? told));
  });
  return { said, leave: () => stream.close() };
}

/** Resolves when the server has read all that was sent before on the connection. */
async function settled(session: ClientHttp2Session): Promise<void> {
  await ask(session, { ":method": "GET", ":path": "/healthz" }).said;
  await new Promise((resolve) => session.ping(() => resolve(undefined)));
}

describe.each(shortened(Object.entries(calls), 2))("%s that does not end", (_name, call) => {
  const refusal = "TOO_MANY_OPEN_CALLS";

  test("counts for all, and makes room when it leaves", async () => {
    const server = await start({ openCallsMax: 2 }, createPeers([]));
    const [one, other] = [sessionTo(server), sessionTo(server)];
    const first = ask(one, call);
    ask(other, call);
    await Promise.all([settled(one), settled(other)]);
    expect(await ask(other, call).said).toBe(refusal);
    first.leave();
    await settled(one);
    ask(one, call);
    await settled(one);
    expect(await ask(other, call).said).toBe(refusal);
  });

  test("counts for its connection", async () => {
    const server = await start({ openCallsOfConnectionMax: 1 });
    const [one, other] = [sessionTo(server), sessionTo(server)];
    ask(one, call);
    await settled(one);
    expect(await ask(one, call).said).toBe(refusal);
    const elsewhere = ask(other, call);
    await settled(other);
    expect(await Promise.race([elsewhere.said, "open"])).toBe("open");
  });

  test("counts for whom a trusted proxy speaks for", async () => {
    const server = await start({ openCallsOfAddressMax: 1 }, createPeers(loopback, []));
    const session = sessionTo(server);
    const from = (address: string) => ({ ...call, "x-forwarded-for": `203.0.113.1, ${address}` });
    ask(session, from("198.51.100.1"));
    await settled(session);
    expect(await ask(session, from("198.51.100.1")).said).toBe(refusal);
    const another = ask(session, from("198.51.100.2"));
    await settled(session);
    expect(await Promise.race([another.said, "open"])).toBe("open");
  });
});

describeFew().each(["a health watch", "a stream"] as const)("%s, which stays open", (name) => {
  const call = calls[name];
  const refusal = "TOO_MANY_OPEN_CALLS";

  /** Opens one; answers what ends it. */
  async function open(session: ClientHttp2Session): Promise<() => void> {
    const asked = ask(session, call);
    await settled(session);
    expect(await Promise.race([asked.said, "open"])).toBe("open");
    return asked.leave;
  }

  test("is bounded in all; one that leaves makes room", async () => {
    const server = await start({ openStreamsMax: 2 }, createPeers([]));
    const session = sessionTo(server);
    const leave = await open(session);
    await open(session);
    expect(await ask(session, call).said).toBe(refusal);
    leave();
    await settled(session);
    await open(session);
    expect(await ask(session, call).said).toBe(refusal);
  });

  test("is bounded on a connection, and opens on another one", async () => {
    const server = await start({ openStreamsOfConnectionMax: 1 });
    const [one, other] = [sessionTo(server), sessionTo(server)];
    await open(one);
    expect(await ask(one, call).said).toBe(refusal);
    await open(other);
  });

  test("is bounded for an address, on whatever connection", async () => {
    const server = await start({ openStreamsOfAddressMax: 1 });
    const [one, other] = [sessionTo(server), sessionTo(server)];
    await open(one);
    for (const session of [one, other]) expect(await ask(session, call).said).toBe(refusal);
  });
});

describe("health watches", () => {
  test("live on one look for all of them, and on none when they have left", async () => {
    jest.useFakeTimers();
    let looks = 0;
    const over = new AbortController();
    const service = healthService([], {
      refusal: async () => {
        looks += 1;
        return undefined;
      },
      draining: new AbortController().signal,
      stopping: new AbortController().signal,
      intervalMs: 1_000,
    });
    const context = createHandlerContext({
      ...{ service: Health, method: Health.method.watch, protocolName: "grpc" },
      ...{ requestMethod: "POST", url: "http://localhost", requestSignal: over.signal },
    });
    const request = create(HealthCheckRequestSchema);
    const watches = Array.from({ length: 9 }, () =>
      (service.watch(request, context) as AsyncGenerator)[Symbol.asyncIterator](),
    );
    for (const each of watches) await each.next();
    const next = watches.map((each) => each.next());
    await jest.advanceTimersByTimeAsync(3_000);
    expect(looks).toBe(9 + 3);
    over.abort();
    await Promise.all(next);
    const left = looks;
    await jest.advanceTimersByTimeAsync(3_000);
    expect(looks).toBe(left);
    jest.useRealTimers();
  });
});
