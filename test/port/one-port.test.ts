import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { frameType, openFrames, pingFrame } from "../gateway/frames.ts";
import { openRaw } from "../gateway/raw.ts";
import { startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const get = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

/** Writes the parts one by one; each has left before the next, so that they arrive apart. */
async function writeApart(parts: readonly (string | Uint8Array)[]): Promise<Buffer> {
  const socket = connect({ port: server.port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const answered = once(socket, "data");
  for (const part of parts) {
    await new Promise((resolve) => socket.write(part, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const [first] = (await answered) as [Buffer];
  const closed = once(socket, "close");
  socket.destroy();
  await closed;
  return first;
}

describe("a connection without TLS", () => {
  const cuts = Array.from({ length: preface.length - 1 }, (_none, index) => index + 1);

  test.each(cuts)("speaks HTTP/2 with its preface cut after byte %i", async (cut) => {
    const parts = [
      preface.slice(0, cut),
      Buffer.concat([Buffer.from(preface.slice(cut)), emptySettings]),
    ];
    const answer = await writeApart(parts);
    expect(answer.readUInt8(3)).toBe(frameType.settings);
  });

  test("speaks HTTP/2 with its preface byte by byte", async () => {
    const answer = await writeApart([...preface, emptySettings]);
    expect(answer.readUInt8(3)).toBe(frameType.settings);
  });

  test.each([
    {
      first: "P",
      rest: "OST /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n",
      status: 405,
    },
    {
      first: "PUT",
      rest: " /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n",
      status: 405,
    },
    {
      first: "POST",
      rest: " /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n",
      status: 405,
    },
    { first: "PRI", rest: " / HTTP/1.1\r\nhost: localhost\r\n\r\n", status: 400 },
    { first: "PRI * HTTP/2.0\r\n\r\nS", rest: "X\r\n\r\n", status: 400 },
    { first: "G", rest: get.slice(1), status: 200 },
    { first: "\0", rest: "\0\0\0\r\n\r\n", status: 400 },
  ])(
    "that begins with $first is answered $status over HTTP/1.1",
    async ({ first, rest, status }) => {
      const answer = await writeApart([first, rest]);
      expect(answer.toString("latin1")).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    },
  );

  test("speaks HTTP/1.1 byte by byte", async () => {
    const answer = await writeApart([...get]);
    expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("serves one HTTP/1.1 request after the other", async () => {
    const connection = await openRaw(server.port);
    for (let count = 0; count < 3; count += 1) {
      connection.write(get);
      expect(await connection.answer("GET")).toMatchObject({ status: 200 });
    }
    await connection.close();
  });

  test("answers pipelined requests in their order", async () => {
    const connection = await openRaw(server.port);
    const unknown = get.replace("/healthz", "/unknown");
    connection.write(get + unknown + get + unknown);
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await connection.answer("GET")).status);
    expect(statuses).toEqual([200, 404, 200, 404]);
    await connection.close();
  });

  test("keeps the bytes of a long body that comes with the first ones in order", async () => {
    const connection = await openRaw(server.port);
    const name = "n".repeat(200);
    const padding = " ".repeat(900_000);
    const body = `{${padding}"name": "${name}"}`;
    const head = [
      `POST /management/v1/projects/${server.project}/apps/api HTTP/1.1`,
      "host: localhost",
      `authorization: Bearer ${server.admin.token}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
    ].join("\r\n");
    connection.write(`${head}\r\n\r\n${body}`);
    expect(await connection.answer()).toMatchObject({ status: 200 });
    await connection.close();
    const last = (await server.events()).at(-2);
    expect(JSON.parse(last!.payload)).toMatchObject({ name });
  });

  test.each(["", "P", "PRI * HTTP/2.0\r\n\r\nSM", preface, get])(
    "that is reset after %j disturbs nobody",
    async (sent) => {
      const socket = connect({ port: server.port, host: "127.0.0.1" });
      await once(socket, "connect");
      if (sent !== "") await new Promise((resolve) => socket.write(sent, resolve));
      const closed = once(socket, "close");
      socket.resetAndDestroy();
      await closed;
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    },
  );

  test("that ends without a word is closed", async () => {
    const connection = await openRaw(server.port);
    connection.end();
    expect(await connection.ended()).toHaveLength(0);
    await connection.close();
  });

  test("speaks HTTP/2 and HTTP/1.1 at once with different peers", async () => {
    const frames = await openFrames(server.port);
    const session = connectHttp2(server.url);
    await once(session, "remoteSettings");
    const raw = await openRaw(server.port);
    raw.write(get);
    expect(await raw.answer("GET")).toMatchObject({ status: 200 });
    const stream = session.request({ ":path": "/healthz" });
    const [headers] = await once(stream, "response");
    expect(headers).toMatchObject({ ":status": 200 });
    frames.write(pingFrame());
    expect((await frames.until(({ type }) => type === frameType.ping)).flags).toBe(1);

    const closed = once(session, "close");
    stream.resume();
    session.close();
    frames.destroy();
    await Promise.all([closed, frames.ended, raw.close()]);
  });
});
