import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { pieceBytesMax } from "../../src/gateway/call/pieces.ts";
import { readAssets } from "../../src/pages/assets.ts";
import { givenPolicy, pathTo } from "../cases/assets.ts";
import { png, pngHeader, pngPixels } from "../domain/image/parts.ts";
import { openRaw } from "../gateway/raw.ts";
import type { World } from "../harness/cases.ts";
import { startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** Asks for a file of the pages, and what it takes the bytes as. */
async function ask(path: string, encodings: string) {
  const raw = await openRaw(server.port);
  raw.write(`GET /ui/${path} HTTP/1.1\r\nhost: x\r\naccept-encoding: ${encodings}\r\n\r\n`);
  const answer = await raw.answer("GET");
  await raw.close();
  return answer;
}

test("files of the pages are packed for browsers that take that", async () => {
  for (const { path, bytes } of Object.values(await readAssets())) {
    const packed = await ask(path, "br, gzip;q=0.5");
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(gunzipSync(packed.body)).toEqual(bytes);
    for (const encodings of ["br", "gzip;q=0"]) {
      const plain = await ask(path, encodings);
      expect(plain.headers).toMatchObject({ vary: "accept-encoding" });
      expect(plain.headers).not.toHaveProperty("content-encoding");
      expect(plain.body).toEqual(bytes);
    }
  }
});

test("an image is written in slices, of which TLS keeps one for each connection", async () => {
  const written: number[] = [];
  const hear = (told: unknown) => {
    const { socket } = told as { readonly socket: Socket };
    const write = socket.write.bind(socket) as (...given: readonly unknown[]) => boolean;
    const heard = (...given: readonly [{ readonly length: number }]) => {
      written.push(given[0].length);
      return write(...given);
    };
    Object.assign(socket, { write: heard });
  };
  subscribe("net.server.socket", hear);
  try {
    const noise = randomBytes(3 * pieceBytesMax);
    const image = png(pngHeader(), pngPixels(noise.length, noise.toString("latin1")));
    await givenPolicy({ server, unique: v7() } as World, image);
    written.length = 0;
    expect((await ask(pathTo(image).slice("/ui/".length), "identity")).body).toEqual(image);
    expect(Math.max(...written)).toBe(pieceBytesMax);
  } finally {
    unsubscribe("net.server.socket", hear);
  }
});
