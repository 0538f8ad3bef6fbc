import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../event.ts";
import { type End, isSame, type Seal } from "../chain/chain.ts";
import { StoreUnavailable } from "../store.ts";
import { prepareRows } from "./row.ts";

/** The end of the log as one connection writes it, inside the transactions of its batches. */
export interface LogEnd {
  /**
   * Takes up the end that is there. Throws a `StoreUnavailable` that says so
   * where it is not the one that this connection last saw, and does not follow from it.
   */
  take(): void;
  /** Adds the event to the end and says at which position it is. */
  record(event: Omit<RecordedEvent, "position">): RecordedEvent;
  /** Writes down where the end is now; the last thing before COMMIT. */
  save(): void;
  /** Remembers the end that was committed. */
  keep(): void;
}

/** Prepares the statements of a connection whose events are sealed so. */
export function prepareEnd(db: Database.Database, seal: Seal): LogEnd {
  const stored = prepareRows<[], HeadColumns>(db, "SELECT log, position, link FROM head");
  const last = prepareRows<[], EndColumns>(
    db,
    "SELECT position, link FROM events ORDER BY position DESC LIMIT 1",
  );
  const linkAt = prepareRows<[bigint], Pick<EndColumns, "link">>(
    db,
    "SELECT link FROM events WHERE position = ?",
  );
  const insert = prepareInsert(db);
  const update = db.prepare("UPDATE head SET position = ?, link = ?");

  function read(): HeadColumns {
    const [head, ...others] = stored.all();
    const end = last.get();
    if (head === undefined || others.length > 0) throw changed("its head is gone");
    const isEnd = end === undefined ? head.position === 0n : isSameEnd(head, end);
    if (!isEnd) throw changed("its head is not that of its last event");
    return head;
  }

  /** Whether an end is this one, or one that follows it. */
  function follows(end: End, { position, link }: End): boolean {
    if (end.position === position) return isSame(end.link, link);
    if (end.position < position) return false;
    const before = linkAt.get(position)?.link;
    return position === 0n || (before !== undefined && isSame(before, link));
  }

  // Both of one moment, while others append.
  let seen = db.transaction(read)();
  let current: End = seen;
  return {
    take() {
      const head = read();
      if (head.log !== seen.log) throw changed("it is another log");
      if (!follows(head, seen)) throw changed(`it does not go on from position ${seen.position}`);
      seen = head;
      current = head;
    },
    record(event) {
      const recorded = { ...event, position: current.position + 1n };
      const sealed = seal(recorded, current.link);
      insert(recorded, sealed);
      current = { position: recorded.position, link: sealed.link };
      return recorded;
    },
    save() {
      if (current.position > seen.position) update.run(current.position, current.link);
    },
    keep() {
      seen = { ...seen, ...current };
    },
  };
}

/** Makes the function that writes the row of an event. */
export function prepareInsert(
  db: Database.Database,
): (event: RecordedEvent, sealed: ReturnType<Seal>) => void {
  const insert = db.prepare(
    `INSERT INTO events
       (position, stream, version, type, owner, actor, time, payload, salt, mac, link)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ position, stream, version, type, owner, actor, timeMs, payload }, sealed) => {
    const { salt, mac, link } = sealed;
    // By their places: to look parameters up by name costs a quarter of the statement.
    const said = [position, stream, version, type, owner, actor, timeMs, payload];
    insert.run([...said, salt, mac, link]);
  };
}

interface EndColumns {
  readonly position: bigint;
  readonly link: Uint8Array;
}

interface HeadColumns extends EndColumns {
  readonly log: string;
}

function isSameEnd(one: End, other: End): boolean {
  return one.position === other.position && isSame(one.link, other.link);
}

function changed(what: string): StoreUnavailable {
  return new StoreUnavailable(`The event log was changed behind this process: ${what}.`, {
    why: "history-changed",
  });
}
