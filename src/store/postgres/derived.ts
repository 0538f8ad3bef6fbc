import type { RecordedEvent } from "../../event.ts";
import { foldText } from "../../text/fold.ts";
import type { RowMac } from "../chain/row-mac.ts";
import { digestOfKey } from "../digest.ts";
import type { Projection } from "../projector.ts";
import type { Connection } from "./pool.ts";
import { toStored, toStoredOrNull } from "./text.ts";

/** Rows of one table, each a list of its values. */
type Rows = unknown[][];

/** What follows from some streams, to be written at once. */
export class Derived {
  events = 0;
  readonly #rowMac: RowMac;
  readonly #streams: string[] = [];
  readonly #objects: Rows = [];
  readonly #fields: Rows = [];
  readonly #claims: Rows = [];
  readonly #messages: Rows = [];

  constructor(rowMac: RowMac) {
    this.#rowMac = rowMac;
  }

  /** Adds a stream, of all its events, and what they come to. */
  add(events: readonly RecordedEvent[], { state, row, claims, messages }: Projection): void {
    const [begin, end] = [events[0], events.at(-1)];
    if (begin === undefined || end === undefined) return;
    this.events += events.length;
    const { stream, version, position } = end;
    const { owner, position: first, timeMs: createdMs } = begin;
    const kind = row?.kind ?? null;
    const parent = row?.parent ?? null;
    const fields = row === undefined ? null : JSON.stringify(row.fields);
    const said = { stream, version, owner, changedMs: end.timeMs, state: state ?? null };
    const key = this.#rowMac.keyOf({ ...said, kind, parent, fields });
    const mac = this.#rowMac.at(key, { first, position, createdMs });
    const name = toStored(stream);
    this.#streams.push(name);
    this.#objects.push([
      ...[name, first, version, toStored(owner), toStoredOrNull(kind), toStoredOrNull(parent)],
      ...[toStoredOrNull(fields), createdMs, end.timeMs, position, toStoredOrNull(state), mac],
    ]);
    for (const [field, exact] of Object.entries(row?.fields ?? {})) {
      this.#fields.push([
        ...[first, toStored(field), toStoredOrNull(kind), toStoredOrNull(parent)],
        ...[toStored(foldText(exact)), toStored(exact)],
      ]);
    }
    for (const claim of claims) {
      const texts = [claim.kind, claim.scope, claim.value].map(toStored);
      this.#claims.push([digestOfKey(claim), ...texts, name]);
    }
    const times = new Map(events.map((event) => [event.position, event.timeMs]));
    for (const message of messages) {
      const dueMs = times.get(message.position) ?? end.timeMs;
      this.#messages.push([message.position, toStored(message.field), dueMs, dueMs, 0]);
    }
  }

  /**
   * Writes the rows. Of messages, those that are there and are to be stay as they are. Rejects where
   * another stream holds a claim.
   */
  async write(connection: Connection): Promise<void> {
    await insert(connection, "objects", objectTypes, this.#objects);
    await insert(connection, "fields", fieldTypes, this.#fields);
    const taken = await insert(connection, "claims", claimTypes, this.#claims, "digest");
    if (taken.length < this.#claims.length) {
      const digests = new Set(taken.map(({ digest }) => digest.toString("hex")));
      const lost = this.#claims.find(([digest]) => !digests.has(String((digest as Buffer).toString("hex"))));
      throw new Error(`${lost?.[4]} cannot be rebuilt from its events: another holds its claim.`);
    }
    const [positions, fields] = columnsOf(this.#messages, 2);
    await connection.query(
      `DELETE FROM iam.messages m USING iam.events e
         WHERE e.position = m.position AND e.stream = ANY($1::text[])
           AND (m.position, m.field) NOT IN (
             SELECT * FROM unnest($2::bigint[], $3::text[]))`,
      [this.#streams, positions, fields],
    );
    await insert(connection, "messages", messageTypes, this.#messages);
  }
}

const objectTypes =
  "stream text, first bigint, version bigint, owner text, kind text, parent text, fields text, " +
  "created bigint, changed bigint, position bigint, state text, mac bytea";
const fieldTypes = "first bigint, name text, kind text, parent text, folded text, exact text";
const claimTypes = "digest bytea, kind text, scope text, value text, stream text";
const messageTypes = "position bigint, field text, due bigint, since bigint, attempts bigint";

/** Inserts rows where none of their key is; answers the digests of those that it has inserted. */
async function insert(
  connection: Connection,
  table: string,
  types: string,
  rows: Rows,
  returned = "NULL",
): Promise<readonly { readonly digest: Buffer }[]> {
  const columns = types.split(", ").map((column) => column.split(" "));
  const names = columns.map(([name]) => name).join(", ");
  const lists = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ");
  return await connection.query(
    `INSERT INTO iam.${table} (${names}) SELECT * FROM unnest(${lists})
       ON CONFLICT DO NOTHING RETURNING ${returned} AS digest`,
    columnsOf(rows, columns.length),
  );
}

function columnsOf(rows: Rows, count: number): readonly unknown[][] {
  return Array.from({ length: count }, (_, i) => rows.map((row) => row[i]));
}
