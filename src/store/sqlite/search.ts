import type Database from "better-sqlite3";
import type { EventPage, EventQuery } from "../query.ts";
import { payloadBytesOf, spanOf } from "../span.ts";
import { prepareHead } from "./head.ts";
import {
  bytesOf,
  prepareRows,
  readWithin,
  type SealedColumns,
  sealedColumns,
  type ToEvent,
} from "./row.ts";
import { toJson } from "./sql.ts";

/** Makes the function that searches the log. */
export function prepareSearch(
  db: Database.Database,
  toEvent: ToEvent,
): (query: EventQuery) => EventPage {
  const event = prepareRows<[bigint], SealedColumns>(
    db,
    `SELECT ${sealedColumns} FROM events WHERE position = ?`,
  );
  const head = prepareHead(db);
  const prepare = (text: string) => prepareRows<[Bound], bigint>(db, text).pluck();
  const [up, down] = [prepare(searchTexts.up), prepare(searchTexts.down)];
  const upInStreams = prepare(searchTexts.upInStreams);
  const downInStreams = prepare(searchTexts.downInStreams);
  return (query) => {
    const { descending = false, limit, streams } = query;
    const span = spanOf(query, head().position);
    const [onUp, onDown] = streams === undefined ? [up, down] : [upInStreams, downInStreams];
    const positions = (descending ? onDown : onUp).all({
      ...boundTo(query),
      lowest: span.lowest,
      highest: span.highest,
      // One more tells whether the last is the last of all.
      limit: limit + 1,
    });
    const wanted = positions.slice(0, limit);
    const rows = readWithin(event, wanted, ({ payload }) => payload, payloadBytesOf(query));
    const hasMore = rows.length < positions.length;
    const through = hasMore ? (rows.at(-1)?.position ?? span.start) : span.through;
    const events = rows.map((columns) => ({ ...toEvent(columns), link: bytesOf(columns.link) }));
    return { events, through, isEnd: !hasMore && span.isAll };
  };
}

const everywhere = "events NOT INDEXED WHERE position";
// With the plus, SQLite looks for the streams and not for the positions.
const inStreams = "events WHERE stream IN (SELECT value FROM json_each(@streams)) AND +position";

/** The queries for the positions of what is looked for. */
export const searchTexts = {
  up: searchText(everywhere, "ASC"),
  down: searchText(everywhere, "DESC"),
  upInStreams: searchText(inStreams, "ASC"),
  downInStreams: searchText(inStreams, "DESC"),
};

function searchText(source: string, order: string): string {
  return `SELECT position FROM ${source} BETWEEN @lowest AND @highest
    AND (@kinds IS NULL OR
      substr(stream, 1, instr(stream, '-')) IN (SELECT value FROM json_each(@kinds)))
    AND (@types IS NULL OR type IN (SELECT value FROM json_each(@types)))
    AND (@owner IS NULL OR owner = @owner)
    AND (@actor IS NULL OR actor = @actor)
    AND (@fromMs IS NULL OR time >= @fromMs)
    AND (@untilMs IS NULL OR time <= @untilMs)
    ORDER BY position ${order} LIMIT @limit`;
}

interface Bound extends ReturnType<typeof boundTo> {
  readonly lowest: bigint;
  readonly highest: bigint;
  readonly limit: number;
}

function boundTo({ streams, kinds, types, owner, actor, fromMs, untilMs }: EventQuery) {
  const listOf = (texts?: readonly string[]) => (texts === undefined ? null : toJson(texts));
  return {
    streams: listOf(streams),
    // With the hyphen, so that a name without one is of no kind.
    kinds: listOf(kinds?.map((kind) => `${kind}-`)),
    types: listOf(types),
    owner: owner ?? null,
    actor: actor ?? null,
    fromMs: fromMs ?? null,
    untilMs: untilMs ?? null,
  };
}
