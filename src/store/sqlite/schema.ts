import type Database from "better-sqlite3";
import { checksumOf } from "./checksum.ts";
import type { EventColumns } from "./row.ts";
import { eventColumns, prepareRows, toEvent } from "./row.ts";

/**
 * Brings the tables to the newest form, or to an older one than that, or throws when a newer
 * program made them. Call it inside an immediate transaction: of two processes that open a new
 * file, one then finds it done.
 */
export function migrate(db: Database.Database, until: number = migrations.length): void {
  const version = assertKnown(db);
  for (const migration of migrations.slice(version, until)) {
    if (typeof migration === "string") db.exec(migration);
    else migration(db);
  }
  db.pragma(`user_version = ${until}`);
}

/** The form of the tables in a file, and the one that this program makes, as numbers. */
export interface Schemas {
  /** 0 where no program has made any. */
  readonly found: number;
  readonly made: number;
}

export function schemasOf(db: Database.Database): Schemas {
  const found = Number(db.pragma("user_version", { simple: true }));
  return { found, made: migrations.length };
}

/** Throws when a newer program made the tables; answers the number of their form. */
export function assertKnown(db: Database.Database): number {
  const version = Number(db.pragma("user_version", { simple: true }));
  if (version <= migrations.length) return version;
  throw new Error(
    `${db.name} has schema ${version}, but this program knows only up to ${migrations.length}: ` +
      "use the newer version of the program that wrote it.",
  );
}

/** Whether the file has a table of this name. */
export function hasTable(db: Database.Database, name: string): boolean {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return table.get(name) !== undefined;
}

/**
 * The columns of an event, as every table of events that was ever published begins: it never
 * changes either.
 */
export const envelope = `
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    owner TEXT NOT NULL,
    actor TEXT NOT NULL,
    time INTEGER NOT NULL, -- Unix milliseconds
    payload TEXT NOT NULL`;

/**
 * Entry n leads from schema n to n + 1; published entries never change.
 *
 * Positions follow the head's, which is written with the events, so a rollback leaves no gap. Only
 * `events` is truth, the rest follows from it (of `messages` which there are, not when one is due).
 * An object's `first` is the position of its stream's first event: as the row id it puts every
 * index, and so every list, in the order of creation. A removed object keeps its row for the sake
 * of the version, but has no kind, and so lists do not see it. What they sort by and look for is
 * in `fields`, a row for each text of an object, as it is and as it is compared; how many there are
 * under each parent is in `counts`.
 */
const migrations: readonly (string | ((db: Database.Database) => void))[] = [
  `
  CREATE TABLE events (
    ${envelope},
    UNIQUE (stream, version)
  ) STRICT;

  CREATE TABLE claims (
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    value TEXT NOT NULL,
    stream TEXT NOT NULL,
    PRIMARY KEY (kind, scope, value)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE objects (
    first INTEGER PRIMARY KEY,
    stream TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    owner TEXT NOT NULL,
    kind TEXT,
    parent TEXT,
    fields TEXT,
    created INTEGER NOT NULL, -- Unix milliseconds
    changed INTEGER NOT NULL, -- Unix milliseconds
    position INTEGER NOT NULL,
    state TEXT
  ) STRICT;
  CREATE INDEX objects_kind ON objects (kind);
  CREATE INDEX objects_kind_owner ON objects (kind, owner);
  CREATE INDEX objects_kind_parent ON objects (kind, parent);
  CREATE INDEX objects_kind_owner_parent ON objects (kind, owner, parent);

  CREATE TABLE projection (
    revision INTEGER NOT NULL -- the only row: what objects and claims were made with
  ) STRICT;
  INSERT INTO projection VALUES (-1);
  `,
  // A lease is a due time in the future: leasing a message moves it there.
  `
  CREATE TABLE messages (
    position INTEGER NOT NULL, -- of the event that asked for it
    field TEXT NOT NULL,
    due INTEGER NOT NULL, -- Unix milliseconds
    attempts INTEGER NOT NULL,
    PRIMARY KEY (position, field)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX messages_due ON messages (due, position, field);
  `,
  addFieldsAndChecksums,
  // So that the number of all on a page is looked up, not counted.
  `
  CREATE TABLE counts (
    kind TEXT NOT NULL,
    parent TEXT NOT NULL,
    objects INTEGER NOT NULL, -- that lists see; no row where there are none
    PRIMARY KEY (kind, parent)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO counts
    SELECT kind, parent, count(*) FROM objects WHERE kind IS NOT NULL GROUP BY kind, parent;
  `,
  // What was used of quotas follows from no event alone, so a rebuild leaves it as it is.
  `
  CREATE TABLE quotas (
    digest BLOB PRIMARY KEY, -- SHA-256 of what it is a quota of
    used INTEGER NOT NULL, -- Unix milliseconds, as told and clear
    debt INTEGER NOT NULL,
    told INTEGER NOT NULL,
    clear INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX quotas_clear ON quotas (clear);

  ALTER TABLE messages ADD COLUMN since INTEGER NOT NULL DEFAULT 0; -- when it was due at first
  UPDATE messages SET since =
    coalesce((SELECT time FROM events WHERE events.position = messages.position), 0);
  -- Those that were put off by who tried to send them, which are few.
  CREATE INDEX messages_tried ON messages (due) WHERE attempts > 0;
  `,
  addChain,
  // What repeated calls are answered with. It follows from no event.
  `
  CREATE TABLE answers (
    key TEXT PRIMARY KEY,
    caller TEXT NOT NULL,
    number INTEGER NOT NULL, -- of those of the caller
    time INTEGER NOT NULL, -- Unix milliseconds
    request BLOB NOT NULL,
    answer BLOB NOT NULL,
    secret BLOB -- goes sooner than the rest
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX answers_caller ON answers (caller, number);
  CREATE INDEX answers_time ON answers (time);
  CREATE INDEX answers_secret ON answers (time) WHERE secret IS NOT NULL;
  `,
  // MACs of objects are over all of the row now, and answers are under names that take the key of
  // the log: the one is made anew, once the log was found whole, the other is forgotten.
  "UPDATE projection SET revision = -1",
  addTurns,
  // MACs of objects are made in two steps now (`chain/row-mac.ts`), and so they are others.
  "UPDATE projection SET revision = -1",
  // What logging in leaves behind. It follows from no event.
  `
  CREATE TABLE artifacts (
    key TEXT PRIMARY KEY,
    alias TEXT,
    family TEXT,
    payload TEXT NOT NULL,
    expires INTEGER NOT NULL, -- Unix milliseconds
    uses INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX artifacts_alias ON artifacts (alias) WHERE alias IS NOT NULL;
  CREATE INDEX artifacts_family ON artifacts (family) WHERE family IS NOT NULL;
  CREATE INDEX artifacts_expires ON artifacts (expires);
  `,
  // Each has a MAC now. Nobody can tell which of those of before are genuine, so they go.
  `
  DELETE FROM artifacts;
  ALTER TABLE artifacts ADD COLUMN mac BLOB NOT NULL DEFAULT x''; -- see chain/artifact-mac.ts
  `,
];

/** The number of the newest form of the tables. */
export const schema = migrations.length;

/** Gives each owner's messages, of each type of event, a line and a turn (`turns.ts`). */
function addTurns(db: Database.Database): void {
  db.exec(`
    ALTER TABLE messages ADD COLUMN type TEXT NOT NULL DEFAULT ''; -- of the event
    ALTER TABLE messages ADD COLUMN owner TEXT NOT NULL DEFAULT ''; -- of the event
  `);
  for (const table of ["unchained", "events"].filter((name) => hasTable(db, name))) {
    db.exec(`
      UPDATE messages SET type = asking.type, owner = asking.owner
        FROM ${table} AS asking WHERE asking.position = messages.position;
    `);
  }
  db.exec(`
    DROP INDEX messages_due;
    CREATE INDEX messages_line ON messages (type, owner, due, position, field);
    -- Those that wait for their quota, or to be tried for the first time.
    CREATE INDEX messages_untried ON messages (due) WHERE attempts = 0;

    CREATE TABLE turns (
      number INTEGER PRIMARY KEY, -- of two whose turn it is at the same time, the lower goes first
      type TEXT NOT NULL,
      owner TEXT NOT NULL,
      turn INTEGER NOT NULL, -- Unix milliseconds
      UNIQUE (type, owner)
    ) STRICT;
    CREATE INDEX turns_turn ON turns (type, turn, number);
    INSERT INTO turns (type, owner, turn)
      SELECT type, owner, min(due) FROM messages GROUP BY type, owner;
  `);
}

/**
 * Makes room for events that are sealed. Those that are not lie in `unchained` until all of them
 * have moved (`identity.ts`); where there are none, it is not there.
 */
function addChain(db: Database.Database): void {
  db.exec(`
    ALTER TABLE events RENAME TO unchained;
    CREATE TABLE events (
      ${envelope},
      salt BLOB NOT NULL,
      mac BLOB NOT NULL,
      link BLOB NOT NULL,
      UNIQUE (stream, version)
    ) STRICT;
    CREATE TABLE head (
      log TEXT NOT NULL, -- its id
      position INTEGER NOT NULL, -- the only row: of the last event
      link BLOB NOT NULL
    ) STRICT;

    ALTER TABLE objects ADD COLUMN mac BLOB; -- of every object, see chain/state.ts
    UPDATE projection SET revision = -1;
  `);
  if (db.prepare("SELECT 1 FROM unchained").get() === undefined) db.exec("DROP TABLE unchained");
}

function addFieldsAndChecksums(db: Database.Database): void {
  db.exec(`
    CREATE TABLE fields (
      kind TEXT NOT NULL,
      parent TEXT NOT NULL,
      name TEXT NOT NULL,
      folded TEXT NOT NULL,
      first INTEGER NOT NULL,
      exact TEXT NOT NULL,
      PRIMARY KEY (kind, parent, name, folded, first)
    ) STRICT, WITHOUT ROWID;
    DROP INDEX objects_kind_owner;
    DROP INDEX objects_kind_owner_parent;
    UPDATE projection SET revision = -1; -- fills the table, as it makes everything anew

    ALTER TABLE events ADD COLUMN checksum INTEGER; -- of every event, see checksum.ts
  `);
  const update = db.prepare("UPDATE events SET checksum = ? WHERE position = ?");
  // A connection cannot write while it iterates over a query.
  const next = prepareRows<[bigint], EventColumns>(
    db,
    `SELECT ${eventColumns} FROM events WHERE position > ? ORDER BY position LIMIT 1000`,
  );
  let batch = next.all(0n).map(toEvent);
  while (batch.length > 0) {
    for (const event of batch) update.run(checksumOf(event), event.position);
    batch = next.all(batch.at(-1)?.position ?? 0n).map(toEvent);
  }
}
