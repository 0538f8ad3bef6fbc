import type Database from "better-sqlite3";
import type { Claim } from "../../event.ts";
import type { ToObject } from "../object-row.ts";
import type { ListQuery } from "../query.ts";
import { prepareAttachments } from "./attachments.ts";
import { prepareLink } from "./chain.ts";
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
export type Reads = ReturnType<typeof prepareReads>;

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
) {
  const row = prepareRow(db);
  const { holdersOf, holdersIn } = prepareTexts(db);
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
  const load = (streams: readonly string[]) => streams.map((stream) => toObject(row(stream)));
  const loadAtOnce = db.transaction(load).deferred;
  return {
    /** All of them as of one moment, though another process writes meanwhile. */
    load: (streams: readonly string[]) =>
      streams.length > 1 ? loadAtOnce(streams) : load(streams),
    versions: versionsOf,
    find: (claim: Claim) => holdersOf([claim])[0] ?? undefined,
    holders: holdersIn,
    /** Undefined where it is not done within so many rows. */
    list: (query: ListQuery) => {
      let left = listRows;
      return list(query, () => {
        left -= paceRows;
        return left + paceRows > 0;
      });
    },
    readStream: (stream: string, after: number, limit: number) =>
      streamEvents.all(stream, after, limit).map(toEvent),
    readAll: (after: bigint, limit: number) => allEvents.all(after, limit).map(toEvent),
    search: prepareSearch(db, toEvent),
    head: prepareHead(db),
    linkAt: prepareLink(db),
    attachment: prepareAttachments(db).find,
  };
}
