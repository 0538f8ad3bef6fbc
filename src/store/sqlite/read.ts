import type Database from "better-sqlite3";
import type { Claim, ClaimsWithin, RecordedEvent } from "../../event.ts";
import type { ToObject } from "../object-row.ts";
import type { EventPage, EventQuery, Head, ListQuery } from "../query.ts";
import type { Holders, ObjectPage, StoredObject } from "../store.ts";
import { prepareAttachments } from "./attachments.ts";
import type { LogEnd } from "./end.ts";
import { prepareHead } from "./head.ts";
import type { SqliteLimits } from "./limits.ts";
import { prepareList } from "./list.ts";
import { prepareRow } from "./object-row.ts";
import { paceRows } from "./pace.ts";
import { prepareRows, type SealedColumns, sealedColumns, type ToEvent } from "./row.ts";
import { prepareSearch } from "./search.ts";
import { bound } from "./sql.ts";
import { prepareTexts } from "./texts.ts";

/** The reading half of `Store`, answered at once or failed with what SQLite said. */
export interface Reads {
  load(streams: readonly string[]): readonly StoredObject[];
  versions(streams: readonly string[]): readonly number[];
  find(claim: Claim): string | undefined;
  holders(claims: ClaimsWithin, limit: number): Holders;
  /** Undefined where it is not done within so many rows. */
  list(query: ListQuery): ObjectPage | undefined;
  readStream(stream: string, after: number, limit: number): readonly RecordedEvent[];
  readAll(after: bigint, limit: number): readonly RecordedEvent[];
  search(query: EventQuery): EventPage;
  head(): Head;
  linkAt(position: bigint): Uint8Array | undefined;
  attachment(digest: string): Uint8Array | undefined;
}

/** How rows are read. */
interface Reading extends Pick<LogEnd, "versionsOf"> {
  readonly toObject: ToObject;
  readonly toEvent: ToEvent;
}

/**
 * Prepares the statements once for the life of the connection, except those of lists, which follow
 * from what is asked: of them it keeps so many.
 */
export function prepareReads(
  db: Database.Database,
  { toObject, toEvent, versionsOf }: Reading,
  { listStatements, listRows }: Pick<SqliteLimits, "listStatements" | "listRows">,
): Reads {
  const row = prepareRow(db);
  const { holdersOf, holdersIn } = prepareTexts(db);
  const link = prepareRows<[bigint], { readonly link: Uint8Array }>(
    db,
    "SELECT link FROM events WHERE position = ?",
  );
  const streamEvents = prepareRows<[string, number, number], SealedColumns>(
    db,
    `SELECT ${sealedColumns} FROM events
     WHERE stream = ${bound} AND version > ${bound} ORDER BY version LIMIT ${bound}`,
  );
  const allEvents = prepareRows<[bigint, number], SealedColumns>(
    db,
    `SELECT ${sealedColumns} FROM events WHERE position > ? ORDER BY position LIMIT ${bound}`,
  );
  const list = prepareList(db, toObject, listStatements);
  return {
    load: (streams) => streams.map((stream) => toObject(row(stream))),
    versions: versionsOf,
    find: (claim) => holdersOf([claim])[0] ?? undefined,
    holders: holdersIn,
    list: (query) => {
      let left = listRows;
      return list(query, () => {
        left -= paceRows;
        return left + paceRows > 0;
      });
    },
    readStream: (stream, after, limit) => streamEvents.all(stream, after, limit).map(toEvent),
    readAll: (after, limit) => allEvents.all(after, limit).map(toEvent),
    search: prepareSearch(db, toEvent),
    head: prepareHead(db),
    linkAt: (position) => link.get(position)?.link,
    attachment: prepareAttachments(db).find,
  };
}
