import type { RecordedEvent } from "../../event.ts";
import type { Projector } from "../projector.ts";
import { least } from "./chain.ts";
import { type Expected, fieldsOf, hasLostEnd } from "./derived.ts";
import type { Moment } from "./reader.ts";
import { keysOf, type ObjectColumns, type StreamRows } from "./rows.ts";
import { checkStream } from "./stream.ts";
import type { Report } from "./text.ts";

/** How events are folded. */
export interface Folding {
  readonly projector: Projector;
  /** The positions of events that are not what was appended. */
  readonly damaged: ReadonlySet<bigint>;
}

/** What should follow from events; undefined where nobody can know, which is reported. */
export function expectedOf(
  events: readonly RecordedEvent[],
  object: ObjectColumns | undefined,
  { projector, damaged }: Folding,
  report: Report,
): Expected | undefined {
  const projection = checkStream(events, damaged, projector, report);
  const isCut = hasLostEnd(object, events.at(-1), report);
  if (isCut || projection === undefined) return undefined;
  return { ...projection, fields: fieldsOf(events, projection.row) };
}

/** The places of the rows that a stream should have; undefined where nobody can know. */
export type Explained = ReadonlySet<string> | undefined;

/** Answers those of streams as of a moment: all their events are read, one stream at a time. */
export async function explain(
  moment: Moment,
  streams: ReadonlySet<string>,
  folding: Folding,
): Promise<ReadonlyMap<string, Explained>> {
  const objects = await moment.objectsOf([...streams]);
  const explained = new Map<string, Explained>();
  for (const stream of streams) {
    const events = await eventsOf(moment, stream);
    const expected =
      events.length === 0 ? noRows : expectedOf(events, objects.get(stream), folding, () => {});
    explained.set(stream, expected && new Set(keysOf(expected)));
  }
  return explained;
}

const noRows: StreamRows = { claims: [], fields: [], messages: [] };

/** All events of a stream behind those that are known. */
export async function eventsOf(
  moment: Moment,
  stream: string,
  known: readonly RecordedEvent[] = [],
): Promise<readonly RecordedEvent[]> {
  const events = [...known];
  for (;;) {
    const { version } = events.at(-1) ?? {};
    const more = await moment.ofStream(stream, version === undefined ? least : BigInt(version));
    if (more.length === 0) return events;
    for (const event of more) events.push(event);
  }
}
