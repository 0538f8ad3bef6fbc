import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../event.ts";
import type { EventColumns } from "../row.ts";
import { eventColumns, prepareRows, toEvent } from "./row.ts";

/** What is read of events at once, about: there are no writes while a query is under way. */
const readAtOnce = { events: 1_000, characters: 1_000_000 };

/** The events of each stream, in the order of streams. */
export function* streamsIn(db: Database.Database): Iterable<readonly RecordedEvent[]> {
  const behind = prepareRows<[string, number], EventColumns>(
    db,
    `SELECT ${eventColumns} FROM events
     WHERE (stream, version) > (?, ?) ORDER BY stream, version`,
  );
  let stream: RecordedEvent[] = [];
  for (;;) {
    const last = stream.at(-1);
    const some = readSome(behind.iterate(last?.stream ?? "", last?.version ?? 0));
    for (const event of some) {
      if (stream.length > 0 && stream[0]?.stream !== event.stream) {
        yield stream;
        stream = [];
      }
      stream.push(event);
    }
    if (some.length === 0) break;
  }
  if (stream.length > 0) yield stream;
}

function readSome(rows: Iterable<EventColumns>): readonly RecordedEvent[] {
  const some: RecordedEvent[] = [];
  let characters = 0;
  for (const columns of rows) {
    some.push(toEvent(columns));
    characters += columns.payload.length;
    if (some.length >= readAtOnce.events || characters >= readAtOnce.characters) break;
  }
  return some;
}
