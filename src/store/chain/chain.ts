import type { KeyObject } from "node:crypto";
import type { RecordedEvent } from "../../event.ts";
import { createHmac256 } from "./hash.ts";
import { digestOf, linkOf, saltBytes } from "./link.ts";

/** What the log keeps with an event, so that nobody changes, moves, adds or takes one unnoticed. */
export interface Sealed {
  readonly salt: Uint8Array;
  /** HMAC-SHA-256 of the digest, which needs the key of the log. */
  readonly mac: Uint8Array;
  readonly link: Uint8Array;
}

/** An event as the log keeps it. */
export interface SealedEvent extends RecordedEvent, Sealed {}

/** An event as it is brought to another place, with the bytes that it names. */
export interface BroughtEvent extends SealedEvent {
  readonly attached?: Uint8Array;
}

/** The log up to one event: its link stands for all before it. */
export interface End {
  readonly position: bigint;
  readonly link: Uint8Array;
}

/** A log by its id, with the key of its MACs. */
export interface LogIdentity {
  readonly id: string;
  readonly key: KeyObject;
}

/** The end of a log, by one who knows its key. */
export type KnownEnd = LogIdentity & End;

/** What an event is sealed with before it has a position. */
export interface Stamped {
  readonly salt: Uint8Array;
  readonly digest: Uint8Array;
  readonly mac: Uint8Array;
}

/** Makes the function that stamps the events of a log. The random bytes are for salts. */
export function createStamp(
  { id, key }: LogIdentity,
  random: (size: number) => Uint8Array,
): (event: Omit<RecordedEvent, "position">) => Stamped {
  const macOf = createHmac256(key);
  return (event) => {
    const salt = random(saltBytes);
    const digest = digestOf(id, event, salt);
    return { salt, digest, mac: macOf(digest) };
  };
}

/** Answers what is to be kept with an event that comes behind the link of another. */
export type Seal = (event: RecordedEvent, previous: Uint8Array) => Sealed;

/** Makes the function that seals the events of a log. The random bytes are for salts. */
export function createSeal(identity: LogIdentity, random: (size: number) => Uint8Array): Seal {
  const stamp = createStamp(identity, random);
  return (event, previous) => {
    const { salt, digest, mac } = stamp(event);
    return { salt, mac, link: linkOf(previous, event.position, digest, mac) };
  };
}

/**
 * Answers what is wrong with an event: its `MAC` if it was written without the key, and its `link`
 * if it does not follow the event before. Without the link before, the second is unknown.
 */
export type Check = (
  event: SealedEvent,
  previous: Uint8Array | undefined,
) => readonly ("MAC" | "link")[];

/** Makes the function that checks the events of a log. Without its key, no MAC is checked. */
export function createCheck({ id, key }: Pick<LogIdentity, "id"> & Partial<LogIdentity>): Check {
  const macOf = key && createHmac256(key);
  return (event, previous) => {
    const digest = digestOf(id, event, event.salt);
    const isForged = macOf !== undefined && !isSame(macOf(digest), event.mac);
    const link = previous && linkOf(previous, event.position, digest, event.mac);
    const isMoved = link !== undefined && !isSame(link, event.link);
    return [...(isForged ? (["MAC"] as const) : []), ...(isMoved ? (["link"] as const) : [])];
  };
}

/** Whether two hashes are the same. Not in constant time: the caller may know both. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
