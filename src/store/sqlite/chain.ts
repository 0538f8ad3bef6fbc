import type Database from "better-sqlite3";
import type { Check, End } from "../chain/chain.ts";
import { firstLink } from "../chain/link.ts";
import type { Steps } from "../progress.ts";
import { type Checked, type PassedEvent, walkChain } from "../verify/chain.ts";
import type { Report } from "../verify/text.ts";
import { prepareHead } from "./head.ts";
import { idIn } from "./id.ts";
import { prepareRows, type SealedColumns, sealedColumns, toSealed } from "./row.ts";

interface Part {
  /** The position of the last event that is taken as it is; 0 for none. */
  readonly after?: bigint;
  readonly steps?: Steps | undefined;
}

/** The query for the events behind a position and up to another, in order. */
export const eventsText = `SELECT ${sealedColumns} FROM events NOT INDEXED
  WHERE position > ? AND position <= ? ORDER BY position`;

/** A row of `events`, with where an index says that its stream and version are. */
export interface PassedColumns extends SealedColumns {
  readonly indexed: bigint | null;
}

/**
 * The same, each looked for by its stream and version as well: a writer of the file may have
 * taken it out of the index by which all others ask.
 */
export const passedText = `SELECT ${sealedColumns}, (SELECT other.position FROM events AS other
    WHERE other.stream = events.stream AND other.version = events.version) AS indexed
  FROM events NOT INDEXED WHERE position > ? AND position <= ? ORDER BY position`;

/** The event that a row holds. */
export function toPassed(columns: PassedColumns): PassedEvent {
  return { ...toSealed(columns), isFound: columns.indexed === columns.position };
}

/** Follows the chain of a file, all of it at once, inside a transaction. */
export function checkChain(
  db: Database.Database,
  check: Check,
  report: Report,
  { after = 0n, steps }: Part = {},
): Checked {
  const { position: last } = prepareHead(db)();
  const begin = { position: after, link: prepareLink(db)(after) ?? firstLink };
  const span = { id: idIn(db) ?? "", after: begin, last, own: headsIn(db), steps };
  const chain = walkChain(check, report, span);
  const events = prepareRows<[bigint, bigint], PassedColumns>(db, passedText);
  for (const columns of events.iterate(chain.from, last)) chain.look(toPassed(columns));
  return chain.end();
}

/** Where the file says that its log ends: one row, where nothing is wrong. */
export function headsIn(db: Database.Database): readonly End[] {
  return prepareRows<[], End>(db, "SELECT position, link FROM head").all();
}

/** Makes the query for the link of the event at a position; undefined where there is none. */
export function prepareLink(db: Database.Database): (position: bigint) => Uint8Array | undefined {
  const event = prepareRows<[bigint], Pick<End, "link">>(
    db,
    "SELECT link FROM events WHERE position = ?",
  );
  return (position) => event.get(position)?.link;
}
