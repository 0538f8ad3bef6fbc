import type { RecordedEvent } from "../../event.ts";
import type { RowMac } from "../chain/row-mac.ts";
import { toListed } from "../chain/state.ts";
import type { Projection } from "../projector.ts";
import { textKey, textRows, tieOf } from "../texts.ts";
import type { Connection } from "./pool.ts";
import { fromStored, toStored, toStoredOrNull } from "./text.ts";
import { addLists, numberOf } from "./texts.ts";

/** What follows from some streams: rows of the tables, each a list of its values. */
export interface Derived {
  readonly streams: string[];
  readonly objects: unknown[][];
  readonly texts: unknown[][];
  readonly pending: unknown[][];
}

/** Nothing yet. */
export function nothingDerived(): Derived {
  return { streams: [], objects: [], texts: [], pending: [] };
}

/** Adds what all events of one stream come to. */
export function derive(
  derived: Derived,
  rowMac: RowMac,
  events: readonly RecordedEvent[],
  { state, row, claims, messages }: Projection,
): void {
  const [begin, end] = [events[0], events.at(-1)];
  if (begin === undefined || end === undefined) return;
  const { stream, version, position } = end;
  const { owner, position: first, timeMs: createdMs } = begin;
  const listed = toListed(row);
  const said = { stream, version, owner, changedMs: end.timeMs, state: state ?? null };
  const key = rowMac.keyOf({ ...said, ...listed });
  const mac = rowMac.at(key, { first, position, createdMs });
  const name = toStored(stream);
  const { kind, parent, fields } = listed;
  derived.streams.push(name);
  derived.objects.push([
    ...[name, first, version, toStored(owner), ...[kind, parent, fields].map(toStoredOrNull)],
    ...[createdMs, end.timeMs, position, toStoredOrNull(state), mac],
  ]);
  for (const text of textRows(row, claims)) {
    derived.texts.push([...textKey(text).map(toStored), tieOf(first, text), first, text.isListed]);
  }
  const byPosition = new Map(events.map((event) => [event.position, event]));
  for (const message of messages) {
    const asking = byPosition.get(message.position) ?? end;
    const line = [asking.type, asking.owner].map(toStored);
    derived.pending.push([message.position, toStored(message.field), asking.timeMs, ...line]);
  }
}

/** Writes the rows, of streams that have none. Rejects where another stream holds a claim. */
export async function writeDerived(connection: Connection, derived: Derived): Promise<void> {
  const { streams, objects, texts, pending } = derived;
  await insert(connection, "objects", objectTypes, objects);
  await connection.query(countText(1), [streams]);
  const columns = columnsOf(texts, 7);
  await connection.query(addListsText, columns.slice(0, 3));
  const [lost] = await connection.query<{ stream: string }>(addTextsText, columns);
  if (lost !== undefined) {
    const stream = fromStored(lost.stream);
    throw new Error(`${stream} cannot be rebuilt from its events: another holds its claim.`);
  }
  await insert(connection, "pending", pendingTypes, pending);
}

/** Removes the rows of streams. */
export async function removeDerived(
  connection: Connection,
  streams: readonly string[],
): Promise<void> {
  const names = [streams.map(toStored)];
  await connection.query(countText(-1), names);
  await connection.query(
    `DELETE FROM derived.pending p USING iam.events e
       WHERE e.position = p.position AND e.stream = ANY($1)`,
    names,
  );
  await connection.query(
    `WITH gone AS (DELETE FROM derived.objects WHERE stream = ANY($1) RETURNING first)
     DELETE FROM derived.texts WHERE first IN (SELECT first FROM gone)`,
    names,
  );
}

/** Adds what lists see of the objects of streams to the counts, or takes it away. */
const countText = (sign: 1 | -1) => `
  INSERT INTO derived.counts AS c (kind, parent, objects)
    SELECT kind, parent, ${sign} * count(*) FROM derived.objects
      WHERE stream = ANY($1) AND kind IS NOT NULL GROUP BY kind, parent
  ON CONFLICT (kind, parent) DO UPDATE SET objects = c.objects + excluded.objects`;

const objectTypes =
  "stream text, first bigint, version bigint, owner text, kind text, parent text, fields text, " +
  "created bigint, changed bigint, position bigint, state text, mac bytea";
const pendingTypes = "position bigint, field text, due bigint, type text, owner text";

const addListsText = addLists(
  "unnest($1::text[], $2::text[], $3::text[]) AS x(kind, name, parent)",
);

/** Answers who has a claim that another stream holds. */
const addTextsText = `
  WITH given AS MATERIALIZED (
    SELECT ${numberOf("x")} AS list, x.text, x.tie, x.first, x.listed
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
        $7::boolean[]) AS x(kind, name, parent, text, tie, first, listed)
  ), added AS (
    INSERT INTO derived.texts (list, text, tie, first, listed) SELECT * FROM given
      ON CONFLICT DO NOTHING RETURNING list, text, first
  ), lost AS (SELECT list, text, first FROM given EXCEPT SELECT * FROM added)
  SELECT (SELECT o.stream FROM derived.objects o WHERE o.first = lost.first) AS stream
    FROM lost ORDER BY stream LIMIT 1`;

async function insert(
  connection: Connection,
  table: string,
  types: string,
  rows: readonly unknown[][],
): Promise<void> {
  const columns = types.split(", ").map((column) => column.split(" "));
  const names = columns.map(([name]) => name).join(", ");
  const lists = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ");
  await connection.query(
    `INSERT INTO derived.${table} (${names}) SELECT * FROM unnest(${lists})`,
    columnsOf(rows, columns.length),
  );
}

function columnsOf(rows: readonly unknown[][], count: number): readonly unknown[][] {
  return Array.from({ length: count }, (_, i) => rows.map((row) => row[i]));
}
