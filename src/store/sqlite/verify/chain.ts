import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../../event.ts";
import { type Check, type End, isSame } from "../../chain/chain.ts";
import { firstLink } from "../../chain/link.ts";
import { prepareRows, type SealedColumns, sealedColumns, toSealed } from "../row.ts";
import { missing, type Report, shown } from "./text.ts";

/** What a look at every event of the log came to. */
export interface Checked {
  readonly events: number;
  /** The positions of events that are not what was appended. */
  readonly damaged: ReadonlySet<bigint>;
}

/**
 * Checks that positions are gapless from 1, that every event is the one that was appended, that
 * each follows the one before, and that the last one is where the log ends.
 */
export function checkChain(db: Database.Database, check: Check, report: Report): Checked {
  const all = prepareRows<[], SealedColumns>(
    db,
    `SELECT ${sealedColumns} FROM events NOT INDEXED ORDER BY position`,
  );
  const damaged = new Set<bigint>();
  let events = 0;
  let next = 1n;
  let before: Uint8Array | undefined = firstLink;
  for (const columns of all.iterate()) {
    const event = toSealed(columns);
    const { position } = event;
    if (position < next) report(`log: position ${position} is none: the first is 1`);
    if (position > next) report(`log: ${missing("position", next, position - 1n)}`);
    // What an event behind a gap follows cannot be known.
    const faults = check(event, position === next ? before : undefined);
    if (faults.length > 0) {
      damaged.add(position);
      report(`${nameOf(event)}: it is not what was appended (its ${faults.join(" and its ")})`);
    }
    before = event.link;
    if (position >= next) next = position + 1n;
    events += 1;
  }
  checkHead(db, { position: next - 1n, link: before }, report);
  return { events, damaged };
}

/** Whether the head that is written with each batch is where the events end. */
function checkHead(db: Database.Database, { position, link }: End, report: Report): void {
  const heads = prepareRows<[], End>(db, "SELECT position, link FROM head").all();
  const [head] = heads;
  if (head === undefined || heads.length > 1) {
    report(`log: it has ${heads.length} heads, and not one`);
  } else if (head.position > position) {
    report(`log: ${missing("position", position + 1n, head.position)} at its end`);
  } else if (head.position < position || !isSame(head.link, link)) {
    report(`log: its head, of position ${head.position}, is not its end`);
  }
}

/** How lines name an event. */
export function nameOf({
  position,
  stream,
  version,
}: Pick<RecordedEvent, "position" | "stream" | "version">): string {
  return `event at position ${position}, version ${version} of ${shown(stream)}`;
}
