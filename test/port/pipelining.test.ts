import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { createPipelining } from "../../src/port/pipelining.ts";
import { get } from "../gateway/flight.ts";
import { http1Request } from "../gateway/hostile.ts";
import { openRaw, type RawConnection } from "../gateway/raw.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const max = 5;
let server: TestServer;
let connection: RawConnection;

beforeEach(async () => {
  server = await startServer({ limits: { unansweredRequestsMax: max } });
  connection = await openRaw(server.port);
});

afterEach(async () => {
  await connection.close();
  await server.close();
});

/** Writes it all at once behind a call that is answered when all of it has been read. */
async function pipeline(rest: string): Promise<void> {
  const lock = new Database(join(server.dataDir, "iam.db"));
  lock.exec("BEGIN IMMEDIATE");
  const first = http1Request(server, "json", { body: '{"name": "waits for the lock"}' });
  connection.write(Buffer.concat([first, Buffer.from(rest)]));
  // The path of no operation leaves a line when it is refused, though its answer has to wait.
  while (!server.logged().some((line) => line.includes("UNKNOWN_PATH"))) {
    await new Promise(setImmediate);
  }
  lock.exec("ROLLBACK");
  lock.close();
}

const unknown = get.replace("/healthz", "/unknown");

async function statuses(count: number): Promise<readonly number[]> {
  const found: number[] = [];
  while (found.length < count) found.push((await connection.answer("GET")).status);
  return found;
}

describe("requests that wait for their answers on one connection", () => {
  test("are all answered at the limit, and so are those after them", async () => {
    await pipeline(unknown + get.repeat(max - 2));
    expect(await statuses(max)).toEqual([200, 404, 200, 200, 200]);
    connection.write(get.repeat(max));
    expect(await statuses(max)).toEqual(Array(max).fill(200));
  });

  test("are refused without a body where the first past the limit is HEAD", async () => {
    await pipeline(unknown + get.repeat(max - 2) + get.replace("GET", "HEAD"));
    expect(await statuses(max)).toEqual([200, 404, 200, 200, 200]);
    expect(await connection.answer("HEAD")).toMatchObject({ status: 429 });
    expect(await connection.ended()).toHaveLength(0);
  });

  test.each([1, 3, 2_000])(
    "are refused from the first past the limit, with %i more",
    async (more) => {
      await pipeline(unknown + get.repeat(max - 2 + more));
      expect(await statuses(max)).toEqual([200, 404, 200, 200, 200]);
      const refused = await connection.answer("GET");
      const headers = { connection: "close", "retry-after": "1" };
      expect(refused).toMatchObject({ status: 429, headers });
      expect(JSON.parse(refused.body.toString())).toMatchObject({
        code: 8,
        message: "More than 5 requests are waiting for answers on this connection.",
        details: [{ reason: "REQUESTS_UNANSWERED" }, { retryDelay: "1s" }],
      });
      expect(await connection.ended()).toHaveLength(0);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    },
  );
});

test("a caller that goes closes its answers where Node does not, each once", async () => {
  const pipelining = createPipelining(max, () => Buffer.alloc(0));
  const socket = new Socket();
  const closed = [0, 0, 0];
  const [first] = closed.map((_none, nth) => {
    // As Node makes it for a request behind another one: it has no socket yet.
    const request = new IncomingMessage(socket);
    const response = new ServerResponse(request);
    response.on("close", () => {
      closed[nth] = (closed[nth] ?? 0) + 1;
    });
    expect(pipelining.admit(request, response)).toBe(true);
    return response;
  });
  first?.emit("close");
  expect(closed).toEqual([1, 0, 0]);
  await new Promise((resolve) => socket.once("close", resolve).destroy());
  await new Promise(setImmediate);
  expect(closed).toEqual([1, 1, 1]);
});
