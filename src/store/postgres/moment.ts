import { claimKey } from "../claim-key.ts";
import type { MessageKey } from "../message.ts";
import { claimRow, textKey } from "../texts.ts";
import { isField, queriesOf } from "../verify/queries.ts";
import type { Moment } from "../verify/reader.ts";
import {
  emptySize,
  type FieldColumns,
  fieldKey,
  type LineColumns,
  type LogSize,
  messageKey,
  type ObjectColumns,
  type PagedRows,
} from "../verify/rows.ts";
import { linkAt } from "./head.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Connection } from "./pool.ts";
import { type SealedColumns, sealedColumns, toEvent, toSealed } from "./row.ts";
import { decoded, toStored } from "./text.ts";
import { holderOf, numberOf } from "./texts.ts";

/** How much one statement reads. */
export type PageLimits = Pick<PostgresLimits, "eventsAtOnce" | "bytesAtOnce">;

/**
 * Reads a log and what follows from it in the transaction of a connection. Given streams in the
 * order of the database, `inStreams` reads of those alone.
 */
export function momentOf(
  connection: Connection,
  limits: PageLimits,
  among?: readonly string[],
): Moment {
  const ask = async <Row extends object>(text: string, ...values: readonly unknown[]) =>
    (await connection.query<Row>(text, values)).map(decoded);
  return {
    linkAt: (position) => linkAt(connection, position),
    ...countsOf(ask, limits),
    ...eventsOf(connection, limits, among),
    ...rowsOf(ask),
  };
}

/** The rows that a statement answers, with their texts as they were before they were stored. */
type Ask = <Row extends object>(
  text: string,
  ...values: readonly unknown[]
) => Promise<readonly Row[]>;

function countsOf(
  ask: Ask,
  { eventsAtOnce }: PageLimits,
): Pick<Moment, "size" | "page" | "linesWithoutTurn"> {
  return {
    size: async () => {
      const [row] = await ask<LogSize>(texts.size);
      return row ?? emptySize;
    },
    page: <Name extends keyof PagedRows>(name: Name, after: PagedRows[Name] | undefined) => {
      const { text, values } = texts.page(name, after);
      const limit = `LIMIT $${values.length + 1}`;
      return ask<PagedRows[Name]>(`${text} ${limit}`, ...values.map(encoded), eventsAtOnce);
    },
    linesWithoutTurn: () => ask<LineColumns>(texts.linesWithoutTurn),
  };
}

function eventsOf(
  connection: Connection,
  { eventsAtOnce, bytesAtOnce }: PageLimits,
  among: readonly string[] | undefined,
): Pick<Moment, "events" | "inStreams" | "ofStream"> {
  /** A page of events whose payloads are short enough: what is left out is behind them. */
  const page = (where: string, order: string, values: readonly unknown[]) =>
    connection.query<SealedColumns>(
      `SELECT ${sealedColumns} FROM (
         SELECT *, sum(octet_length(payload)) OVER (ORDER BY ${order})
             - octet_length(payload) AS before
           FROM iam.events WHERE ${where} ORDER BY ${order} LIMIT $${values.length + 1}
       ) AS e WHERE before < $${values.length + 2} ORDER BY ${order}`,
      [...values, eventsAtOnce, bytesAtOnce],
    );
  return {
    events: async (after, through) => {
      const where = "position > $1 AND position <= $2";
      return (await page(where, "position", [after, through])).map(toSealed);
    },
    inStreams: async (after) => {
      const order = "stream, version";
      if (among !== undefined) {
        const left = among.slice(after === undefined ? 0 : among.indexOf(after) + 1);
        return (await page("stream = ANY($1)", order, [left.map(toStored)])).map(toEvent);
      }
      const where = after === undefined ? "TRUE" : "stream > $1";
      const values = after === undefined ? [] : [toStored(after)];
      return (await page(where, order, values)).map(toEvent);
    },
    ofStream: async (stream, after) => {
      const where = "stream = $1 AND version > $2";
      return (await page(where, "version", [toStored(stream), after])).map(toEvent);
    },
  };
}

function rowsOf(ask: Ask): Pick<Moment, "objectsOf" | "found"> {
  return {
    objectsOf: async (streams) => {
      const text = "SELECT * FROM derived.objects WHERE stream = ANY($1)";
      const rows = await ask<ObjectColumns>(text, streams.map(toStored));
      return new Map(rows.map((row) => [row.stream, row]));
    },
    found: async ({ claims, fields, messages }) => {
      const keys = claims.map((claim) => textKey(claimRow(claim)).map(toStored));
      const holders = await ask<{ readonly stream: string | null }>(
        `SELECT ${holderOf("w")} AS stream
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
             AS w(kind, name, parent, text, nth) ORDER BY nth`,
        ...[0, 1, 2, 3].map((part) => keys.map((key) => key[part])),
      );
      const listed = await ask<FieldColumns>(
        `SELECT w.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
             AS w(kind, name, parent, folded, first)
           JOIN derived.texts t ON t.first = w.first AND t.list = ${numberOf("w")}
             AND t.text = w.folded AND ${isField}`,
        ...(["kind", "name", "parent", "folded", "first"] as const).map((column) =>
          fields.map((field) => encoded(field[column])),
        ),
      );
      const pending = await ask<MessageKey>(
        `SELECT m.position, m.field FROM unnest($1::bigint[], $2::text[]) AS w(position, field)
           JOIN iam.messages m ON m.position = w.position AND m.field = w.field`,
        messages.map(({ position }) => position),
        messages.map(({ field }) => toStored(field)),
      );
      return new Map([
        ...claims.flatMap((claim, i): readonly Said[] => {
          const stream = holders[i]?.stream ?? undefined;
          return stream === undefined ? [] : [[claimKey(claim), stream]];
        }),
        ...listed.map((row): Said => [fieldKey(row), ""]),
        ...pending.map((row): Said => [messageKey(row), ""]),
      ]);
    },
  };
}

/** A key, and what there is. */
type Said = readonly [key: string, said: string];

/** A value of a row as it is stored. */
function encoded(value: unknown): unknown {
  return typeof value === "string" ? toStored(value) : value;
}

const texts = queriesOf({
  ...{ log: "iam.", derived: "derived." },
  placeholder: (nth) => `$${nth}`,
  textsKey: ["first", "list", "text", "tie"],
  // A group that has had objects, and has none, may keep its row.
  isCounted: "c.objects <> 0",
});
