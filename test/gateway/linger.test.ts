// Who calls over HTTP/1.1 while the service stops is answered, and not reset.

import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { startServer } from "../harness/server.ts";
import { connected, get, textOf } from "./flight.ts";

/** Past what comes at once: where an answer is not the last, its connection goes on for so long. */
const longMs = 3_000;

async function used(port: number): Promise<Socket> {
  const socket = await connected(port);
  const answered = once(socket, "data");
  socket.write(get);
  await answered;
  return socket;
}

describe("a stop", () => {
  test.each([
    ["a connection that was used before", used],
    ["a connection that has said nothing yet", connected],
  ])("answers what is on its way on %s, as its last", async (_title, open) => {
    const server = await startServer({ limits: { lingerMs: longMs, stopGraceMs: longMs } });
    const socket = await open(server.port);
    let problem: unknown;
    socket.on("error", (error) => {
      problem = error;
    });
    const closed = server.close();
    socket.write(get);
    const text = await textOf(socket);
    await closed;
    expect(text).toMatch(/^HTTP\/1\.1 (?:200|503) /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(problem).toBeUndefined();
  });

  test.each([
    ["was used before", used],
    ["has said nothing yet", connected],
  ])("closes a connection that %s after lingerMs", async (_title, open) => {
    const server = await startServer({ limits: { lingerMs: 0, stopGraceMs: longMs } });
    const socket = await open(server.port);
    const closed = server.close();
    expect(await textOf(socket).catch(() => "")).toBe("");
    await closed;
  });
});
