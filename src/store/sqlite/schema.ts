import type Database from "better-sqlite3";

/**
 * Brings the tables to the newest form, or to an older one than that, or throws when another
 * program made them that this one does not know. Call it inside an immediate transaction: of two
 * processes that open a new file, one then finds it done.
 */
export function migrate(db: Database.Database, until: number = schema): void {
  const version = assertKnown(db);
  for (const migration of migrations.slice(stepsTo(version), stepsTo(until))) db.exec(migration);
  db.pragma(`user_version = ${until}`);
}

/** How many migrations lead to a form of the tables. */
function stepsTo(version: number): number {
  return version === 0 ? 0 : version - floor + 1;
}

/** The form of the tables in a file, and the one that this program makes, as numbers. */
export interface Schemas {
  /** 0 where no program has made any. */
  readonly found: number;
  readonly made: number;
}

export function schemasOf(db: Database.Database): Schemas {
  const found = Number(db.pragma("user_version", { simple: true }));
  return { found, made: schema };
}

/** Whether tables of this form were made before the floor of upgrades. */
export function isTooOld(found: number): boolean {
  return found !== 0 && found < floor;
}

/**
 * Throws when a newer program made the tables, or one of before the floor of upgrades; answers the
 * number of their form.
 */
export function assertKnown(db: Database.Database): number {
  const { found } = schemasOf(db);
  if (isTooOld(found)) {
    throw new Error(
      `${db.name} has schema ${found}, which is older than this program knows: ${openOnce}.`,
    );
  }
  if (found <= schema) return found;
  throw new Error(
    `${db.name} has schema ${found}, but this program knows only up to ${schema}: ` +
      "use the newer version of the program that wrote it.",
  );
}

/** Whether the file has a table of this name. */
export function hasTable(db: Database.Database, name: string): boolean {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return table.get(name) !== undefined;
}

/** What is to be done with a log that was written before the floor of upgrades. */
export const openOnce = "open it once with commit 226d0ee, then with this program";

/**
 * Entry n leads from schema `floor - 1 + n` to the next, but for the first, which makes `floor` of
 * nothing; published entries never change.
 *
 * Positions follow the head's, which is written with the events, so a rollback leaves no gap. Only
 * `events` is truth, with the bytes in `attachments` that they name. The rest follows from it (of
 * `messages` which there are, not when one is due).
 * An object's `first` is the position of its stream's first event: as the row id it puts every
 * index, and so every list, in the order of creation. A removed object keeps its row for the sake
 * of the version, but has no kind, and so lists do not see it. What they sort by and look for is
 * in `texts`, as it is compared; how many there are under each parent is in `counts`.
 */
const migrations: readonly string[] = [
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
  -- Apart, so that SQLite keeps the text that files have whose column came later.
  ALTER TABLE objects ADD COLUMN mac BLOB; -- of every object, see chain/state.ts
  CREATE INDEX objects_kind ON objects (kind);
  CREATE INDEX objects_kind_parent ON objects (kind, parent);

  CREATE TABLE fields (
    kind TEXT NOT NULL,
    parent TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    first INTEGER NOT NULL,
    exact TEXT NOT NULL,
    PRIMARY KEY (kind, parent, name, folded, first)
  ) STRICT, WITHOUT ROWID;

  -- So that the number of all on a page is looked up, not counted.
  CREATE TABLE counts (
    kind TEXT NOT NULL,
    parent TEXT NOT NULL,
    objects INTEGER NOT NULL, -- that lists see; no row where there are none
    PRIMARY KEY (kind, parent)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE projection (
    revision INTEGER NOT NULL -- the only row: what objects and claims were made with
  ) STRICT;
  INSERT INTO projection VALUES (-1);

  -- A lease is a due time in the future: a node that leases a message moves it there.
  CREATE TABLE messages (
    position INTEGER NOT NULL, -- of the event that asked for it
    field TEXT NOT NULL,
    due INTEGER NOT NULL, -- Unix milliseconds
    attempts INTEGER NOT NULL,
    since INTEGER NOT NULL DEFAULT 0, -- when it was due at first
    type TEXT NOT NULL DEFAULT '', -- of the event, as the owner
    owner TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (position, field)
  ) STRICT, WITHOUT ROWID;
  -- Those that were put off by who tried to send them, which are few.
  CREATE INDEX messages_tried ON messages (due) WHERE attempts > 0;
  CREATE INDEX messages_line ON messages (type, owner, due, position, field);
  -- Those that wait for their quota, or to be tried for the first time.
  CREATE INDEX messages_untried ON messages (due) WHERE attempts = 0;

  -- The line and the turn of each owner's messages, of each type of event (turns.ts).
  CREATE TABLE turns (
    number INTEGER PRIMARY KEY, -- of two whose turn it is at the same time, the lower goes first
    type TEXT NOT NULL,
    owner TEXT NOT NULL,
    turn INTEGER NOT NULL, -- Unix milliseconds
    UNIQUE (type, owner)
  ) STRICT;
  CREATE INDEX turns_turn ON turns (type, turn, number);

  -- What was used of quotas follows from no event alone, so a rebuild leaves it as it is.
  CREATE TABLE quotas (
    digest BLOB PRIMARY KEY, -- SHA-256 of what it is a quota of
    used INTEGER NOT NULL, -- Unix milliseconds, as told and clear
    debt INTEGER NOT NULL,
    told INTEGER NOT NULL,
    clear INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX quotas_clear ON quotas (clear);

  -- What repeated calls are answered with. It follows from no event.
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

  -- What logging in leaves behind. It follows from no event.
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
  // Claims and fields are rows of one table, a quarter as long. They are made anew from the log.
  `
  DROP TABLE claims;
  DROP TABLE fields;
  CREATE TABLE lists (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    parent TEXT NOT NULL,
    UNIQUE (kind, name, parent)
  ) STRICT;

  CREATE TABLE texts (
    list INTEGER NOT NULL, -- its number
    text TEXT NOT NULL, -- of a field, folded
    tie INTEGER NOT NULL, -- 0 of a claim, so that there is one; else as first
    first INTEGER NOT NULL, -- of the object
    listed INTEGER NOT NULL, -- 1 of a field, which lists see; else 0
    PRIMARY KEY (list, text, tie)
  ) STRICT, WITHOUT ROWID;
  UPDATE projection SET revision = -1;
  `,
  // The bytes that events name.
  `
  CREATE TABLE attachments (
    digest BLOB NOT NULL PRIMARY KEY, -- SHA-256
    bytes BLOB NOT NULL
  ) STRICT;
  `,
  // In a tree of their keys, most would be longer than a page holds, and be on a page of their own.
  `
  ALTER TABLE artifacts RENAME TO artifacts_by_key;
  CREATE TABLE artifacts (
    key TEXT NOT NULL PRIMARY KEY,
    alias TEXT,
    family TEXT,
    payload TEXT NOT NULL,
    expires INTEGER NOT NULL, -- Unix milliseconds
    uses INTEGER NOT NULL,
    mac BLOB NOT NULL -- see chain/artifact-mac.ts
  ) STRICT;
  INSERT INTO artifacts SELECT key, alias, family, payload, expires, uses, mac
    FROM artifacts_by_key;
  DROP TABLE artifacts_by_key;
  CREATE INDEX artifacts_alias ON artifacts (alias) WHERE alias IS NOT NULL;
  CREATE INDEX artifacts_family ON artifacts (family, key) WHERE family IS NOT NULL;
  CREATE INDEX artifacts_expires ON artifacts (expires);
  `,
];

/** The number of the oldest form of the tables that is brought up to date: that of 226d0ee. */
export const floor = 11;

/** The number of the newest form of the tables. */
export const schema = floor + migrations.length - 1;
