import type { RecordedEvent } from "../event.ts";
import type { Change } from "../store/store.ts";
import type { Written } from "./command.ts";
import type { LoadedStream } from "./load.ts";

/** What is told of an event that was written. */
export type Recorded = Omit<RecordedEvent, "type" | "actor" | "payload">;

/** The last event that a change is about to record, which has the position 0 until then. */
export function lastOf({ stream, expected, owner, events }: Change, timeMs: number): Recorded {
  return { stream, version: expected + events.length, owner, timeMs, position: 0n };
}

/** What was written to a stream. Throws a TypeError where none of the events is one of it. */
export function writtenOf(
  { stored }: LoadedStream,
  events: readonly Recorded[],
): Omit<Written, "events"> {
  const last = events.findLast(({ stream }) => stream === stored.stream);
  if (last === undefined) throw new TypeError("the store recorded fewer events than appended");
  const { stream, version, owner, timeMs, position } = last;
  const createdMs = stored.version === 0 ? timeMs : stored.createdMs;
  return { stream, version, owner, createdMs, changedMs: timeMs, position };
}
