import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { startCheck } from "../../src/store/postgres/check.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { things } from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { type DamagePlace, damagePlace, rebuilt, verified } from "./postgres-damage.ts";
import { describeOnPostgres } from "./postgres-place.ts";

// What the owner of the tables can do to them that refuses what is written, or swallows it.

let place: DamagePlace;

const column = (change: string) => `ALTER TABLE artifacts ALTER COLUMN ${change}`;
const table = (name: string) => `the table ${name} is not that of this schema`;
const strange = (what: string) => `the ${what} does not belong to this service`;
const changes = [
  [
    `ALTER TABLE artifacts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
         CREATE POLICY spy ON artifacts FOR SELECT USING (true)`,
    `DROP POLICY spy ON artifacts;
         ALTER TABLE artifacts DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY`,
    table("artifacts"),
  ],
  [
    "CREATE POLICY spy ON artifacts USING (true)",
    "DROP POLICY spy ON artifacts",
    strange("policy spy"),
  ],
  [
    "ALTER TABLE artifacts ADD CONSTRAINT events_stream_version_key CHECK (uses < 1000)",
    "ALTER TABLE artifacts DROP CONSTRAINT events_stream_version_key",
    strange("constraint events_stream_version_key"),
  ],
  [
    "DROP INDEX texts_first; CREATE UNIQUE INDEX texts_first ON texts (first, list)",
    "DROP INDEX texts_first; CREATE INDEX texts_first ON texts (first)",
    "the index texts_first is not that of this schema",
  ],
  ["CREATE INDEX spy ON objects (state)", "DROP INDEX spy", strange("index spy")],
  [
    "ALTER TABLE messages DROP CONSTRAINT messages_pkey",
    "ALTER TABLE messages ADD PRIMARY KEY (position, field)",
    "the constraint messages_pkey is missing",
  ],
  [column("uses TYPE integer"), column("uses TYPE bigint"), table("artifacts")],
  [column("alias SET NOT NULL"), column("alias DROP NOT NULL"), table("artifacts")],
  [column("mac SET DEFAULT ''"), column("mac DROP DEFAULT"), table("artifacts")],
  [column("payload SET STORAGE PLAIN"), column("payload SET STORAGE EXTENDED"), table("artifacts")],
  [
    column('alias TYPE text COLLATE "ucs_basic"'),
    column('alias TYPE text COLLATE "C"'),
    table("artifacts"),
  ],
  [
    "ALTER TABLE artifacts ADD COLUMN spy bigint GENERATED ALWAYS AS (uses * 2) STORED",
    "ALTER TABLE artifacts DROP COLUMN spy",
    table("artifacts"),
  ],
  ["ALTER TABLE artifacts SET UNLOGGED", "ALTER TABLE artifacts SET LOGGED", table("artifacts")],
  [
    "ALTER TABLE artifacts REPLICA IDENTITY NOTHING",
    "ALTER TABLE artifacts REPLICA IDENTITY DEFAULT",
    table("artifacts"),
  ],
  ["CREATE TABLE kept.spy () INHERITS (artifacts)", "DROP TABLE kept.spy", strange("table spy")],
  [
    "CREATE PUBLICATION spy FOR TABLE artifacts WHERE (uses > 5)",
    "DROP PUBLICATION spy",
    strange("publication spy"),
  ],
  [
    "ALTER SEQUENCE turns_number_seq MAXVALUE 1000000",
    "ALTER SEQUENCE turns_number_seq NO MAXVALUE",
    "the sequence turns_number_seq is not that of this schema",
  ],
  [
    "ALTER FUNCTION review SET search_path = kept",
    "ALTER FUNCTION review SET search_path = pg_catalog, pg_temp",
    "the function review is not that of this schema",
  ],
  [
    "CREATE FUNCTION review(text[], text[], integer) RETURNS void LANGUAGE sql AS ''",
    "DROP FUNCTION review(text[], text[], integer)",
    strange("function review"),
  ],
  [
    "CREATE OPERATOR <> (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = int8ne)",
    "DROP OPERATOR iam.<> (bigint, bigint)",
    strange('operator "<>"'),
  ],
  ["CREATE DOMAIN text AS pg_catalog.text", "DROP DOMAIN iam.text", strange("type text")],
  ["CREATE TYPE bytea AS (byte integer)", "DROP TYPE iam.bytea", strange("type bytea")],
  [
    "SELECT setval('turns_number_seq', 9223372036854775807)",
    "SELECT setval('turns_number_seq', 1000)",
    "the sequence turns_number_seq is not that of this schema",
  ],
  [
    `CREATE RULE spy AS ON DELETE TO artifacts DO INSTEAD NOTHING;
         CREATE VIEW kept.pg_rewrite AS SELECT * FROM pg_catalog.pg_rewrite WHERE false;
         ALTER ROLE CURRENT_USER SET search_path = kept, pg_catalog`,
    `ALTER ROLE CURRENT_USER RESET search_path; DROP VIEW kept.pg_rewrite;
         DROP RULE spy ON artifacts`,
    strange("rule spy"),
  ],
] as const;

describeOnPostgres("in PostgreSQL,", () => {
  beforeAll(async () => {
    place = await damagePlace();
  });
  afterEach(() => place.mend());
  afterAll(() => place.remove());

  test.each(changes)("this is named, and not served: %s", async (sql, undo, said) => {
    await place.damage(sql);
    try {
      const { lines } = await verified(place.url);
      expect(lines).toContainEqual(expect.stringContaining(said));
      const opening = openPostgres({ url: place.url, projector: things(), ...sealing });
      await expect(opening).rejects.toThrow(said);
      await expect(rebuilt(place.url)).rejects.toThrow(said);
      expect(await checked()).toContainEqual(expect.stringContaining(said));
    } finally {
      await place.damage(undo);
    }
    expect(await verified(place.url)).toMatchObject({ lines: [], unchecked: undefined });
    expect(await checked()).toEqual([]);
  });

  test.each([99, 1])("a schema %i is named of a database that is served", async (schema) => {
    await place.damage(`UPDATE iam.schema SET version = ${schema}`);
    const said = new RegExp(`it has schema ${schema}, and it is served with schema \\d+: `);
    expect(await checked()).toEqual([expect.stringMatching(said)]);
  });
});

/** What the check of a service that runs says of the database. */
async function checked(): Promise<readonly string[]> {
  const lines: string[] = [];
  const hear = { report: (line: string) => void lines.push(line), count: () => {} };
  await startCheck({ url: place.url, projector: things() }, identity, hear, 1).checked;
  return lines;
}
