import type { KeyObject } from "node:crypto";
import { isHash, isPosition, membersOf } from "../json-line.ts";
import { isSame } from "./chain.ts";
import { createHmac256 } from "./hash.ts";
import { netstrings } from "./link.ts";
import { subkeyOf } from "./subkeys.ts";

/** That a person was erased, as it is kept outside of the log: a backup does not have it. */
export interface ErasureEntry {
  /** The id of the log. */
  readonly log: string;
  /** The id of the person. */
  readonly user: string;
  /** The position of the event that erased the person, in the log of then. */
  readonly position: bigint;
  /** When that was, in Unix milliseconds. */
  readonly timeMs: number;
}

/** An entry as it stands in a list. */
export interface WrittenEntry extends ErasureEntry {
  readonly mac: Uint8Array;
}

/** Seals the entries of a log. */
export interface EntrySeal {
  /** The entry as a line of JSON, with a MAC that needs the key of the log. */
  seal(entry: ErasureEntry): string;
  /** Whether an entry was sealed with the key. */
  isSealed(entry: WrittenEntry): boolean;
}

/** Makes the seal of the log with this key, for all entries: to derive a key takes long. */
export function createEntrySeal(key: KeyObject): EntrySeal {
  const hmac = createHmac256(subkeyOf(key, "iam erasure"));
  const macOf = (entry: ErasureEntry) => {
    const { log, user, position, time } = textsOf(entry);
    return hmac(netstrings([log, user, position, time]));
  };
  return {
    seal: (entry) => {
      const { log, user, position, time } = textsOf(entry);
      const mac = macOf(entry).toString("hex");
      return JSON.stringify({ log, erased: user, position, time, mac });
    },
    isSealed: (entry) => isSame(macOf(entry), entry.mac),
  };
}

function textsOf({ log, user, position, timeMs }: ErasureEntry) {
  return { log, user, position: String(position), time: new Date(timeMs).toISOString() };
}

/** The entry in a line of a list; undefined for any other line, or one that was cut. */
export function parseEntry(line: string): WrittenEntry | undefined {
  const { log, erased: user, position, time, mac } = membersOf(line);
  const isEntry =
    typeof log === "string" &&
    typeof user === "string" &&
    isPosition(position) &&
    typeof time === "string" &&
    !Number.isNaN(Date.parse(time)) &&
    isHash(mac);
  if (!isEntry) return undefined;
  const timeMs = Date.parse(time);
  return { log, user, position: BigInt(position), timeMs, mac: Buffer.from(mac, "hex") };
}
