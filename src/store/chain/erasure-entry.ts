import { createHmac, type KeyObject } from "node:crypto";
import { isSame } from "./chain.ts";
import { isHash, isPosition, membersOf } from "./json-line.ts";
import { netstring } from "./link.ts";
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

/** The entry as a line of JSON, with a MAC that needs the key of the log. */
export function sealEntry(entry: ErasureEntry, key: KeyObject): string {
  const { log, user, position, time } = textsOf(entry);
  return JSON.stringify({ log, erased: user, position, time, mac: macOf(entry, key) });
}

/** Whether an entry was sealed with the key. */
export function isEntrySealed(entry: WrittenEntry, key: KeyObject): boolean {
  return isSame(Buffer.from(macOf(entry, key), "hex"), entry.mac);
}

/** The entries of a list, a line each. Other lines, and one that was written in part, are none. */
export function parseEntries(text: string): readonly WrittenEntry[] {
  return [...new Set(text.split("\n"))].flatMap((line) => parseEntry(line) ?? []);
}

function macOf(entry: ErasureEntry, key: KeyObject): string {
  const { log, user, position, time } = textsOf(entry);
  const said = [log, user, position, time].map(netstring).join("");
  return createHmac("sha256", subkeyOf(key, "iam erasure")).update(said).digest("hex");
}

function textsOf({ log, user, position, timeMs }: ErasureEntry) {
  return { log, user, position: String(position), time: new Date(timeMs).toISOString() };
}

function parseEntry(line: string): WrittenEntry | undefined {
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
