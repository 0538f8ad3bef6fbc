import type { RecordedEvent } from "../../event.ts";
import type { RowMac } from "../chain/row-mac.ts";
import { toListed } from "../chain/state.ts";
import type { Projection } from "../projector.ts";
import { placeOf, textRows, tieOf } from "../texts.ts";
import type { Connection } from "./pool.ts";
import { fromStored, toStored, toStoredOrNull } from "./text.ts";
import { addLists, numberOf } from "./texts.ts";

/** What follows from some streams: rows of the tables, each a list of its values. */
export interface Derived {
  readonly streams: string[];
  readonly objects: unknown[][];
  readonly texts: unknown[][];
  readonly messages: unknown[][];
}

/** Nothing yet. */
export function nothingDerived(): Derived {
  return { streams: [], objects: [], texts: [], messages: [] };
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
    derived.texts.push([...placeOf(text).map(toStored), tieOf(first, text), first, text.isListed]);
  }
  const byPosition = new Map(events.map((event) => [event.position, event]));
  for (const message of messages) {
    const asking = byPosition.get(message.position) ?? end;
    const line = [asking.type, asking.owner].map(toStored);
    const dueMs = asking.timeMs;
    derived.messages.push([message.position, toStored(message.field), dueMs, dueMs, 0, ...line]);
  }
}

/**
 * Writes the rows. Of messages, those that are there and are to be stay due when they are. Rejects
 * where another stream holds a claim.
 */
export async function writeDerived(connection: Connection, derived: Derived): Promise<void> {
  const { streams, objects, texts, messages } = derived;
  await insert(connection, "objects", objectTypes, objects);
  const columns = columnsOf(texts, 7);
  await connection.query(addListsText, columns.slice(0, 3));
  const [lost] = await connection.query<{ stream: string }>(addTextsText, columns);
  if (lost !== undefined) {
    const stream = fromStored(lost.stream);
    throw new Error(`${stream} cannot be rebuilt from its events: another holds its claim.`);
  }
  const [positions, names] = columnsOf(messages, 2);
  await connection.query(
    `DELETE FROM iam.messages m USING iam.events e
       WHERE e.position = m.position AND e.stream = ANY($1::text[])
         AND (m.position, m.field) NOT IN (SELECT * FROM unnest($2::bigint[], $3::text[]))`,
    [streams, positions, names],
  );
  const same = "(position, field) DO UPDATE SET type = excluded.type, owner = excluded.owner";
  await insert(connection, "messages", messageTypes, messages, same);
}

const objectTypes =
  "stream text, first bigint, version bigint, owner text, kind text, parent text, fields text, " +
  "created bigint, changed bigint, position bigint, state text, mac bytea";
const messageTypes =
  "position bigint, field text, due bigint, since bigint, attempts bigint, type text, owner text";

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
    INSERT INTO iam.texts (list, text, tie, first, listed) SELECT * FROM given
      ON CONFLICT DO NOTHING RETURNING list, text, first
  ), lost AS (SELECT list, text, first FROM given EXCEPT SELECT * FROM added)
  SELECT (SELECT o.stream FROM iam.objects o WHERE o.first = lost.first) AS stream
    FROM lost ORDER BY stream LIMIT 1`;

/** Inserts rows, and does something else where there is one of their key. */
async function insert(
  connection: Connection,
  table: string,
  types: string,
  rows: readonly unknown[][],
  otherwise = "DO NOTHING",
): Promise<void> {
  const columns = types.split(", ").map((column) => column.split(" "));
  const names = columns.map(([name]) => name).join(", ");
  const lists = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ");
  await connection.query(
    `INSERT INTO iam.${table} (${names}) SELECT * FROM unnest(${lists}) ON CONFLICT ${otherwise}`,
    columnsOf(rows, columns.length),
  );
}

function columnsOf(rows: readonly unknown[][], count: number): readonly unknown[][] {
  return Array.from({ length: count }, (_, i) => rows.map((row) => row[i]));
}
