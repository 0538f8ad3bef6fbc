import { hash } from "node:crypto";
import type { RecordedEvent } from "../../event.ts";
import { isErased } from "../erasure.ts";
import { sha256, writeInt64 } from "./hash.ts";

// How events are hashed and linked: the same bytes in every store, and for every auditor.
// `docs/chain.md` says the same with an example that standard tools compute.

/** Random bytes that are kept with each event, so that nobody guesses a payload from its hash. */
export const saltBytes = 16;

/** Bytes of what is kept in place of the salt of an event whose payload was erased: see below. */
export const erasedSaltBytes = 32;

/** What stands before the first event: 32 bytes of zero. */
export const firstLink: Uint8Array = Buffer.alloc(32);

/**
 * The SHA-256 of what an event of a log says, besides its position: of the netstrings
 * (`<bytes>:<UTF-8 text>,`) of the log's id, stream, version, type, owner, actor, time (Unix
 * milliseconds) and hash of the payload, one after the other; numbers in decimal.
 */
export function digestOf(
  log: string,
  { stream, version, type, owner, actor, timeMs, payload }: Omit<RecordedEvent, "position">,
  salt: Uint8Array,
): Buffer {
  const isGone = isErased({ payload }) && salt.byteLength === erasedSaltBytes;
  const hashed = isGone ? Buffer.from(salt).toString("hex") : payloadHash(salt, payload);
  const said = [log, stream, `${version}`, type, owner, actor, `${timeMs}`, hashed];
  return sha256(netstrings(said));
}

/**
 * SHA-256 of the salt and the UTF-8 bytes of the payload, in hexadecimal. With it alone the digest
 * can be computed: where a payload is erased, it is kept in place of the salt, and the chain holds.
 */
export function payloadHash(salt: Uint8Array, payload: string): string {
  const bytes = Buffer.allocUnsafe(salt.byteLength + Buffer.byteLength(payload));
  bytes.set(salt);
  bytes.write(payload, salt.byteLength);
  return hash("sha256", bytes);
}

/**
 * Texts one behind the other, each with its number of bytes before it and a comma behind it. What
 * is not there is no empty text.
 */
export function netstrings(texts: readonly (string | null)[]): string {
  let said = "";
  for (const text of texts) said += text === null ? "-," : `${Buffer.byteLength(text)}:${text},`;
  return said;
}

/**
 * The link of an event, which stands for it and for all before it: the SHA-256 of the link before,
 * the position as 8 bytes (big-endian), the digest and its MAC.
 */
export function linkOf(
  previous: Uint8Array,
  position: bigint,
  digest: Uint8Array,
  mac: Uint8Array,
): Buffer {
  const at = Buffer.allocUnsafe(8);
  writeInt64(at, position, 0);
  // What a file holds as a MAC or a link may have any length.
  return sha256(Buffer.concat([previous, at, digest, mac]));
}
