import {
  animated,
  ascii,
  beginsWith,
  damaged,
  joined,
  littleEndian,
  readBytes,
  textOf,
  toLittleEndian,
} from "./bytes.ts";
import type { Cleaned } from "./cleaned.ts";

/**
 * Leaves the pixels of a WebP (RFC 9649), with their transparency. Throws ImageRefused where it is
 * damaged, animated, or not whole.
 */
export function cleanWebp(bytes: Uint8Array): Cleaned {
  const chunks = chunksOf(bytes);
  const [first] = chunks;
  if (chunks.some(({ name }) => name === "ANIM" || name === "ANMF")) throw animated();
  const [pixels, ...others] = chunks.filter(({ name }) => Object.hasOwn(sizes, name));
  if (first === undefined || pixels === undefined || others.length > 0) {
    throw damaged("it has no pixels, or more than one image");
  }
  const size = sizes[pixels.name as keyof typeof sizes](pixels.data);
  const alpha = first.name === extended ? alphaOf(first, chunks, pixels, size) : undefined;
  if (first.name !== extended && first !== pixels) throw damaged("its pixels are not at its begin");
  const kept = alpha === undefined ? [pixels] : [plainHeader(size), alpha, pixels];
  return { ...size, bytes: fileOf(kept) };
}

interface Chunk {
  readonly name: string;
  readonly data: Uint8Array;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The name of the header that an image has which has more than pixels. */
const extended = "VP8X";

/** In that header: whether it has transparency, and whether it moves. */
const [transparent, moving] = [0x10, 0x02] as const;

/** The chunks of the file; what follows it is left out. */
function chunksOf(bytes: Uint8Array): readonly Chunk[] {
  const all = readBytes(bytes.subarray(4));
  const reader = readBytes(all.take(littleEndian(all.take(4))));
  reader.take(4);
  const chunks: Chunk[] = [];
  while (reader.left > 0) {
    const name = textOf(reader.take(4));
    const size = littleEndian(reader.take(4));
    chunks.push({ name, data: reader.take(size) });
    // Each begins at an even place.
    if (reader.take(size % 2)[0]) throw damaged("something lies between its chunks");
  }
  return chunks;
}

/** A file of these chunks. */
function fileOf(chunks: readonly Chunk[]): Uint8Array {
  const parts = chunks.flatMap(({ name, data }) => {
    const padding = new Uint8Array(data.length % 2);
    return [ascii(name), toLittleEndian(data.length, 4), data, padding];
  });
  const body = joined([ascii("WEBP"), ...parts]);
  return joined([ascii("RIFF"), toLittleEndian(body.length, 4), body]);
}

/** The sizes that the two kinds of pixels begin with. */
const sizes = {
  /** A key frame of VP8 (RFC 6386, 9.1) that is shown. */
  "VP8 ": (data: Uint8Array): Size => {
    const tag = littleEndian(data.subarray(0, 3));
    const isShownKey = (tag & 1) === 0 && ((tag >> 1) & 7) <= 3 && ((tag >> 4) & 1) === 1;
    const isWhole = data.length >= 10 && tag >> 5 <= data.length - 10;
    const isBegun = beginsWith(data.subarray(3), Uint8Array.of(0x9d, 0x01, 0x2a));
    if (!isShownKey || !isWhole || !isBegun) throw damaged("its pixels are not whole");
    const side = (at: number) => littleEndian(data.subarray(at, at + 2)) & 0x3fff;
    return { width: side(6), height: side(8) };
  },
  /** Pixels without loss. */
  VP8L: (data: Uint8Array): Size => {
    const about = littleEndian(data.subarray(1, 5));
    const isBegun = data.length > 5 && data[0] === 0x2f && about < 2 ** 29;
    if (!isBegun) throw damaged("its pixels are not whole");
    return { width: (about & 0x3fff) + 1, height: (Math.floor(about / 2 ** 14) & 0x3fff) + 1 };
  },
} as const;

/** The transparency that pixels have beside them; undefined where they have none. */
function alphaOf(
  { data: header }: Chunk,
  chunks: readonly Chunk[],
  pixels: Chunk,
  { width, height }: Size,
): Chunk | undefined {
  const flags = header[0] ?? 0;
  if ((flags & moving) !== 0) throw animated();
  const isSame =
    littleEndian(header.subarray(4, 7)) + 1 === width &&
    littleEndian(header.subarray(7, 10)) + 1 === height;
  if (header.length !== 10 || !isSame) throw damaged("its header says another size");
  const [alpha, ...others] = chunks.filter(({ name }) => name === "ALPH");
  if ((flags & transparent) === 0 || pixels.name !== "VP8 " || alpha === undefined)
    return undefined;
  const isBefore = chunks.indexOf(alpha) < chunks.indexOf(pixels);
  const [about = 0xff] = alpha.data;
  if (others.length > 0 || !isBefore || alpha.data.length < 2 || (about & 3) > 1 || about > 0x3f) {
    throw damaged("its transparency is invalid");
  }
  return alpha;
}

/** The header of an image with transparency and nothing else. */
function plainHeader({ width, height }: Size): Chunk {
  const sides = [width, height].map((side) => toLittleEndian(side - 1, 3));
  return { name: extended, data: joined([Uint8Array.of(transparent, 0, 0, 0), ...sides]) };
}
