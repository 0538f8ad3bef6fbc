import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../../event.ts";
import type { Projection, Projector } from "../../projector.ts";
import { checksumOf } from "../checksum.ts";
import type { EventColumns } from "../row.ts";
import { eventColumns, prepareRows, toEvent } from "../row.ts";
import { missing, type Report, shown } from "./text.ts";

/** An event and the checksum that was kept with it. */
export interface KeptEvent extends RecordedEvent {
  readonly checksum: number | undefined;
}

/**
 * Checks that positions are gapless from 1 and that every event is the one that was appended.
 * Answers how many there are.
 */
export function checkLog(db: Database.Database, report: Report): number {
  const all = prepareRows<[], KeptColumns>(
    db,
    `SELECT ${keptColumns} FROM events NOT INDEXED ORDER BY position`,
  );
  let count = 0;
  let next = 1n;
  for (const columns of all.iterate()) {
    const event = toKept(columns);
    const { position } = event;
    if (position < next) report(`log: position ${position} is none: the first is 1`);
    if (position > next) report(`log: ${missing("position", next, position - 1n)}`);
    if (!isIntact(event)) report(`${nameOf(event)}: it is not what was appended (its checksum)`);
    if (position >= next) next = position + 1n;
    count += 1;
  }
  return count;
}

/** Makes the query for the events of a stream. */
export function prepareEvents(db: Database.Database): (stream: string) => readonly KeptEvent[] {
  const events = prepareRows<[string], KeptColumns>(
    db,
    `SELECT ${keptColumns} FROM events WHERE stream = ? ORDER BY version`,
  );
  return (stream) => events.all(stream).map(toKept);
}

/**
 * Checks the versions and the owner of a stream and folds it. Answers what follows from it, or
 * undefined when its events are damaged, so that nothing can be said about what should.
 */
export function checkStream(
  events: readonly KeptEvent[],
  projector: Projector,
  report: Report,
): Projection | undefined {
  // An event that is not what was appended has been reported with the log.
  let isSound = events.every(isIntact);
  const tell: Report = (damage) => {
    isSound = false;
    report(damage);
  };
  checkVersions(events, tell);
  const owner = events[0]?.owner ?? "";
  for (const event of events) {
    if (event.owner === owner) continue;
    tell(`${nameOf(event)}: it belongs to ${shown(event.owner)}, its stream to ${shown(owner)}`);
  }
  return isSound ? fold(events, projector, report) : undefined;
}

function checkVersions(events: readonly KeptEvent[], report: Report): void {
  let next = 1;
  let before: KeptEvent | undefined;
  for (const event of events) {
    const { stream, version, position } = event;
    if (version < next) report(`${nameOf(event)}: its version should be ${next} or more`);
    if (version > next) {
      report(`stream ${shown(stream)}: ${missing("version", next, version - 1)}`);
    }
    if (before !== undefined && before.position > position) {
      report(`${nameOf(event)}: version ${before.version} comes later, at ${before.position}`);
    }
    next = Math.max(next, version + 1);
    before = event;
  }
}

function fold(
  events: readonly KeptEvent[],
  projector: Projector,
  report: Report,
): Projection | undefined {
  try {
    return projector.project(events);
  } catch {
    // What was thrown is not repeated: it may speak of what the event holds.
    for (const event of firstUnfoldable(events, projector)) {
      report(`${nameOf(event)}: ${shown(event.type)} cannot be folded: ${reasonOf(event)}`);
    }
    return undefined;
  }
}

/** Of events that cannot be folded, the one with which that begins, alone. */
function firstUnfoldable(events: readonly KeptEvent[], projector: Projector): readonly KeptEvent[] {
  let folded = 0;
  let unfolded = events.length;
  while (unfolded - folded > 1) {
    const middle = Math.floor((folded + unfolded) / 2);
    try {
      projector.project(events.slice(0, middle));
      folded = middle;
    } catch {
      unfolded = middle;
    }
  }
  return events.slice(folded, unfolded);
}

function reasonOf({ payload }: KeptEvent): string {
  try {
    JSON.parse(payload);
    return "this program knows no such stream or event, or one before it is missing";
  } catch {
    return "its payload is not JSON";
  }
}

function nameOf({ position, stream, version }: KeptEvent): string {
  return `event at position ${position}, version ${version} of ${shown(stream)}`;
}

function isIntact(event: KeptEvent): boolean {
  return event.checksum === checksumOf(event);
}

interface KeptColumns extends EventColumns {
  readonly checksum: bigint | null;
}

const keptColumns = `${eventColumns}, events.checksum`;

function toKept({ checksum, ...columns }: KeptColumns): KeptEvent {
  const kept = checksum === null ? undefined : Number(checksum);
  return { ...toEvent(columns), checksum: kept };
}
