import type { RecordedEvent } from "../../event.ts";
import type { Steps } from "../progress.ts";
import { walkAttachments } from "./attachments.ts";
import { compareEnvelope, compareObject, compareRows, type Expected, textsOf } from "./derived.ts";
import { compareErasure, type ErasureProofs, findUnattested } from "./erasures.ts";
import { eventsOf, expectedOf, type Folding } from "./explain.ts";
import { reportOrphans, sumRows } from "./orphans.ts";
import { type LogReader, type Moment, type RowCounts, walk, walkRows } from "./reader.ts";
import type { CountRow, ObjectColumns } from "./rows.ts";
import { createSums, type Sums } from "./sums.ts";
import { legible, type Report } from "./text.ts";

/** What is known of a log when its streams are looked at. */
export interface Known extends Folding {
  /** Whether what follows from it is of this program's revision. */
  readonly isCurrent: boolean;
  readonly erasures: ErasureProofs | undefined;
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
  readonly expected: Expected | undefined;
  /** What is wrong with the events. */
  readonly damages: readonly string[];
}

/**
 * Compares what follows from each stream, whose events and object are read at one moment, with its
 * object. Its other rows are added up, and so are those that there are. Where the sums differ, some
 * have been changed since, or are damaged: these are compared row by row, at one moment as well.
 */
export async function checkStreams(
  reader: LogReader,
  { isCurrent, erasures, steps, ...folding }: Known,
  report: Report,
): Promise<StreamCounts> {
  const sums = createSums();
  let streams = 0;
  const { events } = await reader.at((moment) => moment.size());
  const attachments = await walkAttachments(reader, report);
  steps.begin("comparing what follows from", Number(events), "events");

  function look({ stream, events, object, expected, damages }: Folded): void {
    streams += 1;
    for (const event of events) {
      attachments.look(event);
      steps.done();
    }
    for (const damage of damages) report(damage);
    if (erasures !== undefined) compareErasure(stream, events, erasures.lists, report);
    if (erasures?.attested !== undefined) findUnattested(events, erasures.attested);
    if (expected === undefined) return;
    if (!isCurrent) {
      compareEnvelope(stream, events, object, report);
      return;
    }
    compareObject(stream, events, expected, object, report);
    for (const row of textsOf(events, expected)) sums.expect(stream, row);
  }

  await walkStreams(
    reader,
    folding,
    () => true,
    (folded) => folded.forEach(look),
  );
  await attachments.end();
  const counts = { streams, ...(await sumRows(reader, sums)) };
  if (!isCurrent) return counts;
  if (!sums.isEvenAll()) {
    await compareUneven(reader, { sums, folding }, report);
    await reportOrphans(reader, { sums, folding }, report);
  }
  await compareCounts(reader, report);
  await checkTurns(reader, report);
  return counts;
}

/** Compares the rows of streams whose sums are not even. */
async function compareUneven(
  reader: LogReader,
  { sums, folding }: { readonly sums: Sums; readonly folding: Folding },
  report: Report,
): Promise<void> {
  const isUneven = (stream: string) => !sums.isEven(stream);
  await walkStreams(reader, folding, isUneven, async (folded, moment) => {
    const expected = folded.flatMap((one) => one.expected ?? []);
    const found = await moment.found({
      claims: expected.flatMap(({ claims }) => claims),
      fields: expected.flatMap(({ fields }) => fields),
      messages: expected.flatMap(({ messages }) => messages),
    });
    for (const one of folded) {
      if (one.expected !== undefined) compareRows(one.stream, one.expected, found, report);
    }
  });
}

/** Looks at all streams that are chosen, some at each moment. */
async function walkStreams(
  reader: LogReader,
  folding: Folding,
  isChosen: (stream: string) => boolean,
  look: (folded: readonly Folded[], moment: Moment) => Promise<void> | void,
): Promise<void> {
  await walk<RecordedEvent>(
    reader,
    (moment, after) => wholeStreams(moment, after?.stream),
    async (events, moment) => {
      const chosen = events.filter(({ stream }) => isChosen(stream));
      await look(await foldAll(moment, chosen, folding), moment);
    },
  );
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
    const expected = expectedOf(events, object, folding, (line) => void damages.push(line));
    return { stream, events, object, expected, damages };
  });
}

/** Compares `counts` with the objects that lists see under each parent. */
async function compareCounts(reader: LogReader, report: Report): Promise<void> {
  const compareGroup = ({ kind, parent, objects, counted }: CountRow) => {
    const name = countName(kind, parent);
    if (counted === null) report(`${name}: it is missing, and should be ${objects}`);
    else if (counted !== objects) report(`${name}: it is ${counted}, not ${objects}`);
  };
  const compareCount = ({ kind, parent, objects }: CountRow) => {
    if (objects === 0n) report(`${countName(kind, parent)}: no object explains it`);
  };
  await walkRows(reader, "groups", (rows) => rows.forEach(compareGroup));
  await walkRows(reader, "counts", (rows) => rows.forEach(compareCount));
}

function countName(kind: string, parent: string): string {
  return `count of ${legible(kind)} under ${legible(parent)}`;
}

/** Whether each owner with messages has a turn: without one they wait forever. */
async function checkTurns(reader: LogReader, report: Report): Promise<void> {
  for (const { type, owner } of await reader.at((moment) => moment.linesWithoutTurn())) {
    report(`turn of ${legible(owner)} for ${legible(type)}: it is missing`);
  }
}
