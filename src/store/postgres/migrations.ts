/** The number of the oldest form of the tables that is brought up to date: that of 226d0ee. */
export const floor = 3;

/**
 * Entry n leads from schema `floor - 1 + n` to the next, but for the first, which makes `floor` of
 * nothing; published entries never change. They make the schema `iam`: the log, and what does not
 * follow from it by the projection alone. The rest, and all functions, are in `revision.ts`. Older
 * nodes that run go on with the tables that an entry leaves, until one of a newer revision takes
 * over or they check the log, a day later at most. Somebody who hides what was added could raise
 * the number as well, so a higher one is damage to them. And none of them starts any more.
 *
 * It is what `sqlite/schema.ts` has, with what PostgreSQL asks for: texts are compared by their
 * bytes, and what may be longer than an index takes is found by its hash or by how it begins. No
 * position comes from a sequence, and there is no trigger and no table of the session. The end of
 * the log is its last event: a row of its own would be written with each append, and found the
 * slower the longer somebody else reads.
 */
export const migrations: readonly string[] = [
  `
  DO $$ BEGIN
    IF to_regnamespace('iam') IS NULL THEN CREATE SCHEMA iam; END IF;
  END $$;

  CREATE TABLE iam.schema (version integer NOT NULL);
  CREATE TABLE iam.log (id text COLLATE "C" PRIMARY KEY);

  CREATE TABLE iam.events (
    position bigint PRIMARY KEY,
    stream text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    time bigint NOT NULL, -- Unix milliseconds
    payload text COLLATE "C" NOT NULL,
    salt bytea NOT NULL,
    mac bytea NOT NULL,
    link bytea NOT NULL,
    UNIQUE (stream, version)
  );

  CREATE TABLE iam.projection (revision bigint NOT NULL);
  INSERT INTO iam.projection VALUES (-1);

  CREATE TABLE iam.objects (
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
  CREATE INDEX objects_kind ON iam.objects (kind, first);
  CREATE INDEX objects_parent ON iam.objects (kind, parent, first);

  CREATE TABLE iam.fields (
    first bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    folded text COLLATE "C" NOT NULL,
    exact text COLLATE "C" NOT NULL,
    PRIMARY KEY (first, name)
  );
  CREATE INDEX fields_folded ON iam.fields (kind, parent, name, left(folded, 200), first);

  CREATE TABLE iam.counts (
    kind text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    objects bigint NOT NULL, -- that lists see
    PRIMARY KEY (kind, parent)
  );

  CREATE TABLE iam.claims (
    digest bytea PRIMARY KEY, -- SHA-256 of the three that follow
    kind text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    stream text COLLATE "C" NOT NULL
  );
  CREATE INDEX claims_group ON iam.claims (kind, scope, stream);

  CREATE TABLE iam.messages (
    position bigint NOT NULL, -- of the event that asked for it
    field text COLLATE "C" NOT NULL,
    due bigint NOT NULL, -- Unix milliseconds
    since bigint NOT NULL, -- when it was due at first
    attempts bigint NOT NULL,
    type text COLLATE "C" NOT NULL, -- of the event, as the owner
    owner text COLLATE "C" NOT NULL,
    PRIMARY KEY (position, field)
  );
  CREATE INDEX messages_line ON iam.messages (type, owner, due, position, field);
  CREATE INDEX messages_tried ON iam.messages (due) WHERE attempts > 0;
  -- Those that wait for their quota, or to be tried for the first time.
  CREATE INDEX messages_untried ON iam.messages (due) WHERE attempts = 0;

  CREATE TABLE iam.turns (
    -- Of two whose turn it is at the same time, the lower goes first.
    number bigint GENERATED ALWAYS AS IDENTITY,
    type text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    turn bigint NOT NULL, -- Unix milliseconds
    PRIMARY KEY (type, owner)
  );
  CREATE INDEX turns_turn ON iam.turns (type, turn, number);

  CREATE TABLE iam.quotas (
    digest bytea PRIMARY KEY, -- SHA-256 of what it is a quota of
    used bigint NOT NULL, -- Unix milliseconds, as told and clear
    debt bigint NOT NULL,
    told bigint NOT NULL,
    clear bigint NOT NULL
  );
  CREATE INDEX quotas_clear ON iam.quotas (clear);

  CREATE TABLE iam.answers (
    key text COLLATE "C" PRIMARY KEY,
    caller text COLLATE "C" NOT NULL,
    number bigint NOT NULL, -- of those of the caller
    time bigint NOT NULL, -- Unix milliseconds
    request bytea NOT NULL,
    answer bytea NOT NULL,
    secret bytea -- goes sooner than the rest
  );
  CREATE UNIQUE INDEX answers_caller ON iam.answers (caller, number);
  CREATE INDEX answers_time ON iam.answers (time);
  CREATE INDEX answers_secret ON iam.answers (time) WHERE secret IS NOT NULL;

  -- What became of batches, for one who lost the connection before the answer.
  CREATE TABLE iam.batches (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL,
    verdicts integer[] NOT NULL,
    whiches integer[] NOT NULL,
    firsts bigint[] NOT NULL,
    head bigint NOT NULL,
    link bytea NOT NULL
  );
  CREATE INDEX batches_at ON iam.batches (at);

  -- What logging in leaves behind.
  CREATE TABLE iam.artifacts (
    key text COLLATE "C" PRIMARY KEY,
    alias text COLLATE "C",
    family text COLLATE "C",
    payload text COLLATE "C" NOT NULL,
    expires bigint NOT NULL, -- Unix milliseconds
    uses bigint NOT NULL
  );
  CREATE INDEX artifacts_alias ON iam.artifacts (alias) WHERE alias IS NOT NULL;
  CREATE INDEX artifacts_family ON iam.artifacts (family) WHERE family IS NOT NULL;
  CREATE INDEX artifacts_expires ON iam.artifacts (expires);
  `,
  // Each has a MAC now. Nobody can tell which of those of before are genuine, so they go.
  `
  TRUNCATE iam.artifacts;
  ALTER TABLE iam.artifacts ADD COLUMN mac bytea NOT NULL; -- see chain/artifact-mac.ts
  `,
  "-- iam.append keeps answers, takes families of artifacts away, and knows an unchecked end.",
  "-- iam.append refuses what is dated too long before the last event.",
  "-- All functions look for names in pg_catalog alone.",
  // Claims and fields are rows of one table. They are made anew from the log.
  `
  CREATE TABLE iam.lists (
    number bigint PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    UNIQUE (kind, name, parent)
  );

  -- Columns of eight bytes first: so no room is left between them.
  CREATE TABLE iam.texts (
    tie bigint NOT NULL, -- 0 of a claim, so that there is one; else as first
    first bigint NOT NULL, -- of the object
    list bigint NOT NULL, -- its number
    listed boolean NOT NULL, -- of a field, which lists see
    text text COLLATE "C" NOT NULL -- of a field, folded
  );
  -- No index takes a long text: what is behind its 200 characters is told apart by a SHA-256.
  CREATE UNIQUE INDEX texts_text ON iam.texts (list, left(text, 200), tie, nullif(
      sha256(decode(replace(substr(text, 201), '\\', '\\\\'), 'escape')), sha256('')))
    NULLS NOT DISTINCT;
  CREATE INDEX texts_first ON iam.texts (first);
  -- Without a primary key, so that they can be published.
  ALTER TABLE iam.texts REPLICA IDENTITY FULL;

  -- A role that may serve still may.
  DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT privilege_type AS what, grantee::regrole AS role
      FROM pg_class, aclexplode(relacl) WHERE oid = 'iam.claims'::regclass AND grantee > 0
    LOOP EXECUTE format('GRANT %s ON iam.lists, iam.texts TO %s', one.what, one.role); END LOOP;
  END $$;
  DROP TABLE iam.claims;
  DROP TABLE iam.fields;
  -- Who has made what was there is still known.
  UPDATE iam.projection SET revision = -abs(revision);
  `,
  // iam.append calls iam.erase, which is new.
  "",
  // iam.erase erases parts of streams, too.
  "",
  "-- iam.append takes away what is kept of users beside the log.",
  // The bytes that events name. iam.append keeps them.
  `
  CREATE TABLE iam.attachments (
    digest bytea PRIMARY KEY, -- SHA-256
    bytes bytea NOT NULL
  );

  -- A role that may append events may keep these as well.
  DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT privilege_type AS what, grantee::regrole AS role
      FROM pg_class, aclexplode(relacl) WHERE oid = 'iam.events'::regclass AND grantee > 0
    LOOP EXECUTE format('GRANT %s ON iam.attachments TO %s', one.what, one.role); END LOOP;
  END $$;
  `,
  // A few lists have most texts, which a sample finds; that the others are many, it does not. Read
  // one by one, each is looked up in the index: without this, the whole table would be read.
  "ALTER TABLE iam.texts ALTER COLUMN list SET (n_distinct = -0.2)",
  // What follows from the log lies in a schema of its revision, with the functions: `revision.ts`.
  `
  DO $$ DECLARE each regprocedure; BEGIN
    FOR each IN SELECT oid FROM pg_proc WHERE pronamespace = 'iam'::regnamespace
    LOOP EXECUTE 'DROP FUNCTION ' || each; END LOOP;
  END $$;
  DROP TABLE iam.objects, iam.lists, iam.texts, iam.counts;
  UPDATE iam.projection SET revision = -abs(revision);
  `,
];
