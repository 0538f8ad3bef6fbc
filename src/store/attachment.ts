import { hash } from "node:crypto";
import type { RecordedEvent } from "../event.ts";
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
  const sha256 = memberOf(payload);
  return isDigest(sha256) ? sha256 : undefined;
}

/** What a payload names; nobody says that the one of a damaged event is JSON. */
function memberOf(payload: string): unknown {
  try {
    return (JSON.parse(payload) as { readonly sha256?: unknown } | null)?.sha256;
  } catch {
    return undefined;
  }
}

/** Whether a text is a SHA-256 in hexadecimal. */
export function isDigest(text: unknown): text is string {
  return typeof text === "string" && /^[\da-f]{64}$/.test(text);
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
