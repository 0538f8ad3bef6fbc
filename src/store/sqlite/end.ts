import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../event.ts";
import { type Check, type End, isSame, type Seal, type SealedEvent } from "../chain/chain.ts";
import { forgedEvent } from "../chain/forged.ts";
import { StoreUnavailable } from "../store.ts";
import { eventsText, prepareLink } from "./chain.ts";
import { createTransactions, type Transactions } from "./known.ts";
import { type SqliteLimits, sqliteLimits } from "./limits.ts";
import { prepareRows, type SealedColumns, toSealed } from "./row.ts";
import { preparePerCount } from "./sql.ts";
import { prepareVersions } from "./versions.ts";

/** The end of the log as one connection writes it, inside the transactions of its batches. */
export interface LogEnd {
  /**
   * Looks at what others have appended behind the end that this connection has checked, at most
   * `followedEvents` at once; answers whether it has come to the end. Throws a `StoreUnavailable`
   * that says so where the log does not go on from there, or an event is not what was appended.
   */
  follow(): boolean;
  /** Does the same inside of the transaction that is to write behind it, and takes the end up. */
  take(): boolean;
  /** Unix milliseconds of the last event, of those that were recorded too; 0 without one. */
  timeMs(): number;
  /** Adds events to the end and says at which positions they are. */
  record(events: readonly Omit<RecordedEvent, "position">[]): readonly RecordedEvent[];
  /** Writes down where the end is now; the last thing before COMMIT. */
  save(): void;
  /** Remembers the end that was committed. */
  keep(): void;
  /** The versions of streams' last events, of those that were recorded too. */
  versionsOf(streams: readonly string[]): readonly number[];
  readonly transactions: Transactions;
}

/** How events are sealed, and how those of others are checked. */
interface Sealing {
  readonly seal: Seal;
  readonly check: Check;
}

type EndLimits = Pick<SqliteLimits, "followedEvents" | "knownVersionCharacters">;

/** Prepares the statements of a connection, which begins at the end that is there. */
export function prepareEnd(
  db: Database.Database,
  { seal, check }: Sealing,
  { followedEvents, knownVersionCharacters }: EndLimits = sqliteLimits,
): LogEnd {
  const read = prepareRead(db);
  const linkAt = prepareLink(db);
  const behind = prepareRows<[bigint, bigint], SealedColumns>(db, eventsText);
  const insert = prepareInsert(db);
  const update = db.prepare("UPDATE head SET position = ?, link = ?");

  function assertGoesOn(head: HeadColumns, { log, position, link }: HeadColumns): void {
    if (head.log !== log) throw changed("it is another log");
    const now = head.position === position ? head.link : linkAt(position);
    const isThere = position === 0n || (now !== undefined && isSame(now, link));
    if (head.position >= position && isThere) return;
    throw changed(`it does not go on from position ${position}`);
  }

  function followPiece(): boolean {
    const head = read();
    assertGoesOn(head, seen);
    const until = seen.position + BigInt(followedEvents);
    for (const columns of behind.iterate(seen.position, until)) {
      const event = toSealed(columns);
      assertSealed(event, seen, check);
      const { position, link, timeMs } = event;
      seen = { ...seen, position, link, timeMs };
    }
    return seen.position === head.position;
  }

  // What another connection has written is checked when it is read.
  const transactions = createTransactions(db);
  const versions = prepareVersions(db, transactions, knownVersionCharacters);
  let checkedAt: number | undefined;

  const readOnce = db.transaction(read);
  // All of one moment, while others append.
  const followOnce = db.transaction(followPiece);
  let seen = readOnce();
  let current: TimedEnd = seen;
  return {
    follow: () => transactions.others() === checkedAt || followOnce.deferred(),
    take() {
      const now = transactions.others();
      if (now !== checkedAt && followPiece()) checkedAt = now;
      current = seen;
      return now === checkedAt;
    },
    transactions,
    timeMs: () => current.timeMs,
    record(events) {
      const sealed: SealedEvent[] = [];
      const recorded = events.map((event): RecordedEvent => {
        const one = { ...event, position: current.position + 1n };
        const { position, timeMs } = one;
        const seals = seal(one, current.link);
        sealed.push({ ...one, ...seals });
        versions.wrote(one.stream, one.version);
        current = { position, link: seals.link, timeMs };
        return one;
      });
      insert(sealed);
      return recorded;
    },
    save() {
      if (current.position > seen.position) update.run(current.position, current.link);
    },
    keep() {
      seen = { ...seen, ...current };
    },
    versionsOf: versions.of,
  };
}

/** Events there may be forged without the key: nothing is written behind such an event. */
function assertSealed(event: SealedEvent, { position, link }: End, check: Check): void {
  if (event.position !== position + 1n) {
    throw changed(`it has no event at position ${position + 1n}`);
  }
  const faults = check(event, link);
  if (faults.length === 0) return;
  const cause = forgedEvent(event, faults);
  throw changed(cause.message, cause);
}

/** Makes the function that reads where the log ends. It throws where that is not one place. */
function prepareRead(db: Database.Database): () => HeadColumns & TimedEnd {
  const stored = prepareRows<[], HeadColumns>(db, "SELECT log, position, link FROM head");
  const last = prepareRows<[], End & { readonly time: bigint }>(
    db,
    "SELECT position, link, time FROM events ORDER BY position DESC LIMIT 1",
  );
  return () => {
    const [head, ...others] = stored.all();
    const end = last.get();
    if (head === undefined || others.length > 0) throw changed("its head is gone");
    const isEnd = end === undefined ? head.position === 0n : isSameEnd(head, end);
    if (!isEnd) throw changed("its head is not that of its last event");
    return { ...head, timeMs: Number(end?.time ?? 0n) };
  };
}

/** Makes the function that writes the rows of events. */
export function prepareInsert(db: Database.Database): (events: readonly SealedEvent[]) => void {
  const columns = [
    ...["position", "stream", "version", "type", "owner", "actor", "time"],
    ...["payload", "salt", "mac", "link"],
  ];
  const insert = preparePerCount(
    db,
    (values) => `INSERT INTO events (${columns.join()}) VALUES ${values}`,
    columns.length,
  );
  const valuesOf = (event: SealedEvent) => {
    const { position, stream, version, type, owner, actor, timeMs, payload } = event;
    const { salt, mac, link } = event;
    // By their places: to look parameters up by name costs a quarter of the statement.
    return [position, stream, version, type, owner, actor, timeMs, payload, salt, mac, link];
  };
  return (events) => void insert(events.map(valuesOf));
}

/** The end of the log, with the time of its last event. */
interface TimedEnd extends End {
  readonly timeMs: number;
}

interface HeadColumns extends End {
  readonly log: string;
}

function isSameEnd(one: End, other: End): boolean {
  return one.position === other.position && isSame(one.link, other.link);
}

/** What is thrown where the log is not what it was, and why. */
export function changed(what: string, cause?: Error): StoreUnavailable {
  return new StoreUnavailable(`The event log was changed behind this process: ${what}.`, {
    why: "history-changed",
    cause,
  });
}
