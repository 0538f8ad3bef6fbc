import type { KeyObject } from "node:crypto";
import type { RecordedEvent } from "../../event.ts";

/** Who knows by which key the events of a log are sealed. Stores ask when they are opened. */
export interface LogKeys {
  /**
   * A new identity, for a log that has none. Of several processes that ask at once, the log takes
   * that of one.
   */
  begin(): Promise<BegunLog>;
  /** The key of the log with this id, from the events of its own stream. */
  open(id: string, events: readonly RecordedEvent[]): Promise<KeyObject>;
}

/** The identity of a log that begins, with its first event where it has one of its own. */
export interface BegunLog {
  readonly id: string;
  readonly key: KeyObject;
  /** Left out, the log has no event of its own. */
  readonly event?: Pick<RecordedEvent, "type" | "payload" | "owner" | "actor" | "timeMs">;
}

/** The stream of what a log says of itself. */
export function logStream(id: string): string {
  return `log-${id}`;
}
