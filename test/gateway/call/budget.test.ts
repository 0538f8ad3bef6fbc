import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createBudget } from "../../../src/gateway/call/budget.ts";
import { patience } from "../../harness/extent.ts";
import { few } from "../../harness/in-full.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import {
  dataFrame,
  errorCode,
  type FrameConnection,
  frameType,
  headersFrame,
  openFrames,
  resetFrame,
} from "../frames.ts";
import {
  bodyFor,
  type DialectName,
  dialectNames,
  frame,
  isFramed,
  messageOf,
  rpcPath,
  send,
} from "../hostile.ts";
import type { RawAnswer } from "../raw.ts";
import { expectRefusal, reached } from "../refusal.ts";

const max = 4_000;
const half = max / 2;
const overloaded = {
  status: 429,
  code: 8,
  reason: "BODIES_OVERLOADED",
  message: /Try again later/,
};
const read = { ...reached, message: /at most 200 characters/ };

/** Sends a body of so many bytes, the frame among them. */
function sendBytes(server: TestServer, dialect: DialectName, bytes: number): Promise<RawAnswer> {
  const message = messageOf(dialect, isFramed(dialect) ? bytes - 5 : bytes);
  return send(server, dialect, { body: bodyFor(dialect, message) });
}

/** A call whose body has come but for its end, of half of the bytes that all may hold. */
async function holdHalf(server: TestServer, fill = " "): Promise<FrameConnection> {
  const authorization = `Bearer ${server.admin.token}`;
  const frames = await openFrames(server.port);
  frames.write(
    headersFrame(1, rpcPath, { authorization, "content-type": "application/json", end: false }),
    dataFrame(1, Buffer.from(`{"name":""${fill}`.padEnd(half)), { end: false }),
  );
  while ((await sendBytes(server, "json", half + 1)).status !== 429);
  return frames;
}

async function release(server: TestServer, frames: FrameConnection): Promise<void> {
  frames.destroy();
  await frames.ended;
  while ((await sendBytes(server, "json", half + 1)).status === 429);
}

describe("while half of the bytes are held", () => {
  let server: TestServer;
  let frames: FrameConnection;
  beforeAll(async () => {
    server = await startServer({ limits: { bufferedBytesMax: max } });
    frames = await holdHalf(server);
  });
  afterAll(async () => {
    await release(server, frames);
    await server.close();
  });

  few(2).each(dialectNames)("the other half is read over %s", async (dialect) => {
    expectRefusal(dialect, await sendBytes(server, dialect, half), read);
  });

  few(2).each(dialectNames)("one byte more is refused over %s", async (dialect) => {
    expectRefusal(dialect, await sendBytes(server, dialect, half + 1), overloaded);
  });

  test("nothing is read of who shows no token, and the others go on", async () => {
    const health = { path: "/grpc.health.v1.Health/Check", without: ["authorization"] };
    expectRefusal("json", await send(server, "json", { ...health, body: "{}" }), overloaded);
    expectRefusal("json", await sendBytes(server, "json", half), read);
  });
});

describe("who shows no token", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ limits: { bufferedBytesMax: max } });
  });
  afterAll(() => server.close());

  test.each([
    { bytes: half, status: 200 },
    { bytes: half + 1, status: 429 },
  ])("is answered $status for $bytes bytes", async ({ bytes, status }) => {
    const body = "{}".padEnd(bytes);
    const health = { path: "/grpc.health.v1.Health/Check", without: ["authorization"], body };
    expect(await send(server, "json", health)).toMatchObject({ status });
  });

  test("may send a stream of more, message by message", async () => {
    const frames = await openFrames(server.port);
    const grpc = { "content-type": "application/grpc", end: false };
    const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    frames.write(headersFrame(1, path, grpc));
    // A host of 1,500 characters, which the answer repeats, and nothing that is asked for.
    const host = Buffer.concat([Buffer.from([0x0a, 0xdc, 0x0b]), Buffer.alloc(1_500, "h")]);
    const answers = () => frames.seen().filter(({ type }) => type === frameType.data).length;
    for (let count = 0; count < 3; count += 1) {
      const before = answers();
      frames.write(dataFrame(1, frame(host), { end: count === 2 }));
      await frames.until(() => answers() > before);
    }
    // Each answer repeats the host once as its own and once as that of the request.
    const answered = frames.seen().filter(({ type }) => type === frameType.data);
    const bytes = answered.reduce((sum, { payload }) => sum + payload.length, 0);
    expect(bytes).toBeGreaterThan(6 * 1_500);
    frames.destroy();
    await frames.ended;
  });
});

describe("calls whose bodies have not come whole", () => {
  const halfSentCallsMax = 4;
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ limits: { bufferedBytesMax: max, halfSentCallsMax } });
  });
  afterAll(() => server.close());

  /** Sends only the headers of so many calls. */
  async function beginCalls(count: number): Promise<FrameConnection> {
    const frames = await openFrames(server.port);
    const authorization = `Bearer ${server.admin.token}`;
    const fields = { authorization, "content-type": "application/json", end: false };
    for (let call = 0; call < count; call += 1) {
      frames.write(headersFrame(2 * call + 1, rpcPath, fields));
    }
    return frames;
  }

  test.each(dialectNames)(
    "leave room up to their number, and no more, over %s",
    async (dialect) => {
      const few = await beginCalls(halfSentCallsMax - 1);
      expectRefusal(dialect, await sendBytes(server, dialect, 300), read);
      const last = await beginCalls(1);
      while ((await sendBytes(server, "json", 300)).status !== 429);
      expectRefusal(dialect, await sendBytes(server, dialect, 300), overloaded);
      for (const frames of [few, last]) {
        frames.destroy();
        await frames.ended;
      }
      while ((await sendBytes(server, "json", max)).status === 429);
    },
  );
});

describe("what a call holds is given back once, and all of it", () => {
  const data = (bytes: string) => dataFrame(1, Buffer.from(bytes), { end: true });
  const answered = (frames: FrameConnection) =>
    frames.until(({ type, stream }) => type === frameType.data && stream === 1);
  const ways: readonly {
    readonly name: string;
    readonly fill?: string;
    readonly timeoutMs?: number;
    end(frames: FrameConnection): unknown;
  }[] = [
    {
      name: "it is answered",
      end: (frames) => {
        frames.write(data("}"));
        return answered(frames);
      },
    },
    {
      name: "it is refused as malformed",
      fill: "garbage",
      end: (frames) => {
        frames.write(data("}"));
        return answered(frames);
      },
    },
    {
      name: "it grows too large",
      end: (frames) => {
        frames.write(data(" ".repeat(half)));
        return answered(frames);
      },
    },
    {
      name: "it grows past what all may hold",
      end: (frames) => {
        frames.write(data(" ".repeat(half + 1)));
        return answered(frames);
      },
    },
    { name: "its end does not come", timeoutMs: 500, end: answered },
    { name: "it is reset", end: (frames) => frames.write(resetFrame(1, errorCode.cancel)) },
    { name: "its connection ends", end: (frames) => frames.destroy() },
  ];
  few(3).each(ways)("when $name", async ({ fill, timeoutMs = 30_000 * patience, end }) => {
    const limits = { bufferedBytesMax: max, bodyBytesMax: 3_500, requestTimeoutMs: timeoutMs };
    const server = await startServer({ limits });
    for (let round = 0; round < 2; round += 1) {
      const frames = await holdHalf(server, fill);
      await end(frames);
      await release(server, frames);
    }
    const frames = await holdHalf(server);
    expectRefusal("json", await sendBytes(server, "json", half), read);
    expectRefusal("json", await sendBytes(server, "json", half + 1), overloaded);
    await release(server, frames);
    await server.close();
  });
});

describe("a budget", () => {
  test("is shared, and a lease past it or at its end holds nothing more", () => {
    const budget = createBudget();
    const [one, other, less] = [budget.lease(10), budget.lease(10), budget.lease(5)];
    expect([one.hold(6), other.hold(5), other.hold(4), less.hold(0), less.hold(1)]).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect([one.hold(2), other.hold(8), one.hold(3)]).toEqual([true, true, false]);
    for (const lease of [one, one, other]) lease.end();
    expect([one.hold(1), less.hold(6), less.hold(5)]).toEqual([false, false, true]);
    expect([budget.lease(10).hold(6), budget.lease(10).hold(5)]).toEqual([false, true]);
  });
});
