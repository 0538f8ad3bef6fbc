import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createPieces } from "../../../src/gateway/call/pieces.ts";
import { isFull } from "../../harness/extent.ts";
import { few } from "../../harness/in-full.ts";
import { fc } from "../../harness/laws.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { dataFrame, frameType, headersFrame, openFrames } from "../frames.ts";
import { bodyFor, dialectNames, dialects, messageOf } from "../hostile.ts";

/** A chunk as a socket hands it on: cut from what was read at once. */
function cut(bytes: number, fromBytes: number, fill = 7): Uint8Array {
  return new Uint8Array(new ArrayBuffer(fromBytes), 0, bytes).fill(fill);
}

const spareBytes = 4 * 1024;

describe("bytes that come in chunks", () => {
  test("are those chunks one after the other, whatever was joined before", () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(chunks, (all) => {
        const pieces = createPieces();
        const joined = all.map((chunk) => {
          pieces.add(chunk);
          return pieces.join();
        });
        const expected = all.map((_, i) => Buffer.concat(all.slice(0, i + 1)));
        expect(joined.map((bytes) => bytes.toString("hex"))).toEqual(
          expected.map((bytes) => bytes.toString("hex")),
        );
        expect(pieces.bytes).toBe(expected.at(-1)?.byteLength ?? 0);
      }),
    );
  });

  few(3).each([1, 2, 100, 16_384])("take twice their memory at most, by %d", (chunkBytes) => {
    const pieces = createPieces();
    for (let count = 0; count < (isFull ? 3_000 : 300); count += 1) {
      pieces.add(cut(chunkBytes, 65_536));
      const { buffer } = pieces.join();
      expect(buffer.byteLength).toBeLessThanOrEqual(2 * pieces.bytes + spareBytes);
    }
  });

  test.each([
    ["no copy of what came alone", 1_000, 2 * 1_000 + spareBytes, true],
    ["a copy of what would keep much more", 1_000, 2 * 1_000 + spareBytes + 1, false],
  ])("are %s", (_, bytes, fromBytes, isSame) => {
    const pieces = createPieces();
    const chunk = cut(bytes, fromBytes);
    pieces.add(chunk);
    expect(pieces.join().buffer === chunk.buffer).toBe(isSame);
    expect(pieces.join().equals(chunk)).toBe(true);
  });

  test("are not written into what they came from", () => {
    const pieces = createPieces();
    const chunk = cut(10, 20);
    pieces.add(chunk);
    pieces.add(cut(5, 5, 9));
    expect([...new Uint8Array(chunk.buffer)]).toEqual([...Array(10).fill(7), ...Array(10).fill(0)]);
  });
});

describe("a body in frames of one byte", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  test.each(dialectNames)("is read over %s", async (dialect) => {
    const { path, contentType } = dialects[dialect];
    const frames = await openFrames(server.port);
    // A name of its own, as long as one may be.
    const message = messageOf(dialect, 150 + dialectNames.indexOf(dialect));
    const body = bodyFor(dialect, message);
    const authorization = `Bearer ${server.admin.token}`;
    const fields = { authorization, "content-type": contentType, end: false };
    frames.write(headersFrame(1, path, fields));
    for (const [at] of body.entries()) {
      frames.write(dataFrame(1, body.subarray(at, at + 1), { end: at === body.length - 1 }));
    }
    await frames.until(({ type, stream }) => type === frameType.data && stream === 1);
    const made = (await server.events()).at(-1);
    const { name } = JSON.parse(made?.payload ?? "{}") as { readonly name: string };
    expect(made?.type).toBe("project.added");
    expect(message.includes(name)).toBe(true);
    expect(name.length).toBeGreaterThan(100);
    frames.destroy();
    await frames.ended;
  });
});
