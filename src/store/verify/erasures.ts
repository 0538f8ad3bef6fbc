import type { RecordedEvent } from "../../event.ts";
import { erasureOf, isErased, isErasing } from "../erasure.ts";
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

/** By what erasures are proved. */
export interface ErasureProofs {
  readonly lists: readonly ErasureList[];
  /** Left out where each event is proved by the key of the log. */
  readonly attested?: Attested | undefined;
}

/** Up to where somebody vouches for the log, without its key. */
export interface Attested {
  readonly through: bigint;
  /** Hears of an event that was erased, and that nothing up to there erases. */
  lacks(event: RecordedEvent): void;
}

/** Hears of each event of a stream whose payload somebody may have taken who has no key. */
export function findUnattested(
  events: readonly RecordedEvent[],
  { through, lacks }: Attested,
): void {
  const erasures = events
    .filter(({ type, position }) => isErasing(type) && position <= through)
    .map(erasureOf);
  for (const event of events) {
    if (isErased(event) && !erasures.some((erases) => erases(event))) lacks(event);
  }
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
