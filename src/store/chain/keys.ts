import type { KeyObject } from "node:crypto";
import type { RecordedEvent } from "../../event.ts";

/** Who knows by which key the events of a log are sealed. Stores ask when they are opened. */
export interface LogKeys {
  /**
   * A new identity, for a log that has none, and the event that says so: the first of a log without
   * events, and the last of one that was written before there were chains. Of several processes
   * that ask at once, the log takes that of one.
   */
  begin(log: { readonly position: bigint }): Promise<BegunLog>;
  /** The key of the log with this id, from the events of its own stream. */
  open(id: string, events: readonly RecordedEvent[]): Promise<KeyObject>;
  /** Whether a log's own events say, by a MAC, that this is what it had before it was chained. */
  hasFound(events: readonly RecordedEvent[], key: KeyObject, found: Found): boolean;
}

/** What a log had before it was chained. */
export interface Found {
  /** Of the last event. */
  readonly position: bigint;
  /** The SHA-256 of all events, as the store that found them has defined it. */
  readonly hash: Uint8Array;
}

/** The identity of a log that begins, with its first event where it has one of its own. */
export interface BegunLog {
  readonly id: string;
  readonly key: KeyObject;
  /** Left out, the log has no event of its own. */
  event?(
    found: Found | undefined,
  ): Pick<RecordedEvent, "type" | "payload" | "owner" | "actor" | "timeMs">;
}

/** The stream of what a log says of itself. */
export function logStream(id: string): string {
  return `log-${id}`;
}
