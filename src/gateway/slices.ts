import { Readable } from "node:stream";
import { pieceBytesMax } from "./call/pieces.ts";

/**
 * Bytes that are sent slice by slice: with TLS, a connection keeps as much as is written at a time
 * for as long as it is open.
 */
export function inSlices(bytes: Uint8Array): Readable {
  return Readable.from(slicesOf(bytes), { objectMode: false });
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytesMax) {
    yield bytes.subarray(at, at + pieceBytesMax);
  }
}
