import { hash, type KeyObject } from "node:crypto";

/** Bytes that SHA-256 works on at once, and bytes of what it makes. */
const [blockBytes, hashBytes] = [64, 32];

/** The SHA-256 of bytes, or of a text in UTF-8. By way of a text: bytes take Node twice as long. */
export function sha256(data: Uint8Array | string): Buffer {
  return Buffer.from(hash("sha256", data), "hex");
}

/** Answers the HMAC-SHA-256 of bytes, or of a text in UTF-8. */
export type Hmac = (data: Uint8Array | string) => Buffer;

/**
 * HMAC-SHA-256 (RFC 2104) with one key of at most 64 bytes, for many short messages: what follows
 * from the key is made once, and the rest is two hashes, which takes half as long as Node's.
 */
export function createHmac256(key: KeyObject): Hmac {
  const bytes = key.export();
  if (bytes.byteLength > blockBytes) throw new Error("a key of HMAC has at most 64 bytes here");
  const inner = paddedWith(0x36, bytes);
  const outer = Buffer.concat([paddedWith(0x5c, bytes), Buffer.alloc(hashBytes)]);
  return (data) => {
    const isText = typeof data === "string";
    const size = isText ? Buffer.byteLength(data) : data.byteLength;
    const message = Buffer.allocUnsafe(blockBytes + size);
    message.set(inner);
    if (isText) message.write(data, blockBytes);
    else message.set(data, blockBytes);
    outer.write(hash("sha256", message), blockBytes, "hex");
    return sha256(outer);
  };
}

function paddedWith(pad: number, key: Uint8Array): Buffer {
  const block = Buffer.alloc(blockBytes, pad);
  for (const [index, byte] of key.entries()) block[index] = pad ^ byte;
  return block;
}
