import type Database from "better-sqlite3";

/**
 * Brings the tables to the newest form, or throws when a newer program made them. Call it inside
 * an immediate transaction: of two processes that open a new file, one then finds it done.
 */
export function migrate(db: Database.Database): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  if (version > migrations.length) {
    throw new Error(
      `${db.name} has schema ${version}, but this program knows only up to ${migrations.length}: ` +
        "it was written by a newer program; use that one.",
    );
  }
  for (const migration of migrations.slice(version)) db.exec(migration);
  db.pragma(`user_version = ${migrations.length}`);
}

/** Makes the transaction that changes nothing and yet has to get to the disk. */
export function prepareSameWrite(db: Database.Database): Database.Transaction<() => void> {
  // An UPDATE to the values that are there is left out by SQLite, a number in the header is not.
  return db.transaction(() => {
    db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`);
  });
}

/**
 * Entry n leads from schema n to n + 1; published entries never change.
 *
 * Positions come from SQLite, which numbers a new row one above the highest that is there, so a
 * rollback leaves no gap. Only `events` is truth, the rest follows from it (of `messages` which
 * there are: when one is due again is forgotten by a rebuild).
 * An object's `first` is the position of its stream's first event: as the row id it puts every
 * index, and so every list, in the order of creation. A removed object keeps its row for the sake
 * of the version, but has no kind, and so lists do not see it.
 */
const migrations = [
  `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    owner TEXT NOT NULL,
    actor TEXT NOT NULL,
    time INTEGER NOT NULL, -- Unix milliseconds
    payload TEXT NOT NULL,
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
  // A lease is a due time in the future: whoever leases a message moves it there.
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
];
