import type Database from "better-sqlite3";
import type { ObjectRow, RecordedEvent } from "../../event.ts";
import { type ListedColumns, type StateMac, toListed } from "../chain/state.ts";
import type { MessageKey } from "../message.ts";
import type { StoredObject } from "../store.ts";
import { prepareCounts } from "./counts.ts";
import { prepareErase } from "./erase.ts";
import { type Line, prepareTurns } from "./turns.ts";

/** An object with what reads filter and sort by. */
export interface WrittenObject extends StoredObject {
  /** The position of the stream's first event. */
  readonly first: bigint;
  readonly row: ObjectRow | undefined;
}

/** What a message keeps of the event that asked for it. */
type AskingEvent = Pick<RecordedEvent, "position" | "type" | "owner">;

/** The writes that appending and rebuilding have in common; they run inside a transaction. */
export interface Writes {
  /** Makes the object or, when there is one, brings it up to date from what lists saw of it. */
  object(object: WrittenObject, before: ListedColumns): void;
  /** Makes a field of an event a pending message that is due at a time. */
  message(asking: AskingEvent, field: string, dueMs: number): void;
  settle(key: MessageKey, nowMs: number): void;
  /** Settles every message of a stream. */
  settleAll(stream: string, nowMs: number): void;
  /** Erases the payloads that an event erases. */
  erase(by: RecordedEvent): void;
}

/** The columns of `objects`, in the order of `objectValues`. */
export const writtenColumns = [
  ...["first", "stream", "version", "owner", "kind", "parent", "fields"],
  ...["created", "changed", "position", "state", "mac"],
] as const;

/** What is written of an object that lists see so. */
export function objectValues(
  written: Omit<WrittenObject, "row">,
  listed: ListedColumns,
  macOf: StateMac,
): readonly unknown[] {
  const { first, stream, version, owner, createdMs, changedMs, position } = written;
  const { kind, parent, fields } = listed;
  const mac = macOf(written, { first, ...listed });
  const times = [createdMs, changedMs, position];
  return [
    first,
    stream,
    version,
    owner,
    kind,
    parent,
    fields,
    ...times,
    written.state ?? null,
    mac,
  ];
}

/** Prepares the statements once for the life of the connection. */
export function prepareWrites(db: Database.Database, macOf: StateMac): Writes {
  const object = db.prepare(
    `INSERT INTO objects (${writtenColumns.join()})
     VALUES (${writtenColumns.map(() => "?").join()})
     ON CONFLICT (stream) DO UPDATE SET version = excluded.version, kind = excluded.kind,
       parent = excluded.parent, fields = excluded.fields, changed = excluded.changed,
       position = excluded.position, state = excluded.state, mac = excluded.mac`,
  );
  const counts = prepareCounts(db);
  const message = db.prepare(
    `INSERT INTO messages (position, field, type, owner, due, since, attempts)
     VALUES (?, ?, ?, ?, ?, ?, 0)`,
  );
  const settle = db.prepare<[bigint, string], Line>(
    "DELETE FROM messages WHERE position = ? AND field = ? RETURNING type, owner",
  );
  const settleAll = db.prepare<[string], Line>(
    `DELETE FROM messages WHERE position IN (SELECT position FROM events WHERE stream = ?)
     RETURNING type, owner`,
  );
  const turns = prepareTurns(db);
  return {
    object: (written, before) => {
      const listed = toListed(written.row);
      object.run(objectValues(written, listed, macOf));
      counts(before, listed);
    },
    message: ({ position, type, owner }, field, dueMs) => {
      message.run(position, field, type, owner, dueMs, dueMs);
      turns.expect({ type, owner }, dueMs);
    },
    settle: ({ position, field }, nowMs) => {
      for (const line of settle.all(position, field)) turns.review(line, nowMs);
    },
    settleAll: (stream, nowMs) => {
      for (const line of settleAll.all(stream)) turns.review(line, nowMs);
    },
    erase: prepareErase(db),
  };
}
