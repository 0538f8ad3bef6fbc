import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { holdPort, listen, socketsPerAddress } from "../../src/port/listen.ts";

async function listener(port: number, reusePort: boolean): Promise<Server> {
  const server = createServer().listen({ host: "127.0.0.1", port, reusePort });
  await once(server, "listening");
  return server;
}

const close = (server: Server) => new Promise((done) => server.close(done));
const inUse = { code: "EADDRINUSE" };

describe("a port that is held", () => {
  test("is shared with who asks for it, and with nobody else", async () => {
    const held = await holdPort("127.0.0.1", 0);
    const { port } = held.address;
    await expect(listener(port, false)).rejects.toMatchObject(inUse);
    await expect(holdPort("127.0.0.1", port)).rejects.toMatchObject(inUse);
    const shared = await listener(port, true);
    await held.release();

    await expect(holdPort("127.0.0.1", port)).rejects.toMatchObject(inUse);
    const asked = once(shared, "connection");
    const socket = connect(port, "127.0.0.1");
    const [accepted] = await asked;
    accepted.destroy();
    socket.destroy();
    await close(shared);
    // Nobody listens there now, but those who share it may be about to.
    await expect(holdPort("127.0.0.1", port)).rejects.toMatchObject(inUse);
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
    await expect(holdPort("127.0.0.1", port)).rejects.toMatchObject(inUse);
    await close(other);
  });
});

describe("a port of several sockets", () => {
  const host = "127.0.0.1";

  test("takes several new connections in a turn of the event loop", async () => {
    const many = 64;
    const { port, taken, end } = await service();
    connectAll(port, many);
    let turns = 0;
    while (taken.length < many) {
      await new Promise((done) => setImmediate(done));
      turns += taken.length > 0 ? 1 : 0;
    }
    // Linux divides them at random: no socket has half of them.
    expect(turns).toBeLessThan(process.platform === "linux" ? many / 2 : many + 1);
    await end();
  });

  test("belongs to one process, until its servers have stopped", async () => {
    const { port, end } = await service();
    await expect(listen(makeServers([]), alone(port))).rejects.toMatchObject(inUse);
    await expect(listener(port, false)).rejects.toMatchObject(inUse);
    await expect(holdPort(host, port)).rejects.toMatchObject(inUse);
    await end();
    await (await service(port)).end();
  });

  test("listens nowhere when one of its addresses is taken", async () => {
    const other = createServer().listen({ host: "::1", port: 0 });
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    await expect(service(port)).rejects.toMatchObject(inUse);
    await close(await listener(port, false));
    await close(other);
  });

  async function service(given = 0) {
    const taken: Socket[] = [];
    const servers = makeServers(taken);
    const { address, free } = await listen(servers, alone(given));
    const end = async () => {
      for (const socket of taken) socket.destroy();
      await Promise.all([...servers.map(close), free()]);
    };
    return { port: address.port, taken, end };
  }

  const alone = (port: number) => ({ host, port, isShared: false });

  function makeServers(taken: Socket[]): readonly Server[] {
    const make = () => createServer((socket) => taken.push(socket));
    return Array.from({ length: 2 * socketsPerAddress }, make);
  }

  /** Ends when all connections wait to be accepted: this process does nothing in between. */
  function connectAll(port: number, count: number): void {
    const script = `
      let missing = ${count};
      const come = () => { missing -= 1; if (missing === 0) process.exit(); };
      for (let i = 0; i < ${count}; i += 1) require("net").connect(${port}, "${host}", come);`;
    execFileSync(process.execPath, ["-e", script]);
  }
});
