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
import { type Sql, sql, type Value } from "../sql.ts";
import { countWithin } from "../within.ts";
import { readHead } from "./head.ts";
import type { Connection } from "./pool.ts";
import { served } from "./revision.ts";
import { type SealedColumns, sealedColumns, type ToEvent } from "./row.ts";
import { numbered } from "./sql.ts";
import { toStored } from "./text.ts";

/**
 * Searches the log. Events up to its head never change, so that what is asked one after the other
 * fits together.
 */
export async function search(
  pool: Connection,
  toEvent: ToEvent,
  query: EventQuery,
): Promise<EventPage> {
  const { descending = false, limit, streams } = query;
  const whole = spanOf(query, (await readHead(pool)).position);
  const { span, source } =
    streams === undefined
      ? { span: whole, source: sql`iam.events e` }
      : await lookIn(pool, streams, whole, descending);
  const direction = descending ? sql`DESC` : sql`ASC`;
  const { text, values } = numbered(sql`
    SELECT e.position, octet_length(e.payload) AS bytes FROM ${source}
      WHERE e.position BETWEEN ${span.lowest} AND ${span.highest} AND ${conditionOf(query)}
      ORDER BY e.position ${direction} LIMIT ${limit + 1}`);
  const found = await pool.query<FoundColumns>(`WITH ${served} ${text}`, values);
  // One more tells whether the last is the last of all.
  const wanted = found.slice(0, limit);
  const count = countWithin(
    wanted.map(({ bytes }) => bytes),
    payloadBytesOf(query),
  );
  const positions = wanted.slice(0, count).map(({ position }) => position);
  const rows =
    count === 0
      ? []
      : await pool.query<SealedColumns>(
          `SELECT ${sealedColumns} FROM iam.events e WHERE e.position = ANY($1::bigint[])
             ORDER BY e.position ${descending ? "DESC" : "ASC"}`,
          [positions],
        );
  const hasMore = count < found.length;
  const through = hasMore ? (positions.at(-1) ?? span.start) : span.through;
  return {
    events: rows.map((row) => ({ ...toEvent(row), link: row.link })),
    through,
    isEnd: !hasMore && span.isAll,
  };
}

/** Finds what is looked at of streams, as a source of events, and cuts the span to it. */
async function lookIn(
  pool: Connection,
  streams: readonly string[],
  whole: Span,
  descending: boolean,
): Promise<{ readonly span: Span; readonly source: Sql }> {
  const ask = <Row extends object>(piece: Sql) => {
    const { text, values } = numbered(piece);
    return pool.query<Row>(`WITH RECURSIVE ${served}${text}`, values);
  };
  const named = sql`(SELECT unnest(${streams.map(toStored)}::text[]) AS stream)`;
  const [lowest, beyond] = [sql`${whole.lowest}`, sql`${whole.highest + 1n}`];
  const versions = versionsText(sql`iam.events`, named, lowest, beyond);
  const found = await ask<Versions>(sql`, ${versions}`);
  const { looked, edges } = shareOut(found, descending);
  const names = (some: readonly Pick<Versions, "stream">[]) =>
    sql`${some.map(({ stream }) => stream)}::text[]`;
  const lasts = (some: readonly Pick<Versions, "last">[]) =>
    sql`${some.map(({ last }) => last)}::bigint[]`;
  const stops =
    edges.length === 0
      ? []
      : await ask<Pick<FoundColumns, "position">>(sql`
          SELECT e.position FROM unnest(${names(edges)}, ${lasts(edges)}) AS s (stream, last)
            JOIN iam.events e ON e.stream = s.stream AND e.version = s.last`);
  const firsts = sql`${looked.map(({ first }) => first)}::bigint[]`;
  // OFFSET keeps the planner from reading all events, of which it expects the most to match.
  const source = sql`
    unnest(${names(looked)}, ${firsts}, ${lasts(looked)}) AS s (stream, first, last), LATERAL (
      SELECT * FROM iam.events e
        WHERE e.stream = s.stream AND e.version BETWEEN s.first AND s.last OFFSET 0) e`;
  const positions = stops.map(({ position }) => position);
  return { span: spanUpTo(whole, positions, descending), source };
}

interface FoundColumns {
  readonly position: bigint;
  readonly bytes: number;
}

function conditionOf(query: EventQuery): Sql {
  const { kinds, types, owner, actor, fromMs, untilMs } = query;
  const among = (column: Sql, texts: readonly string[] | undefined) =>
    texts === undefined ? [] : [sql`${column} = ANY(${texts.map(toStored)}::text[])`];
  const when = (condition: (value: Value) => Sql, value: Value | undefined) =>
    value === undefined ? [] : [condition(value)];
  const conditions = [
    // With the hyphen, so that a name without one is of no kind.
    ...among(
      sql`left(e.stream, strpos(e.stream, '-'))`,
      kinds?.map((kind) => `${kind}-`),
    ),
    ...among(sql`e.type`, types),
    ...when((value) => sql`e.owner = ${value}`, owner && toStored(owner)),
    ...when((value) => sql`e.actor = ${value}`, actor && toStored(actor)),
    ...when((value) => sql`e.time >= ${value}`, fromMs),
    ...when((value) => sql`e.time <= ${value}`, untilMs),
  ];
  return conditions.reduce((some, one) => sql`${some} AND ${one}`, sql`TRUE`);
}
