import { attachedTo, attachmentDigest } from "../attachment.ts";
import { isErased } from "../erasure.ts";
import { membersOf } from "../json-line.ts";
import type { BroughtEvent, End } from "./chain.ts";
import { hex } from "./hash.ts";
import { erasedSaltBytes, saltBytes } from "./link.ts";

// A log as lines of JSON: the first one says which log it is, the last one where it ends, and each
// between them is one event.

/** The form of exports that this program writes and reads. */
export const form = "iam log 1";

/** The line that an export begins with. */
export function beginLine(log: string): string {
  return JSON.stringify({ form, log });
}

/** The id of the log whose export begins with the line; undefined where it is another line. */
export function logOfLine(line: string): string | undefined {
  const { form: given, log } = membersOf(line);
  return given === form && typeof log === "string" ? log : undefined;
}

/**
 * An event as a line: the payload is the text that was sealed, what seals it is hexadecimal, and
 * the bytes that it names are base64.
 */
export function eventLine({ position, timeMs, salt, mac, link, ...event }: BroughtEvent): string {
  const { stream, version, type, owner, actor, payload, attached } = event;
  const said = { position: String(position), stream, version, type, owner, actor, timeMs, payload };
  const bytes = attached && { attached: Buffer.from(attached).toString("base64") };
  return JSON.stringify({ ...said, salt: hex(salt), mac: hex(mac), link: hex(link), ...bytes });
}

/**
 * The event of a line; undefined where the line holds none, or one without the bytes that it names.
 */
export function eventOfLine(line: string): BroughtEvent | undefined {
  const { attached, position, version, timeMs, salt, mac, link, ...texts } = membersOf(line);
  const { stream, type, owner, actor, payload } = texts;
  const isEvent =
    isPosition(position) &&
    Number.isSafeInteger(version) &&
    Number.isSafeInteger(timeMs) &&
    isText(stream) &&
    isText(type) &&
    isText(owner) &&
    isText(actor) &&
    isText(payload) &&
    isHex(salt, isErased({ payload }) ? erasedSaltBytes : saltBytes) &&
    isHex(mac, 32) &&
    isHex(link, 32);
  if (!isEvent) return undefined;
  const brought = isText(attached) ? { attached: Buffer.from(attached, "base64") } : {};
  const digest = brought.attached && attachmentDigest(brought.attached);
  if (digest !== attachedTo({ type, payload })) return undefined;
  return {
    ...brought,
    position: BigInt(position),
    ...{ stream, version: Number(version), type, owner, actor, timeMs: Number(timeMs), payload },
    ...{ salt: bytes(salt), mac: bytes(mac), link: bytes(link) },
  };
}

/**
 * The line that an export ends with, behind the event there. Positions begin at 1 and have no gaps,
 * so that of the event is their number.
 */
export function endLine({ position, link }: End): string {
  return JSON.stringify({ end: String(position), link: hex(link) });
}

/** The end that a line says; undefined where it says none. */
export function endOfLine(line: string): End | undefined {
  const { end, link } = membersOf(line);
  if (!isPosition(end) || !isHex(link, 32)) return undefined;
  return { position: BigInt(end), link: bytes(link) };
}

const isPosition = (value: unknown): value is string =>
  isText(value) && /^[1-9]\d{0,18}$/.test(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isHex = (value: unknown, size: number): value is string =>
  isText(value) && value.length === 2 * size && /^[0-9a-f]*$/.test(value);
const bytes = (text: string) => Buffer.from(text, "hex");
