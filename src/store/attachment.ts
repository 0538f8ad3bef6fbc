import { hash } from "node:crypto";
import type { RecordedEvent } from "../event.ts";
import { isHash, membersOf } from "./json-line.ts";
import type { Append } from "./store.ts";

// Bytes that an event names by their SHA-256. They are kept once beside the events, in the
// transaction of the first event that names them, and stay as events do.

/**
 * The SHA-256, in hexadecimal, of the bytes that an event names; undefined where it names none.
 * Those of images have a type that says so, and a member `sha256`.
 */
export function attachedTo({
  type,
  payload,
}: Pick<RecordedEvent, "type" | "payload">): string | undefined {
  if (!type.endsWith(".image.set")) return undefined;
  // Nobody says that the payload of a damaged event is JSON.
  const { sha256 } = membersOf(payload);
  return isHash(sha256) ? sha256 : undefined;
}

/** The SHA-256 of bytes in hexadecimal. */
export function attachmentDigest(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

/** Whether the bytes of an append are those that its events name, each once. */
export function bringsAttachments({
  changes,
  attachments = [],
}: Pick<Append, "changes" | "attachments">): boolean {
  const named = new Set(
    changes.flatMap(({ events }) => events.flatMap((event) => attachedTo(event) ?? [])),
  );
  const brought = attachments.map(attachmentDigest);
  return [...named].sort().join() === brought.sort().join();
}
