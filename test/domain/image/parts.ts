import { crc32, deflateSync } from "node:zlib";

// Images made of their parts, and the parts of images.

/** A chunk of a PNG. */
export function pngChunk(name: string, data: Uint8Array | readonly number[] = []): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), Buffer.from(data)]);
  return Buffer.concat([big(named.length - 4, 4), named, big(crc32(named), 4)]);
}

/** What the header of a PNG says; left out, 12 × 9 pixels of 8 bits, red, green and blue. */
interface Header {
  readonly width?: number;
  readonly height?: number;
  /** Depth, colour type, compression, filter and interlacing. */
  readonly kind?: readonly number[];
}

/** The header chunk of a PNG. */
export function pngHeader({ width = 12, height = 9, kind = [8, 2, 0, 0, 0] }: Header = {}): Buffer {
  return pngChunk("IHDR", Buffer.concat([big(width, 4), big(height, 4), Buffer.from(kind)]));
}

/** The pixels of a PNG, as many bytes before they are compressed: black ones, or of a text. */
export function pngPixels(bytes = 9 * (1 + 3 * 12), text = "\0"): Buffer {
  return pngChunk("IDAT", deflateSync(Buffer.alloc(bytes, text)));
}

/** A PNG of chunks. */
export function png(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks, pngChunk("IEND")]);
}

/** The names of the chunks of a PNG. */
export function pngNames(bytes: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    names.push(bytes.toString("latin1", at + 4, at + 8));
  }
  return names;
}

/** A segment of a JPEG. */
export function jpegSegment(marker: number, data: Uint8Array | readonly number[]): Buffer {
  const said = Buffer.from(data);
  return Buffer.concat([Buffer.of(0xff, marker), big(said.length + 2, 2), said]);
}

/** A JPEG with something behind the first bytes of another. */
export function jpegWith(jpeg: Buffer, ...added: readonly Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...added, jpeg.subarray(2)]);
}

/** A JPEG in which the first segment of a kind is another. */
export function jpegInstead(jpeg: Buffer, marker: number, instead: Buffer): Buffer {
  const at = jpeg.indexOf(Buffer.of(0xff, marker));
  const end = at + 2 + jpeg.readUInt16BE(at + 2);
  return Buffer.concat([jpeg.subarray(0, at), instead, jpeg.subarray(end)]);
}

/** What the first segment of a kind says. */
export function jpegData(jpeg: Buffer, marker: number): Buffer {
  const at = jpeg.indexOf(Buffer.of(0xff, marker));
  return Buffer.from(jpeg.subarray(at + 4, at + 2 + jpeg.readUInt16BE(at + 2)));
}

/** A chunk of a WebP. */
export function webpChunk(name: string, data: Uint8Array | readonly number[]): Buffer {
  const said = Buffer.from(data);
  const padding = Buffer.alloc(said.length % 2);
  return Buffer.concat([Buffer.from(name, "latin1"), little(said.length, 4), said, padding]);
}

/** A WebP of chunks. */
export function webp(...chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from("WEBP"), ...chunks]);
  return Buffer.concat([Buffer.from("RIFF"), little(body.length, 4), body]);
}

/** The header of an extended WebP. */
export function webpHeader(flags: number, width = 12, height = 9): Buffer {
  const sides = Buffer.concat([little(width - 1, 3), little(height - 1, 3)]);
  return webpChunk("VP8X", Buffer.concat([Buffer.of(flags, 0, 0, 0), sides]));
}

/** What the first chunk of a name says. */
export function webpData(bytes: Buffer, name: string): Buffer {
  const at = bytes.indexOf(name);
  return Buffer.from(bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4)));
}

function big(number: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(number, 0, size);
  return bytes;
}

function little(number: number, size: number): Buffer {
  return big(number, size).reverse();
}
