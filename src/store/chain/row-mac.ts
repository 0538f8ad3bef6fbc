import type { LogIdentity } from "./chain.ts";
import { createHmac256, sha256, writeInt64 } from "./hash.ts";
import { netstrings } from "./link.ts";
import { subkeyOf } from "./subkeys.ts";

/** What of an object's row is known before the append that writes it. */
export interface RowContent {
  readonly stream: string;
  readonly version: number;
  readonly owner: string;
  readonly changedMs: number;
  /** Of an object that was removed, this and what follows is null. */
  readonly state: string | null;
  readonly kind: string | null;
  readonly parent: string | null;
  /** JSON. */
  readonly fields: string | null;
}

/** What is known of it only once the append has its position in the log. */
export interface RowPosition {
  /** Positions of the stream's first and last event. */
  readonly first: bigint;
  readonly position: bigint;
  readonly createdMs: number;
}

/**
 * The MAC that is kept with the row of an object, made in two steps: who has the key of the log
 * makes a key for what the row says, and a store that has not seals the row's position with that.
 */
export interface RowMac {
  /** HMAC-SHA-256 over the log and the content: a key that is valid for this content alone. */
  keyOf(content: RowContent): Buffer;
  /**
   * SHA-256 of that key and of these: first, position and createdMs as 8 bytes each
   * (big-endian). Because all that is hashed has one length, nobody makes another one of it.
   */
  at(key: Uint8Array, position: RowPosition): Buffer;
}

/** Makes what seals the rows of a log's objects. */
export function createRowMac({ id, key }: LogIdentity): RowMac {
  const seal = createHmac256(subkeyOf(key, "iam object"));
  return {
    keyOf({ stream, version, owner, changedMs, state, kind, parent, fields }) {
      const said = [id, stream, `${version}`, owner, `${changedMs}`, kind, parent, fields, state];
      return seal(netstrings(said));
    },
    at(rowKey, { first, position, createdMs }) {
      const bytes = Buffer.allocUnsafe(24);
      writeInt64(bytes, first, 0);
      writeInt64(bytes, position, 8);
      writeInt64(bytes, BigInt(createdMs), 16);
      return sha256(Buffer.concat([rowKey, bytes]));
    },
  };
}
