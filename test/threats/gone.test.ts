// A caller that goes just when it is answered, or before anybody has looked at what it asked for,
// ends nothing but its own request: Node tells of that by errors that nobody may be there to take.

import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { connected } from "../gateway/flight.ts";
import {
  errorCode,
  frameType,
  headersFrame,
  openFrames,
  pingFrame,
  resetFrame,
} from "../gateway/frames.ts";
import { startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const paths = ["/grpc.health.v1.Health/List", "/iam.account.v1.AccountService/VerifyPhone", "/ui/"];

test.each(paths)(
  "a caller that goes over HTTP/1.1, with two requests and what is none: %s",
  async (path) => {
    const fields = "host: localhost\r\ncontent-type: application/grpc-web\r\ngrpc-timeout: 0n";
    const whole = `POST ${path} HTTP/1.1\r\n${fields}\r\ncontent-length: 2\r\n\r\n\0V`;
    const leaving = Array.from({ length: 9 }, async (_, nth) => {
      const socket = await connected(server.port);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.resume().end(Buffer.from(`${whole}${whole}\xff`, "latin1"));
      if (nth % 3 > 0) await pause(nth % 3);
      if (nth > 2) socket.destroy();
      await closed;
    });
    await Promise.all(leaving);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  },
);

test.each(paths)(
  "a caller that goes over HTTP/2, in one packet with its request: %s",
  async (path) => {
    const frames = await openFrames(server.port);
    for (const [nth, expects] of ["", "100-continue", "nothing"].entries()) {
      const stream = 1 + 2 * nth;
      const fields = { expect: expects, "content-type": "application/grpc" };
      const asked = headersFrame(stream, path, { end: false, ...fields });
      frames.write(asked, resetFrame(stream, errorCode.cancel));
    }
    frames.write(pingFrame());
    await frames.until(({ type }) => type === frameType.ping);
    frames.destroy();
    await frames.ended;
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  },
);
