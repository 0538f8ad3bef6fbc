import type Database from "better-sqlite3";
import type { Claim, ObjectRow, RecordedEvent } from "../../event.ts";
import type { MessageKey, StoredObject } from "../store.ts";
import { checksumOf } from "./checksum.ts";
import type { ListedColumns } from "./fields.ts";
import { prepareFields, toListed } from "./fields.ts";

/** An object with what reads filter and sort by. */
export interface WrittenObject extends StoredObject {
  /** The position of the stream's first event. */
  readonly first: bigint;
  readonly row: ObjectRow | undefined;
}

/** The writes that appending and rebuilding have in common; they run inside a transaction. */
export interface Writes {
  /** Adds the event to the end of the log and says at which position it is. */
  event(event: Omit<RecordedEvent, "position">): RecordedEvent;
  /** Makes the object or, when there is one, brings it up to date from what lists saw of it. */
  object(object: WrittenObject, before: ListedColumns): void;
  take(claim: Claim, stream: string): void;
  release(claim: Claim): void;
  /** Makes a message pending that is due at a time. */
  message(key: MessageKey, dueMs: number): void;
  settle(key: MessageKey): void;
  /** Settles every message of a stream. */
  settleAll(stream: string): void;
}

/** Prepares the statements once for the life of the connection. */
export function prepareWrites(db: Database.Database): Writes {
  const event = db
    .prepare(
      `INSERT INTO events (stream, version, type, owner, actor, time, payload, checksum)
       VALUES (@stream, @version, @type, @owner, @actor, @timeMs, @payload, @checksum)`,
    )
    .safeIntegers();
  const object = db.prepare(
    `INSERT INTO objects
       (first, stream, version, owner, kind, parent, fields, created, changed, position, state)
     VALUES (@first, @stream, @version, @owner, @kind, @parent, @fields, @createdMs, @changedMs,
       @position, @state)
     ON CONFLICT (stream) DO UPDATE SET version = @version, kind = @kind, parent = @parent,
       fields = @fields, changed = @changedMs, position = @position, state = @state`,
  );
  const fields = prepareFields(db);
  const take = db.prepare("INSERT INTO claims (kind, scope, value, stream) VALUES (?, ?, ?, ?)");
  const release = db.prepare("DELETE FROM claims WHERE kind = ? AND scope = ? AND value = ?");
  const message = db.prepare(
    "INSERT INTO messages (position, field, due, attempts) VALUES (?, ?, ?, 0)",
  );
  const settle = db.prepare("DELETE FROM messages WHERE position = ? AND field = ?");
  const settleAll = db.prepare(
    "DELETE FROM messages WHERE position IN (SELECT position FROM events WHERE stream = ?)",
  );
  return {
    event: (record) => {
      const { lastInsertRowid } = event.run({ ...record, checksum: checksumOf(record) });
      return { ...record, position: BigInt(lastInsertRowid) };
    },
    object: ({ row, state, ...rest }, before) => {
      const listed = toListed(row);
      object.run({ ...rest, ...listed, state: state ?? null });
      fields(rest.first, before, listed);
    },
    take: ({ kind, scope, value }, stream) => {
      take.run(kind, scope, value, stream);
    },
    release: ({ kind, scope, value }) => {
      release.run(kind, scope, value);
    },
    message: ({ position, field }, dueMs) => {
      message.run(position, field, dueMs);
    },
    settle: ({ position, field }) => {
      settle.run(position, field);
    },
    settleAll: (stream) => {
      settleAll.run(stream);
    },
  };
}
