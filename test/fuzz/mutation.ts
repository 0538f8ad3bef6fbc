import type { JsonObject } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Random } from "../gateway/native/random.ts";

/** What makes something else of the bytes of a message. */
type Mutation = (bytes: Buffer, random: Random) => Buffer;

/** Does one thing or a few to the bytes of a message, as its form allows. */
export function mutated(bytes: Buffer, isBinary: boolean, random: Random): Buffer {
  const own = isBinary ? wireMutations : textMutations;
  let result = bytes;
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    result = random.pick(random.once(2) ? own : byteMutations)(result, random);
  }
  return result;
}

const at = (bytes: Buffer, random: Random) => random.below(bytes.length + 1);

function spliced(bytes: Buffer, place: number, removed: number, put: Uint8Array | string): Buffer {
  return Buffer.concat([
    bytes.subarray(0, place),
    Buffer.from(put as Uint8Array),
    bytes.subarray(place + removed),
  ]);
}

const byteMutations: readonly Mutation[] = [
  (bytes, random) => spliced(bytes, at(bytes, random), 1, Buffer.from([random.below(256)])),
  (bytes, random) => {
    const flipped = Buffer.from(bytes);
    if (flipped.length > 0) flipped[random.below(flipped.length)]! ^= 1 << random.below(8);
    return flipped;
  },
  (bytes, random) => bytes.subarray(0, at(bytes, random)),
  (bytes, random) => bytes.subarray(at(bytes, random)),
  (bytes, random) => spliced(bytes, at(bytes, random), random.below(9), ""),
  (bytes, random) => spliced(bytes, at(bytes, random), 0, bytes.subarray(at(bytes, random))),
  (bytes, random) => Buffer.concat(Array<Buffer>(2 + random.below(3)).fill(bytes)),
  (bytes, random) =>
    spliced(bytes, at(bytes, random), 0, Buffer.alloc(random.below(99), random.below(256))),
];

/** What may stand anywhere in JSON, and what may not. */
const jsonPieces = [
  ...["null", "true", "0", "-0", "1.5", "1e999", "-1", "9007199254740993", '""', '"\\ud800"', "[]"],
  ...["{}", ",", ":", '"a":', '"__proto__":{"a":1},', '"id":"a",', '"@type":"x",', "/**/", "NaN"],
  ...["\ufeff", "\u0000", "\\", '"', "'", "[".repeat(99), '{"a":'.repeat(101), "[[],[]]", "0x1"],
];

const textMutations: readonly Mutation[] = [
  (bytes, random) => spliced(bytes, at(bytes, random), 0, Buffer.from(random.pick(jsonPieces))),
  // In place of a value: behind a colon, up to the next comma or end.
  (bytes, random) => {
    const text = bytes.toString();
    const starts = [...text.matchAll(/:/g)].map(({ index }) => index + 1);
    if (starts.length === 0) return bytes;
    const start = random.pick(starts);
    const { index: length } = /[,}\]]|$/.exec(text.slice(start))!;
    const piece = random.pick(jsonPieces);
    return Buffer.from(text.slice(0, start) + piece + text.slice(start + length));
  },
  // Names as the proto has them, and with a letter missing.
  (bytes, random) => {
    const [from, to] = random.pick([
      [/[A-Z]/g, (letter: string) => `_${letter.toLowerCase()}`],
      [/[aeiou]/, () => ""],
      [/"/g, () => "'"],
    ] as const);
    return Buffer.from(bytes.toString().replaceAll(new RegExp(from, "g"), to));
  },
  (bytes) => {
    const text = bytes.toString();
    return Buffer.from(text.replace(/^\{(.+)\}$/s, "{$1,$1}"));
  },
  (bytes) => Buffer.from(`\ufeff${bytes}`),
  (bytes) => Buffer.from(bytes.toString(), "utf16le"),
];

/** Parts of messages, of known and unknown fields, in the right and in wrong wire types. */
function wirePiece(random: Random): Uint8Array {
  const writer = new BinaryWriter();
  const field = random.once(2) ? 1 + random.below(16) : random.pick([100, 2 ** 29 - 1, 19_000]);
  switch (random.below(9)) {
    case 0:
      return writer
        .tag(field, WireType.Varint)
        .uint64(random.pick(["0", "1", max64]))
        .finish();
    case 1:
      return writer.tag(field, WireType.Bit64).fixed64(max64).finish();
    case 2:
      return writer
        .tag(field, WireType.Bit32)
        .fixed32(random.below(2 ** 31))
        .finish();
    case 3:
      return writer.tag(field, WireType.LengthDelimited).bytes(Buffer.alloc(9, 0xff)).finish();
    case 4:
      return writer.tag(field, WireType.StartGroup).finish();
    case 5:
      return writer.tag(field, WireType.EndGroup).finish();
    case 6:
      // A length that lies, up to 4 GiB.
      return writer
        .tag(field, WireType.LengthDelimited)
        .uint32(random.below(2 ** 32))
        .finish();
    case 7:
      return Buffer.alloc(11, 0xff);
    default:
      return Buffer.from([random.below(256), random.below(256)]);
  }
}

const max64 = "18446744073709551615";

const wireMutations: readonly Mutation[] = [
  (bytes, random) => Buffer.concat([bytes, wirePiece(random)]),
  (bytes, random) => Buffer.concat([wirePiece(random), bytes]),
  (bytes, random) => spliced(bytes, at(bytes, random), 0, wirePiece(random)),
  // The same field within itself, and what was there inside of it all.
  (bytes, random) => {
    const field = 1 + random.below(16);
    let nested: Uint8Array = bytes;
    for (let left = random.pick([1, 30, 99, 101]); left > 0; left -= 1) {
      nested = new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(nested).finish();
    }
    return Buffer.from(nested);
  },
  // As many elements as there may be, give or take one, of two bytes each.
  (bytes, random) => {
    const piece = Buffer.from([((1 + random.below(15)) << 3) | WireType.LengthDelimited, 0]);
    const count = random.pick([10, 4_095, 4_097]);
    return Buffer.concat([bytes, Buffer.alloc(piece.length * count, piece)]);
  },
];

/** The text of a message in JSON, with its numbers now and then as other texts have them. */
export function jsonText(message: JsonObject, random: Random): Buffer {
  const text = JSON.stringify(message, null, random.once(10) ? 1 : 0);
  return Buffer.from(random.once(20) ? text.replaceAll(/:(\d+)\b/g, ':"$1"') : text);
}
