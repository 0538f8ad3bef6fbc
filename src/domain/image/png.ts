import { animated, bigEndian, damaged, joined, readBytes, textOf } from "./bytes.ts";
import type { Cleaned } from "./cleaned.ts";
import { crc32 } from "./crc.ts";

/** What a PNG begins with. */
export const pngSignature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/**
 * Leaves the header, palette, transparency and pixels of a PNG (third edition), each chunk as it
 * was. Throws ImageRefused where it is damaged, animated, or not whole.
 */
export function cleanPng(bytes: Uint8Array): Cleaned {
  const chunks = chunksOf(bytes);
  if (chunks.some(({ name }) => name === "acTL")) throw animated();
  if (chunks.some(isUnknown)) throw damaged("it has a chunk that no PNG has");
  const kept = chunks.filter(({ name }) => shown.has(name));
  const order = kept.map(({ name }) => name).join(" ");
  if (!/^IHDR( PLTE)?( tRNS)?( IDAT)+ IEND$/.test(order)) {
    throw damaged("its chunks are not complete, or not in order");
  }
  const header = headerOf(kept[0]?.data ?? nothing);
  assertColors(header, dataOf(kept, "PLTE"), dataOf(kept, "tRNS"));
  assertPixels(header, joined(kept.filter(isPixels).map(({ data }) => data)));
  const { width, height } = header;
  return { width, height, bytes: joined([pngSignature, ...kept.map(({ whole }) => whole)]) };
}

const nothing = new Uint8Array();

/** What is needed to show the pixels, by name. */
const shown: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);

interface Chunk {
  readonly name: string;
  readonly data: Uint8Array;
  /** With its length, name and checksum. */
  readonly whole: Uint8Array;
}

/** A small first letter says that who does not know the chunk may leave it out. */
const isUnknown = ({ name }: Chunk) => !shown.has(name) && !/^[a-z]/.test(name);
const isPixels = ({ name }: Chunk) => name === "IDAT";
const dataOf = (chunks: readonly Chunk[], name: string) =>
  chunks.find((chunk) => chunk.name === name)?.data;

/** The chunks up to the end of the image. */
function chunksOf(bytes: Uint8Array): readonly Chunk[] {
  const reader = readBytes(bytes.subarray(pngSignature.length));
  const chunks: Chunk[] = [];
  for (let isEnded = false; !isEnded; ) {
    const whole = reader.take(bigEndian(reader.peek(4)) + 12);
    const named = whole.subarray(4, -4);
    if (bigEndian(whole.subarray(-4)) !== crc32(named)) {
      throw damaged("the checksum of a chunk is wrong");
    }
    const [name, data] = [textOf(named.subarray(0, 4)), named.subarray(4)];
    chunks.push({ name, data, whole });
    isEnded = name === "IEND";
    if (isEnded && data.length > 0) throw damaged("its last chunk is not empty");
  }
  return chunks;
}

/** How the pixels lie. */
interface Header {
  readonly width: number;
  readonly height: number;
  /** Bits of a sample. */
  readonly depth: number;
  readonly color: number;
}

/** By the number of a colour type, the depths that it may have, and the samples of a pixel. */
const colors: readonly (Colors | undefined)[] = [
  { depths: [1, 2, 4, 8, 16], samples: 1 },
  undefined,
  { depths: [8, 16], samples: 3 },
  { depths: [1, 2, 4, 8], samples: 1 },
  { depths: [8, 16], samples: 2 },
  undefined,
  { depths: [8, 16], samples: 4 },
];

interface Colors {
  readonly depths: readonly number[];
  readonly samples: number;
}

/** The colour types whose pixels are shades, colours, and entries of a palette. */
const [shades, truecolor, indexed] = [0, 2, 3] as const;

function headerOf(data: Uint8Array): Header {
  const [depth = 0, color = 0, compression, filter, interlace = 2] = data.subarray(8);
  const isKnown = colors[color]?.depths.includes(depth) && compression === 0 && filter === 0;
  if (data.length !== 13 || !isKnown || interlace > 1) throw damaged("its header is invalid");
  const [width, height] = [bigEndian(data.subarray(0, 4)), bigEndian(data.subarray(4, 8))];
  return { width, height, depth, color };
}

function assertColors(
  { depth, color }: Header,
  entries: Uint8Array | undefined,
  transparent: Uint8Array | undefined,
): void {
  const count = (entries?.length ?? 0) / 3;
  const isEmpty = entries !== undefined && count === 0;
  const most = color === indexed ? 2 ** depth : 256;
  const isMissing = color === indexed && entries === undefined;
  const isUnwanted = (color & truecolor) === 0 && entries !== undefined;
  if (isEmpty || !Number.isInteger(count) || count > most || isMissing || isUnwanted) {
    throw damaged("its palette is invalid");
  }
  if (transparent === undefined) return;
  const size = transparent.length;
  const isIndexed = color === indexed && size <= count;
  if (isIndexed || (color === shades && size === 2) || (color === truecolor && size === 6)) return;
  throw damaged("its transparency is invalid");
}

/** DEFLATE makes at most so many bytes of one. */
const inflationMost = 1_032;

/** Throws where the pixels are no zlib stream, or too few bytes for as many as the header says. */
function assertPixels({ width, height, depth, color }: Header, data: Uint8Array): void {
  const [method = 0, flags = 0] = data;
  const isZlib = (method & 0x8f) === 8 && (flags & 0x20) === 0 && (method * 256 + flags) % 31 === 0;
  if (!isZlib) throw damaged("it has no pixels");
  const bits = depth * (colors[color]?.samples ?? 0);
  if (Math.ceil((width * height * bits) / 8) > data.length * inflationMost) {
    throw damaged("it has fewer pixels than its header says");
  }
}
