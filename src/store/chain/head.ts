import { createHmac, type KeyObject, sign, verify } from "node:crypto";
import { isHash, isPosition, membersOf } from "../json-line.ts";
import { isSame } from "./chain.ts";
import { netstrings } from "./link.ts";
import { signingKeyOf, subkeyOf } from "./subkeys.ts";

/** Where a log ended at a time, as it is kept outside of the log. */
export interface LogHead {
  /** The id of the log. */
  readonly log: string;
  readonly position: bigint;
  readonly link: Uint8Array;
  /** When that was the end, in Unix milliseconds. */
  readonly timeMs: number;
}

/** A head as a line of JSON: with a MAC, or signed as a checkpoint. */
export interface WrittenHead extends LogHead {
  readonly mac: Uint8Array | undefined;
  readonly signature: Uint8Array | undefined;
}

/** What the MAC and the signature of a head are over, in the form that digests have. */
function saidOf(head: LogHead): string {
  const { log, position, link, time } = textsOf(head);
  return netstrings([log, position, link, time]);
}

function textsOf({ log, position, link, timeMs }: LogHead) {
  const time = new Date(timeMs).toISOString();
  return { log, position: String(position), link: Buffer.from(link).toString("hex"), time };
}

/** The head with a MAC that needs the key of the log. */
export function sealHead(head: LogHead, key: KeyObject): string {
  return JSON.stringify({ ...textsOf(head), mac: macOf(head, key).toString("hex") });
}

/** Whether a head was sealed with the key. */
export function isSealed(head: WrittenHead, key: KeyObject): boolean {
  return head.mac !== undefined && isSame(macOf(head, key), head.mac);
}

function macOf(head: LogHead, key: KeyObject): Buffer {
  return createHmac("sha256", subkeyOf(key, "iam head")).update(saidOf(head)).digest();
}

/** The head as a checkpoint: with an Ed25519 signature that anybody can check. */
export function signHead(head: LogHead, key: KeyObject): string {
  const signature = sign(null, Buffer.from(saidOf(head)), signingKeyOf(key));
  return JSON.stringify({ ...textsOf(head), signature: signature.toString("base64") });
}

/** Whether a head was signed with the key of this public key (PEM). */
export function isSigned(head: WrittenHead, publicKey: KeyObject): boolean {
  const { signature } = head;
  return signature !== undefined && verify(null, Buffer.from(saidOf(head)), publicKey, signature);
}

/** The head in a text; undefined where it holds none. */
export function parseHead(text: string): WrittenHead | undefined {
  const { log, position, link, time, mac, signature } = membersOf(text);
  const isHead =
    typeof log === "string" &&
    isPosition(position) &&
    isHash(link) &&
    typeof time === "string" &&
    !Number.isNaN(Date.parse(time));
  if (!isHead) return undefined;
  return {
    ...{ log, position: BigInt(position), timeMs: Date.parse(time) },
    link: Buffer.from(link, "hex"),
    mac: isHash(mac) ? Buffer.from(mac, "hex") : undefined,
    signature: typeof signature === "string" ? Buffer.from(signature, "base64") : undefined,
  };
}

/** What is there where a head says that something else was. */
export interface FoundLog {
  readonly id: string;
  /** The position of its last event. */
  readonly end: bigint;
  /** The link at the position of the head; undefined where there is no such event. */
  readonly link: Uint8Array | undefined;
}

/**
 * Why a log does not go on from a head, as a sentence about the log; undefined where it does: it is
 * another one, it ends before, or has another past.
 */
export function faultOf(head: LogHead, { id, end, link }: FoundLog): string | undefined {
  const { log, position, timeMs } = head;
  const then = `at ${new Date(timeMs).toISOString()}`;
  if (log !== id) return `it is the log ${id}, and was ${log} ${then}`;
  if (position > end) return `it ends at position ${end}, and had ${position} ${then}`;
  if (position === 0n || (link !== undefined && isSame(link, head.link))) return undefined;
  return `up to position ${position} it is not what it was ${then}`;
}
