// How the bytes of an image are read and written.

/** Thrown where an image is not taken; the message is a sentence without its full stop. */
export class ImageRefused extends Error {
  override readonly name = "ImageRefused";
}

/** A reader that goes through bytes from the first to the last. */
export interface ByteReader {
  /** How many are left. */
  readonly left: number;
  /** The next of them, which it does not pass. */
  peek(size: number): Uint8Array;
  /** The next of them. Throws ImageRefused where there are not as many. */
  take(size: number): Uint8Array;
}

/** Begins to read. */
export function readBytes(bytes: Uint8Array): ByteReader {
  let at = 0;
  const peek = (size: number) => {
    if (size > bytes.length - at) throw cutOff();
    return bytes.subarray(at, at + size);
  };
  return {
    get left() {
      return bytes.length - at;
    },
    peek,
    take(size) {
      const taken = peek(size);
      at += size;
      return taken;
    },
  };
}

/** What is thrown where the bytes end before the image does. */
export function cutOff(): ImageRefused {
  return new ImageRefused("The image is damaged: its end is missing");
}

/** What is thrown where a part of the image is not as the format has it. */
export function damaged(what: string): ImageRefused {
  return new ImageRefused(`The image is damaged: ${what}`);
}

/** What is thrown where the image moves. */
export function animated(): ImageRefused {
  return new ImageRefused("The image is animated: upload one that does not move");
}

/** The byte at a place. Throws ImageRefused behind the last. */
export function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw cutOff();
  return byte;
}

/** The number in all of these bytes, the highest first. */
export function bigEndian(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

/** The number in all of these bytes, the lowest first. */
export function littleEndian(bytes: Uint8Array): number {
  return bytes.reduceRight((number, byte) => number * 256 + byte, 0);
}

/** The bytes of a number, the lowest first. */
export function toLittleEndian(number: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => Math.floor(number / 256 ** i) % 256);
}

/** The bytes of a text of ASCII. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The text of bytes, each a character. */
export function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Whether bytes begin with others. */
export function beginsWith(bytes: Uint8Array, begin: Uint8Array): boolean {
  return begin.every((byte, i) => bytes[i] === byte);
}

/** All of the bytes, one behind the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
