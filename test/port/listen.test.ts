import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { cannotTake } from "../../src/config/cannot-listen.ts";
import { holdPort, listenOnSocket } from "../../src/port/listen.ts";

async function listener(port: number, reusePort: boolean): Promise<Server> {
  const server = createServer().listen({ host: "127.0.0.1", port, reusePort });
  await once(server, "listening");
  return server;
}

const close = (server: Server) => new Promise((done) => server.close(done));
const taken = { code: "EADDRINUSE" };

describe("a port that is held", () => {
  test("is shared with who asks for it, and with nobody else", async () => {
    const held = await holdPort("127.0.0.1", 0);
    const { port } = held.address;
    await expect(listener(port, false)).rejects.toMatchObject(taken);
    await expect(holdPort("127.0.0.1", port)).rejects.toMatchObject(taken);
    const shared = await listener(port, true);
    await held.release();

    await expect(holdPort("127.0.0.1", port)).rejects.toMatchObject(taken);
    const asked = once(shared, "connection");
    const socket = connect(port, "127.0.0.1");
    const [accepted] = await asked;
    accepted.destroy();
    socket.destroy();
    await close(shared);
    // Nobody listens there now, but those who share it may be about to.
    await expect(holdPort("127.0.0.1", port)).rejects.toMatchObject(taken);
    await held.free();
    const next = await holdPort("127.0.0.1", port);
    await Promise.all([next.release(), next.free()]);
  });

  test("closes what connects before anybody serves there", async () => {
    const held = await holdPort("127.0.0.1", 0);
    const socket = connect(held.address.port, "127.0.0.1").on("error", () => {});
    await once(socket, "close");
    await Promise.all([held.release(), held.free()]);
  });

  test("that somebody has alone is refused", async () => {
    const other = await listener(0, false);
    const { port } = other.address() as { port: number };
    await expect(holdPort("127.0.0.1", port)).rejects.toMatchObject(taken);
    await close(other);
  });
});

describe("a socket that is handed over", () => {
  test("is refused where it is a file", async () => {
    const fd = openSync("/dev/null", "r");
    const refused = await listenOnSocket(createServer(), fd).catch(cannotTake);
    expect(refused).toMatchObject({
      message: "The socket that LISTEN_FDS hands over must be a TCP socket that listens: EINVAL",
    });
    closeSync(fd);
  });
});
