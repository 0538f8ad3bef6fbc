import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../../event.ts";
import type { Steps } from "../progress.ts";
import { prepareRows } from "../row.ts";
import { compareCounts } from "./counts.ts";
import { compare, compareEnvelope, fieldsOf } from "./derived.ts";
import { createExplain, type Folding, projectionOf } from "./explain.ts";
import { visitStreams } from "./log.ts";
import { type RowCounts, reportOrphans } from "./orphans.ts";
import { createOwed } from "./owed.ts";
import { type Pieces, readAll } from "./pieces.ts";
import { prepareLookups } from "./rows.ts";
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

/**
 * Compares what follows from each stream, whose events and rows are read at one moment: others may
 * have been changed since the look at them. Then looks for rows that no stream explains.
 */
export async function checkStreams(
  db: Database.Database,
  pieces: Pieces,
  { isCurrent, steps, ...folding }: Known,
  report: Report,
): Promise<StreamCounts> {
  const { lookups, log } = await pieces(() => ({ lookups: prepareLookups(db), log: sizeOf(db) }));
  const owed = createOwed(log.events);
  let streams = 0;
  steps.begin("comparing what follows from", log.events, "events");

  function look(stream: string, events: readonly RecordedEvent[]): void {
    streams += 1;
    for (const _ of events) steps.done();
    const object = lookups.object(stream);
    const projection = projectionOf(events, object, folding, report);
    if (projection === undefined) return;
    if (!isCurrent) {
      compareEnvelope(stream, events, object, report);
      return;
    }
    const fields = fieldsOf(events, projection.row);
    const there = { ...lookups, row: object };
    const rows = compare(stream, events, { ...projection, fields }, there, report);
    const [first, last] = [events[0]?.position ?? 0n, events.at(-1)?.position ?? 0n];
    // What changes meanwhile is looked at row by row.
    if (last <= log.end) owed.found(first, rows);
  }

  await readAll(pieces, await pieces(() => visitStreams(db, look)));
  if (!isCurrent) return { streams, ...(await pieces(() => countRows(db))) };
  const explain = await pieces(() => createExplain(db, lookups, folding));
  const { streamAt } = lookups;
  const rows = await reportOrphans(db, pieces, { owed, explain, streamAt, end: log.end }, report);
  await compareCounts(db, pieces, report);
  await pieces(() => checkTurns(db, report));
  return { streams, ...rows };
}

function countRows(db: Database.Database): RowCounts {
  const count = (table: string) =>
    db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  return { claims: count("claims"), fields: count("fields"), messages: count("messages") };
}

function sizeOf(db: Database.Database): { readonly events: number; readonly end: bigint } {
  const sizes = prepareRows<[], { readonly events: bigint; readonly end: bigint | null }>(
    db,
    "SELECT (SELECT count(*) FROM events) AS events, (SELECT max(position) FROM events) AS end",
  );
  const { events, end } = sizes.get() ?? { events: 0n, end: 0n };
  return { events: Number(events), end: end ?? 0n };
}
