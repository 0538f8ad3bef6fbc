import type { RecordedEvent } from "../../event.ts";
import { foldText } from "../../text/fold.ts";
import type { RowMac } from "../chain/row-mac.ts";
import { digestOfKey } from "../digest.ts";
import type { Projection } from "../projector.ts";
import type { Connection } from "./pool.ts";
import { toStored, toStoredOrNull } from "./text.ts";

/** What follows from some streams: rows of the tables, each a list of its values. */
export interface Derived {
  readonly streams: string[];
  readonly objects: unknown[][];
  readonly fields: unknown[][];
  readonly claims: unknown[][];
  readonly messages: unknown[][];
}

/** Nothing yet. */
export function nothingDerived(): Derived {
  return { streams: [], objects: [], fields: [], claims: [], messages: [] };
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
  const kind = row?.kind ?? null;
  const parent = row?.parent ?? null;
  const fields = row === undefined ? null : JSON.stringify(row.fields);
  const said = { stream, version, owner, changedMs: end.timeMs, state: state ?? null };
  const key = rowMac.keyOf({ ...said, kind, parent, fields });
  const mac = rowMac.at(key, { first, position, createdMs });
  const name = toStored(stream);
  const listed = [kind, parent].map(toStoredOrNull);
  derived.streams.push(name);
  derived.objects.push([
    ...[name, first, version, toStored(owner), ...listed, toStoredOrNull(fields)],
    ...[createdMs, end.timeMs, position, toStoredOrNull(state), mac],
  ]);
  for (const [field, exact] of Object.entries(row?.fields ?? {})) {
    const texts = [foldText(exact), exact].map(toStored);
    derived.fields.push([first, toStored(field), ...listed, ...texts]);
  }
  for (const claim of claims) {
    const texts = [claim.kind, claim.scope, claim.value].map(toStored);
    derived.claims.push([digestOfKey(claim), ...texts, name]);
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
  const { streams, objects, fields, claims, messages } = derived;
  await insert(connection, "objects", objectTypes, objects);
  await insert(connection, "fields", fieldTypes, fields);
  const taken = new Set(
    (await insert(connection, "claims", claimTypes, claims, nothing, "digest")).map(({ digest }) =>
      digest.toString("hex"),
    ),
  );
  const lost = claims.find(([digest]) => !(digest instanceof Buffer && taken.has(hexOf(digest))));
  if (lost !== undefined) {
    throw new Error(`${lost[4]} cannot be rebuilt from its events: another holds its claim.`);
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

const nothing = "DO NOTHING";

const objectTypes =
  "stream text, first bigint, version bigint, owner text, kind text, parent text, fields text, " +
  "created bigint, changed bigint, position bigint, state text, mac bytea";
const fieldTypes = "first bigint, name text, kind text, parent text, folded text, exact text";
const claimTypes = "digest bytea, kind text, scope text, value text, stream text";
const messageTypes =
  "position bigint, field text, due bigint, since bigint, attempts bigint, type text, owner text";

/**
 * Inserts rows, and does something else where there is one of their key; answers the digests of
 * those that it has inserted.
 */
async function insert(
  connection: Connection,
  table: string,
  types: string,
  rows: readonly unknown[][],
  otherwise = nothing,
  digest = "NULL",
): Promise<readonly { readonly digest: Buffer }[]> {
  const columns = types.split(", ").map((column) => column.split(" "));
  const names = columns.map(([name]) => name).join(", ");
  const lists = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ");
  return await connection.query(
    `INSERT INTO iam.${table} (${names}) SELECT * FROM unnest(${lists})
       ON CONFLICT ${otherwise} RETURNING ${digest} AS digest`,
    columnsOf(rows, columns.length),
  );
}

function columnsOf(rows: readonly unknown[][], count: number): readonly unknown[][] {
  return Array.from({ length: count }, (_, i) => rows.map((row) => row[i]));
}

function hexOf(bytes: Buffer): string {
  return bytes.toString("hex");
}
