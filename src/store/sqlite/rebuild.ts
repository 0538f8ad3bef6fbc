import type Database from "better-sqlite3";
import type { Claim, RecordedEvent } from "../../event.ts";
import type { Check } from "../chain/chain.ts";
import { type StateMac, toListed } from "../chain/state.ts";
import type { Asking } from "../message.ts";
import type { Steps } from "../progress.ts";
import type { Projector } from "../projector.ts";
import { StoreUnavailable } from "../store.ts";
import { textRows, tieOf } from "../texts.ts";
import { prepareBulk } from "./bulk.ts";
import { checkChain } from "./chain.ts";
import { isPassing } from "./connection.ts";
import { prepareHead } from "./head.ts";
import { prepareRecount } from "./recount.ts";
import { assertKnown, hasTable, migrate, schema } from "./schema.ts";
import { streamsIn } from "./streams.ts";
import { objectValues, prepareWrites, type WrittenObject, writtenColumns } from "./write.ts";

/**
 * Brings the tables up to date, and sees to it that what follows from the log is made with the
 * projector's revision: rebuilds it when the stored one is lower, from a log that is whole, and
 * throws when it is higher. Call it inside an immediate transaction.
 */
export function bringUpToDate(
  db: Database.Database,
  projector: Projector,
  { check, macOf, steps }: Sealed & { readonly steps: Steps },
): void {
  assertNotNewer(db, projector);
  migrate(db);
  if (prepareRevision(db)() === projector.revision) return;
  assertWhole(db, check, { steps });
  rebuild(db, projector, macOf, { steps });
}

/** How the events and objects of a log are checked and sealed. */
interface Sealed {
  readonly check: Check;
  readonly macOf: StateMac;
}

/** Throws when a newer program wrote the file; one without tables nobody wrote. */
export function assertNotNewer(db: Database.Database, { revision }: Projector): void {
  assertKnown(db);
  const stored = hasTable(db, "projection") ? prepareRevision(db)() : -1;
  if (stored <= revision) return;
  throw new Error(
    `${db.name} has objects of projection revision ${stored}, but this program makes ` +
      `revision ${revision}: use the newer version of the program that wrote it.`,
  );
}

/**
 * Throws at the first event of the log behind a position that is not what was appended, and where
 * it is cut off.
 */
export function assertWhole(
  db: Database.Database,
  check: Check,
  { after = 0n, steps }: { readonly after?: bigint; readonly steps?: Steps } = {},
): void {
  const fail = (damage: string) => {
    throw damagedIn(db.name, damage);
  };
  checkChain(db, check, fail, { after, steps });
}

/** What is said of a log of which one damage is known. */
export function damagedIn(path: string, damage: string): Error {
  return new Error(`${damage}. Run verify for more, and restore a backup of ${path}.`);
}

/**
 * The same of so many last events, which may be newer than any head kept outside of the log.
 */
export function assertEnd(db: Database.Database, check: Check, events: number): void {
  const { position } = prepareHead(db)();
  const after = position - BigInt(events);
  assertWhole(db, check, { after: after > 0n ? after : 0n });
}

/** Makes the query for the projection revision that objects and claims were made with. */
export function prepareRevision(db: Database.Database): () => number {
  const revision = db.prepare<[], number>("SELECT revision FROM projection").pluck();
  return () => revision.get() ?? -1;
}

/**
 * Makes what throws a `StoreUnavailable` once another program has taken over the file, by its
 * tables or by its objects: what this one writes does not belong there any more.
 */
export function prepareTakeover(db: Database.Database, revision: number): () => void {
  const storedRevision = prepareRevision(db);
  const storedSchema = db.prepare<[], number>("PRAGMA user_version").pluck();
  return () => {
    if (storedRevision() === revision && storedSchema.get() === schema) return;
    throw new StoreUnavailable(
      "A newer version of the program has taken over the log: start that version.",
    );
  };
}

/** What follows from the log, and the answers, which nothing makes anew. */
const derivedTables = [
  "lists",
  "texts",
  "objects",
  "counts",
  "messages",
  "turns",
  "answers",
] as const;

interface RebuildOptions {
  readonly steps?: Steps | undefined;
  /** Given, what was used of quotas is counted anew as well: for a file that has only a log. */
  readonly asking?: Asking | undefined;
}

/**
 * Makes objects, claims and messages anew from the log, whatever they were; messages that were
 * pending stay due when they were. Call it inside an immediate transaction. It holds the events of
 * one stream in memory, or of what is read at once, and throws with the name of the stream when the
 * projector does or gives it a claim that another one holds.
 */
export function rebuild(
  db: Database.Database,
  projector: Projector,
  macOf: StateMac,
  { steps, asking }: RebuildOptions = {},
): void {
  const end = db.prepare<[], number>(`SELECT max(position) FROM events`).pluck().get() ?? 0;
  steps?.begin("folding", end, "events");
  db.exec("CREATE TEMP TABLE pending AS SELECT * FROM messages");
  for (const table of derivedTables) db.exec(`DELETE FROM ${table}`);
  const recount = asking && prepareRecount(db, asking);
  const rows = prepareRebuilt(db, macOf);
  for (const events of streamsIn(db)) {
    try {
      writeStream(events, projector, rows);
      recount?.hear(events);
    } catch (cause) {
      throw isPassing(cause) ? cause : unfoldable(db, events[0]?.stream ?? "", cause);
    }
    rows.flush(false);
    for (const _ of events) steps?.done();
  }
  rows.flush(true);
  rows.end();
  recount?.count();
  // When a message is due follows from what was asked for around it, and from who tried to send it.
  db.exec(`
    UPDATE messages SET due = pending.due, since = pending.since, attempts = pending.attempts
      FROM pending WHERE (pending.position, pending.field) = (messages.position, messages.field);
    DROP TABLE pending;
  `);
  db.exec("DELETE FROM projection");
  db.prepare("INSERT INTO projection VALUES (?)").run(projector.revision);
}

/** What is said of a stream whose events cannot be folded, or ask for what another one holds. */
function unfoldable(db: Database.Database, stream: string, cause: unknown): Error {
  return new Error(`${stream} of ${db.name} cannot be rebuilt from its events.`, { cause });
}

type Rebuilt = ReturnType<typeof prepareRebuilt>;

/**
 * Prepares the rows that are made anew. Rows of `texts` lie aside until the end, and are put there
 * in the order of the table: one by one, in the order of objects, each would be another page to
 * write.
 */
function prepareRebuilt(db: Database.Database, macOf: StateMac) {
  db.exec("CREATE TEMP TABLE unsorted AS SELECT * FROM texts WHERE FALSE");
  const { message } = prepareWrites(db, macOf);
  const ofStream = (column: number) => (row: readonly unknown[], cause: unknown) =>
    unfoldable(db, `${row[column]}`, cause);
  const objects = prepareBulk(db, "objects", writtenColumns, ofStream(1));
  const textColumns = ["list", "text", "tie", "first", "listed"];
  const texts = prepareBulk(db, "temp.unsorted", textColumns, ofStream(0));
  const lists = new Map<string, number>();
  const addList = db.prepare("INSERT INTO lists (number, kind, name, parent) VALUES (?, ?, ?, ?)");
  const numberOf = (...list: readonly [kind: string, name: string, parent: string]) => {
    const key = JSON.stringify(list);
    const number = lists.get(key) ?? lists.size + 1;
    if (!lists.has(key)) addList.run(number, ...list);
    lists.set(key, number);
    return number;
  };
  return {
    /** Takes the object of a stream that begins there, with the claims that it holds. */
    object: (object: WrittenObject, claims: readonly Claim[]) => {
      objects.add(objectValues(object, toListed(object.row), macOf));
      for (const row of textRows(object.row, claims)) {
        const { kind, name, parent, text } = row;
        const [tie, first] = [tieOf(object.first, row), object.first];
        texts.add([numberOf(kind, name, parent), text, tie, first, +row.isListed]);
      }
    },
    message,
    /** Inserts what was taken, in pieces, or at the end all. */
    flush: (isEnd: boolean) => {
      for (const rows of [objects, texts]) rows.flush(isEnd);
    },
    /** Makes what follows from all of them. */
    end: () => {
      try {
        db.exec("INSERT INTO texts SELECT * FROM temp.unsorted ORDER BY list, text, tie");
      } catch (cause) {
        throw isPassing(cause) ? cause : unfoldable(db, secondHolder(db), cause);
      }
      db.exec(`
        DROP TABLE temp.unsorted;
        INSERT INTO counts (kind, parent, objects)
          SELECT kind, parent, count(*) FROM objects WHERE kind IS NOT NULL GROUP BY kind, parent;
      `);
    },
  };
}

/** The stream that would hold a claim which another one holds already. */
function secondHolder(db: Database.Database): string {
  const stream = db
    .prepare<[], string>(
      `SELECT o.stream FROM
         (SELECT list, text FROM temp.unsorted WHERE tie = 0
          GROUP BY list, text HAVING count(*) > 1 LIMIT 1)
       JOIN temp.unsorted AS t USING (list, text) JOIN objects AS o USING (first)
       WHERE t.tie = 0 ORDER BY o.stream LIMIT 1 OFFSET 1`,
    )
    .pluck();
  return stream.get() ?? "";
}

function writeStream(events: readonly RecordedEvent[], projector: Projector, rows: Rebuilt): void {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return;
  const { state, row, claims, messages } = projector.project(events);
  const object = {
    stream: last.stream,
    version: last.version,
    owner: first.owner,
    state,
    row,
    first: first.position,
    position: last.position,
    createdMs: first.timeMs,
    changedMs: last.timeMs,
  };
  rows.object(object, claims);
  const asked = new Map(events.map((event) => [event.position, event]));
  for (const { position, field } of messages) {
    const asking = asked.get(position) ?? last;
    rows.message(asking, field, asking.timeMs);
  }
}
