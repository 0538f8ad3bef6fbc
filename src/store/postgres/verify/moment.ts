import { claimKey } from "../../claim-key.ts";
import { digestOfKey } from "../../digest.ts";
import type { MessageKey } from "../../message.ts";
import type { Moment } from "../../verify/reader.ts";
import {
  type ClaimRow,
  type CountRow,
  type FieldColumns,
  type FieldRow,
  fieldPlace,
  type LineColumns,
  type MessageRow,
  messageKey,
  type ObjectColumns,
  type ObjectRow,
} from "../../verify/rows.ts";
import type { PostgresLimits } from "../limits.ts";
import type { Connection } from "../pool.ts";
import { type SealedColumns, sealedColumns, toEvent, toSealed } from "../row.ts";
import { fromStored, toStored } from "../text.ts";

/** How much one statement reads. */
export type PageLimits = Pick<PostgresLimits, "eventsAtOnce" | "bytesAtOnce">;

/** Reads a log and what follows from it in the transaction of a connection. */
export function momentOf(connection: Connection, limits: PageLimits): Moment {
  const ask = async <Row extends object>(text: string, ...values: readonly unknown[]) =>
    (await connection.query<Row>(text, values)).map(decoded);
  return {
    ...countsOf(ask),
    ...eventsOf(connection, limits),
    ...pagesOf(ask, limits),
    ...rowsOf(ask),
  };
}

/** The rows that a statement answers, with their texts as they were before they were stored. */
type Ask = <Row extends object>(
  text: string,
  ...values: readonly unknown[]
) => Promise<readonly Row[]>;

function countsOf(ask: Ask): Pick<Moment, "size" | "rowCounts" | "linesWithoutTurn"> {
  return {
    size: async () => {
      const [row] = await ask<{ events: bigint; end: bigint | null }>(
        `SELECT count(*) FILTER (WHERE position > 0) AS events, max(position) AS end
         FROM iam.events`,
      );
      return { events: Number(row?.events ?? 0n), end: row?.end ?? 0n };
    },
    rowCounts: async () => {
      const [row] = await ask<Record<"claims" | "fields" | "messages", bigint>>(
        `SELECT (SELECT count(*) FROM iam.claims) AS claims,
           (SELECT count(*) FROM iam.fields) AS fields,
           (SELECT count(*) FROM iam.messages) AS messages`,
      );
      const { claims = 0n, fields = 0n, messages = 0n } = row ?? {};
      return { claims: Number(claims), fields: Number(fields), messages: Number(messages) };
    },
    linesWithoutTurn: () =>
      ask<LineColumns>(
        "SELECT type, owner FROM iam.messages EXCEPT SELECT type, owner FROM iam.turns",
      ),
  };
}

function eventsOf(
  connection: Connection,
  { eventsAtOnce, bytesAtOnce }: PageLimits,
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
      const where = after === undefined ? "TRUE" : "stream > $1";
      const values = after === undefined ? [] : [toStored(after)];
      return (await page(where, "stream, version", values)).map(toEvent);
    },
    ofStream: async (stream, after) => {
      const where = "stream = $1 AND version > $2";
      return (await page(where, "version", [toStored(stream), after])).map(toEvent);
    },
  };
}

type Pages = "objects" | "claims" | "fields" | "messages" | "groups" | "counts";

function pagesOf(ask: Ask, { eventsAtOnce }: PageLimits): Pick<Moment, Pages> {
  /** The rows behind a key, or all of them. */
  const behind = async <Row extends object>(
    from: (where: string, limit: string) => string,
    columns: string,
    key: readonly unknown[] = [],
  ) => {
    const places = key.map((_, i) => `$${i + 1}`).join(", ");
    const where = key.length === 0 ? "TRUE" : `(${columns}) > (${places})`;
    return await ask<Row>(from(where, `$${key.length + 1}`), ...key, eventsAtOnce);
  };
  return {
    objects: (after) => behind<ObjectRow>(objectsText, "o.first", after && [after.first]),
    claims: (after) => behind<ClaimRow>(claimsText, "c.digest", after && [after.digest]),
    fields: (after) => {
      const key = after && [after.first, toStored(after.name)];
      return behind<FieldRow>(fieldsText, "f.first, f.name", key);
    },
    messages: (after) => {
      const key = after && [after.position, toStored(after.field)];
      return behind<MessageRow>(messagesText, "m.position, m.field", key);
    },
    groups: (after) => behind<CountRow>(groupsText, "o.kind, o.parent", after && groupOf(after)),
    counts: (after) => behind<CountRow>(countsText, "c.kind, c.parent", after && groupOf(after)),
  };
}

type Rows = "linkAt" | "objectsOf" | "holdersOf" | "exactsOf" | "pendingOf";

function rowsOf(ask: Ask): Pick<Moment, Rows> {
  return {
    linkAt: async (position) => {
      const text = "SELECT link FROM iam.events WHERE position = $1";
      const [row] = await ask<Pick<SealedColumns, "link">>(text, position);
      return row?.link;
    },
    objectsOf: async (streams) => {
      const text = `SELECT ${objectColumns} FROM iam.objects o WHERE o.stream = ANY($1)`;
      const rows = await ask<ObjectColumns>(text, streams.map(toStored));
      return new Map(rows.map((row) => [row.stream, row]));
    },
    holdersOf: async (claims) => {
      const text = "SELECT kind, scope, value, stream FROM iam.claims WHERE digest = ANY($1)";
      const rows = await ask<Omit<ClaimRow, "digest">>(text, claims.map(digestOfKey));
      return new Map(rows.map((row) => [claimKey(row), row.stream]));
    },
    exactsOf: async (fields) => {
      const rows = await ask<FieldColumns>(
        `SELECT f.* FROM unnest($1::bigint[], $2::text[]) AS w(first, name)
           JOIN iam.fields f ON f.first = w.first AND f.name = w.name`,
        fields.map(({ first }) => first),
        fields.map(({ name }) => toStored(name)),
      );
      return new Map(rows.map((row) => [fieldPlace(row), row.exact]));
    },
    pendingOf: async (keys) => {
      const rows = await ask<MessageKey>(
        `SELECT m.position, m.field FROM unnest($1::bigint[], $2::text[]) AS w(position, field)
           JOIN iam.messages m ON m.position = w.position AND m.field = w.field`,
        keys.map(({ position }) => position),
        keys.map(({ field }) => toStored(field)),
      );
      return new Set(rows.map(messageKey));
    },
  };
}

const groupOf = ({ kind, parent }: CountRow) => [toStored(kind), toStored(parent)];

/** The row with its texts as they were before they were stored. */
function decoded<Row extends object>(row: Row): Row {
  const texts = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "string" ? fromStored(value) : value,
  ]);
  return Object.fromEntries(texts);
}

const objectColumns = `o.stream, o.first, o.version, o.owner, o.kind, o.parent, o.fields, o.created,
  o.changed, o.position, o.state, o.mac`;

const objectsText = (where: string, limit: string) =>
  `SELECT ${objectColumns},
     (SELECT max(e.version) FROM iam.events e WHERE e.stream = o.stream) AS newest
   FROM iam.objects o WHERE ${where} ORDER BY o.first LIMIT ${limit}`;

const claimsText = (where: string, limit: string) =>
  `SELECT c.digest, c.kind, c.scope, c.value, c.stream
   FROM iam.claims c WHERE ${where} ORDER BY c.digest LIMIT ${limit}`;

const fieldsText = (where: string, limit: string) =>
  `SELECT f.kind, f.parent, f.name, f.folded, f.first, f.exact, coalesce(
       (SELECT e.stream FROM iam.events e WHERE e.position = f.first),
       (SELECT o.stream FROM iam.objects o WHERE o.first = f.first)) AS stream
   FROM iam.fields f WHERE ${where} ORDER BY f.first, f.name LIMIT ${limit}`;

const messagesText = (where: string, limit: string) =>
  `SELECT e.stream, m.position, m.field, m.type, m.owner,
     e.type AS "askedType", e.owner AS "askedOwner"
   FROM iam.messages m LEFT JOIN iam.events e ON e.position = m.position
   WHERE ${where} ORDER BY m.position, m.field LIMIT ${limit}`;

const groupsText = (where: string, limit: string) =>
  `SELECT o.kind, o.parent, count(*) AS objects, (SELECT c.objects FROM iam.counts c
       WHERE c.kind = o.kind AND c.parent = o.parent) AS counted
   FROM iam.objects o WHERE o.kind IS NOT NULL AND o.parent IS NOT NULL AND ${where}
   GROUP BY o.kind, o.parent ORDER BY o.kind, o.parent LIMIT ${limit}`;

/** A group that has had objects, and has none, may keep its row. */
const countsText = (where: string, limit: string) =>
  `SELECT c.kind, c.parent, c.objects AS counted, (SELECT count(*) FROM (SELECT 1
       FROM iam.objects o WHERE o.kind = c.kind AND o.parent = c.parent LIMIT 1) AS one) AS objects
   FROM iam.counts c WHERE c.objects <> 0 AND ${where}
   ORDER BY c.kind, c.parent LIMIT ${limit}`;
