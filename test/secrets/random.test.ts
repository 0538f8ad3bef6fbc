import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createRandom } from "../../src/secrets/random.ts";

test("every byte is given once, in order, and none is kept", () => {
  const blocks: Uint8Array[] = [];
  const random = createRandom((size) => {
    const block = randomBytes(size);
    blocks.push(block);
    return block;
  });
  const sizes = [16, 32, 1, 4_000, 47, 4_096, 0, 5_000];
  const copies: Buffer[] = [];
  const given = sizes.map((size) => {
    const before = blocks.length;
    const bytes = random(size);
    if (blocks.length > before) copies.push(Buffer.from(bytes));
    return bytes;
  });
  expect(given.map(({ byteLength }) => byteLength)).toEqual(sizes);
  // The rest of a block that is too short for what is asked is left.
  expect(blocks.map(({ byteLength }) => byteLength)).toEqual([4_096, 4_096, 5_000]);
  const [first, second] = blocks as [Uint8Array, Uint8Array];
  expect(first.every((byte) => byte === 0)).toBe(true);
  expect(second.every((byte) => byte === 0)).toBe(true);
  expect(new Set(given.slice(0, 5).map((bytes) => Buffer.from(bytes).toString("hex"))).size).toBe(
    5,
  );
});

test("the bytes are those of the source", () => {
  let next = 0;
  const random = createRandom((size) => Uint8Array.from({ length: size }, () => next++ % 256));
  expect([...random(3), ...random(2)]).toEqual([0, 1, 2, 3, 4]);
});
