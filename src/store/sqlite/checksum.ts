import { crc32 } from "node:zlib";
import type { RecordedEvent } from "../../event.ts";

/**
 * CRC-32 of all that the log holds of an event besides its position. It is kept with the event, so
 * that a row which the disk or a person changed can be told from the one that was appended.
 */
export function checksumOf(event: Omit<RecordedEvent, "position">): number {
  const { stream, version, type, owner, actor, timeMs, payload } = event;
  return crc32(JSON.stringify([stream, version, type, owner, actor, timeMs, payload]));
}
