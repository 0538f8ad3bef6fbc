import type { RecordedEvent } from "../../event.ts";
import { legible, type Report } from "./text.ts";

/** A list of the streams that were erased, as it is kept outside of the log. */
export interface ErasureList {
  readonly name: string;
  /** The type of the event that erases such a stream. */
  readonly type: string;
  readonly streams: ReadonlySet<string>;
  /** Hears of a stream that was erased, and that the list has not. */
  lacks(stream: string): void;
}

/** Compares what lists say of a stream with its events. */
export function compareErasure(
  stream: string,
  events: readonly Pick<RecordedEvent, "type">[],
  lists: readonly ErasureList[],
  report: Report,
): void {
  for (const { name, type, streams, lacks } of lists) {
    const isErased = events.at(-1)?.type === type;
    if (isErased && !streams.has(stream)) lacks(stream);
    if (isErased || !streams.has(stream)) continue;
    const todo = "start the service on it, which erases it again";
    report(`stream ${legible(stream)}: it was erased, as ${name} says, and is there: ${todo}`);
  }
}
