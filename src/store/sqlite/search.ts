import type Database from "better-sqlite3";
import type { EventPage, EventQuery } from "../query.ts";
import {
  payloadBytesOf,
  type Span,
  shareOut,
  spanOf,
  spanUpTo,
  type Versions,
  versionsText,
} from "../span.ts";
import { sql } from "../sql.ts";
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
  const look = prepareLook(db);
  const prepare = (text: string) => prepareRows<[Bound], bigint>(db, text).pluck();
  const [up, down] = [prepare(searchTexts.up), prepare(searchTexts.down)];
  const upInStreams = prepare(searchTexts.upInStreams);
  const downInStreams = prepare(searchTexts.downInStreams);
  return (query) => {
    const { descending = false, limit, streams } = query;
    const whole = spanOf(query, head().position);
    const { span, versions } =
      streams === undefined ? { span: whole, versions: null } : look(streams, whole, descending);
    const [onUp, onDown] = streams === undefined ? [up, down] : [upInStreams, downInStreams];
    const positions = (descending ? onDown : onUp).all({
      ...boundTo(query),
      versions,
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

/** Makes the function that finds what is looked at of streams, and cuts the span to it. */
function prepareLook(db: Database.Database) {
  const versionsOf = prepareRows<[LookBound], Versions>(db, lookText);
  const at = prepareRows<[string, bigint], bigint>(
    db,
    "SELECT position FROM events WHERE stream = ? AND version = ?",
  ).pluck();
  return (streams: readonly string[], whole: Span, descending: boolean) => {
    const beyond = whole.highest + 1n;
    const found = versionsOf.all({ streams: toJson(streams), lowest: whole.lowest, beyond });
    const { looked, edges } = shareOut(found, descending);
    const stops = edges.flatMap(({ stream, last }) => at.all(stream, last));
    const versions = looked.map(({ stream, first, last }) => [stream, Number(first), Number(last)]);
    return { span: spanUpTo(whole, stops, descending), versions: JSON.stringify(versions) };
  };
}

interface LookBound {
  readonly streams: string;
  readonly lowest: bigint;
  readonly beyond: bigint;
}

const asked = sql`(SELECT value AS stream FROM json_each(@streams))`;
const versions = versionsText(sql`events`, asked, sql`@lowest`, sql`@beyond`);
/** The query for the versions of streams between two positions. */
export const lookText = `WITH RECURSIVE ${versions.text}`;

const everywhere = "events NOT INDEXED WHERE position";
// With the plus, SQLite looks for the versions and not for the positions.
const inStreams = `(SELECT value ->> 0 AS name, value ->> 1 AS first, value ->> 2 AS last
    FROM json_each(@versions)) CROSS JOIN events
  WHERE stream = name AND version BETWEEN first AND last AND +position`;

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
  /** The name, the first version and the last of each stream that is looked at. */
  readonly versions: string | null;
  readonly lowest: bigint;
  readonly highest: bigint;
  readonly limit: number;
}

function boundTo({ kinds, types, owner, actor, fromMs, untilMs }: EventQuery) {
  const listOf = (texts?: readonly string[]) => (texts === undefined ? null : toJson(texts));
  return {
    // With the hyphen, so that a name without one is of no kind.
    kinds: listOf(kinds?.map((kind) => `${kind}-`)),
    types: listOf(types),
    owner: owner ?? null,
    actor: actor ?? null,
    fromMs: fromMs ?? null,
    untilMs: untilMs ?? null,
  };
}
