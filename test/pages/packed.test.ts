import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readAssets } from "../../src/pages/assets.ts";
import { openRaw } from "../gateway/raw.ts";
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
