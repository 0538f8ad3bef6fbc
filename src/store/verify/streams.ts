import type { RecordedEvent } from "../../event.ts";
import type { Steps } from "../progress.ts";
import type { Projection } from "../projector.ts";
import { compareCounts } from "./counts.ts";
import { compare, compareEnvelope, type Found, fieldsOf } from "./derived.ts";
import { eventsOf, type Folding, projectionOf } from "./explain.ts";
import { reportOrphans } from "./orphans.ts";
import { createOwed } from "./owed.ts";
import { type LogReader, type Moment, type RowCounts, walk } from "./reader.ts";
import type { FieldColumns, ObjectColumns } from "./rows.ts";
import type { Report } from "./text.ts";
import { checkTurns } from "./turns.ts";

/** What is known of a log when its streams are looked at. */
export interface Known extends Folding {
  /** Whether what follows from it is of this program's revision. */
  readonly isCurrent: boolean;
  readonly steps: Steps;
}

/** How many there are. */
export interface StreamCounts extends RowCounts {
  readonly streams: number;
}

/** A stream with what its tables should have, as far as that can be known. */
interface Folded {
  readonly stream: string;
  readonly events: readonly RecordedEvent[];
  readonly object: ObjectColumns | undefined;
  readonly expected: (Projection & { readonly fields: readonly FieldColumns[] }) | undefined;
  /** What is wrong with the events. */
  readonly damages: readonly string[];
}

/**
 * Compares what follows from each stream, whose events and rows are read at one moment: others may
 * have been changed since the look at them. Then looks for rows that no stream explains.
 */
export async function checkStreams(
  reader: LogReader,
  { isCurrent, steps, ...folding }: Known,
  report: Report,
): Promise<StreamCounts> {
  const log = await reader.at((moment) => moment.size());
  const owed = createOwed(log.events);
  let streams = 0;
  steps.begin("comparing what follows from", log.events, "events");

  function look({ stream, events, object, expected, damages }: Folded, found: Found): void {
    streams += 1;
    for (const _ of events) steps.done();
    for (const damage of damages) report(damage);
    if (expected === undefined) return;
    if (!isCurrent) {
      compareEnvelope(stream, events, object, report);
      return;
    }
    const rows = compare(stream, events, expected, { ...found, object }, report);
    const [first, last] = [events[0]?.position ?? 0n, events.at(-1)?.position ?? 0n];
    // What changes meanwhile is looked at row by row.
    if (last <= log.end) owed.found(first, rows);
  }

  await walk<RecordedEvent>(
    reader,
    (moment, after) => wholeStreams(moment, after?.stream),
    async (events, moment) => {
      const folded = await foldAll(moment, events, folding);
      const found = await lookUp(moment, isCurrent ? folded : []);
      for (const one of folded) look(one, found);
    },
  );
  if (!isCurrent) return { streams, ...(await reader.at((moment) => moment.rowCounts())) };
  const rows = await reportOrphans(reader, { owed, folding, end: log.end }, report);
  await compareCounts(reader, report);
  await checkTurns(reader, report);
  return { streams, ...rows };
}

/** Events of the streams behind one, or of the first ones: all of each. Empty behind the last. */
export async function wholeStreams(
  moment: Moment,
  after: string | undefined,
): Promise<readonly RecordedEvent[]> {
  const events = await moment.inStreams(after);
  const { stream } = events.at(-1) ?? {};
  return stream === undefined ? [] : await eventsOf(moment, stream, events);
}

/** What each stream should have. */
async function foldAll(
  moment: Moment,
  all: readonly RecordedEvent[],
  folding: Folding,
): Promise<readonly Folded[]> {
  const byStream = Map.groupBy(all, ({ stream }) => stream);
  const objects = await moment.objectsOf([...byStream.keys()]);
  return [...byStream].map(([stream, events]) => {
    const object = objects.get(stream);
    const damages: string[] = [];
    const projection = projectionOf(events, object, folding, (line) => void damages.push(line));
    const fields = fieldsOf(events, projection?.row);
    return { stream, events, object, expected: projection && { ...projection, fields }, damages };
  });
}

/** What the tables have of all that should be there. */
async function lookUp(moment: Moment, folded: readonly Folded[]): Promise<Found> {
  const expected = folded.flatMap((one) => one.expected ?? []);
  return {
    holders: await moment.holdersOf(expected.flatMap(({ claims }) => claims)),
    exacts: await moment.exactsOf(expected.flatMap(({ fields }) => fields)),
    pending: await moment.pendingOf(expected.flatMap(({ messages }) => messages)),
  };
}
