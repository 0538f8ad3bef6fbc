import { appendFunction } from "./append-function.ts";
import { eraseFunction } from "./erase-function.ts";
import { takeoverFunctions } from "./takeover.ts";
import { turnFunctions } from "./turns.ts";

// What a projection makes of the log lies in a schema of its revision, and so do all functions. So
// a node builds its tables beside those of an older one, and one of another revision finds none.

/** The name of the schema that holds what a revision of the projection makes of the log. */
export function schemaOf(revision: number): string {
  return `iam_r${revision}`;
}

/** The text of a statement that calls the schema `derived`, with its name. */
export function named(text: string, revision: number): string {
  return text.replaceAll("derived.", `${schemaOf(revision)}.`);
}

/**
 * A part of a statement on tables of `iam` alone. It reads nothing, and has the statement fail once
 * a newer program has taken over, because the table that it names is gone.
 */
export const served = "served AS (SELECT FROM derived.built)";

/**
 * All of a revision: tables, indexes and functions. It needs no migrations, since it is made anew
 * from the log: what changes it raises `changes` in `domain/nouns.ts`.
 */
export const madeText = `
  -- The event up to which the rest was made of the log, until this revision takes over.
  CREATE TABLE derived.built (position bigint NOT NULL, link bytea NOT NULL);

  CREATE TABLE derived.objects (
    stream text COLLATE "C" PRIMARY KEY,
    first bigint NOT NULL UNIQUE,
    version bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    kind text COLLATE "C",
    parent text COLLATE "C",
    fields text COLLATE "C",
    created bigint NOT NULL, -- Unix milliseconds
    changed bigint NOT NULL, -- Unix milliseconds
    position bigint NOT NULL,
    state text COLLATE "C",
    mac bytea NOT NULL -- see chain/row-mac.ts
  );
  CREATE INDEX objects_kind ON derived.objects (kind, first);
  CREATE INDEX objects_parent ON derived.objects (kind, parent, first);

  CREATE TABLE derived.counts (
    kind text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    objects bigint NOT NULL, -- that lists see
    PRIMARY KEY (kind, parent)
  );

  CREATE TABLE derived.lists (
    number bigint PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    UNIQUE (kind, name, parent)
  );

  -- Columns of eight bytes first: so no room is left between them.
  CREATE TABLE derived.texts (
    tie bigint NOT NULL, -- 0 of a claim, so that there is one; else as first
    first bigint NOT NULL, -- of the object
    list bigint NOT NULL, -- its number
    listed boolean NOT NULL, -- of a field, which lists see
    text text COLLATE "C" NOT NULL -- of a field, folded
  );
  -- No index takes a long text: what is behind its 200 characters is told apart by a SHA-256.
  CREATE UNIQUE INDEX texts_text ON derived.texts (list, left(text, 200), tie, nullif(
      sha256(decode(replace(substr(text, 201), '\\', '\\\\'), 'escape')), sha256('')))
    NULLS NOT DISTINCT;
  CREATE INDEX texts_first ON derived.texts (first);
  -- Without a primary key, so that they can be published.
  ALTER TABLE derived.built REPLICA IDENTITY FULL;
  ALTER TABLE derived.texts REPLICA IDENTITY FULL;
  -- A few lists have most texts, which a sample finds; that the others are many, it does not. Read
  -- one by one, each is looked up in the index: without this, the whole table would be read.
  ALTER TABLE derived.texts ALTER COLUMN list SET (n_distinct = -0.2);

  -- Messages that are pending, until they are put beside those of iam.messages.
  CREATE TABLE derived.pending (
    position bigint NOT NULL, -- of the event that asked for it
    field text COLLATE "C" NOT NULL,
    due bigint NOT NULL, -- Unix milliseconds
    type text COLLATE "C" NOT NULL, -- of the event, as the owner
    owner text COLLATE "C" NOT NULL,
    PRIMARY KEY (position, field)
  );
  ${turnFunctions}
  ${eraseFunction}
  ${appendFunction}
  ${takeoverFunctions}`;
