import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { inDatabase } from "../../src/store/postgres/database.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import type { Store } from "../../src/store/store.ts";
import { shortened } from "../harness/extent.ts";
import { few } from "../harness/in-full.ts";
import { findPgBouncer, poolerTo } from "../harness/pgbouncer.ts";
import { postgresServer } from "../harness/postgres.ts";
import { append, change, claim, eventsOf, record, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { verified } from "./postgres-damage.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

// What the owner of a database, and one who may make a function there, could have names mean.

let place: PostgresPlace;
let database: string;
beforeEach(async () => {
  place = await postgresPlace();
  database = new URL(place.url).pathname.slice(1);
  await (await place.open()).close();
  await run([
    "DO $$ BEGIN CREATE ROLE outsider LOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
    "GRANT CREATE ON SCHEMA public TO outsider",
    "CREATE SCHEMA evil",
  ]);
});
afterEach(async () => {
  await run([
    `ALTER DATABASE ${database} RESET ALL`,
    "ALTER ROLE iam RESET ALL",
    "DROP SCHEMA evil CASCADE",
    "DROP OWNED BY outsider CASCADE",
  ]);
  await place.remove();
});

/** Runs statements past the store, as the owner or another role, with the names of PostgreSQL. */
async function run(texts: readonly string[], role = "iam") {
  const url = place.url.replace("iam@", `${role}@`);
  const client = new pg.Client({ connectionString: url, options: "-c search_path=pg_catalog" });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}

/** Has every connection be made anew, be it that of a pooler: with the defaults of now. */
const anew = () =>
  run([
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  ]);

type Attack = readonly [title: string, ...texts: string[]];

/** What a role does that may only make functions in `public`. */
const ofOutsiders: readonly Attack[] = [
  [
    "array_fill",
    `CREATE FUNCTION public.array_fill(v int4, n int4[]) RETURNS int4[] LANGUAGE sql
       AS $$ SELECT array_agg(ARRAY[v]) FROM generate_series(1, n[1]) $$`,
  ],
  [
    "cardinality",
    `CREATE FUNCTION public.cardinality(int4[]) RETURNS int4 LANGUAGE sql
       AS $$ SELECT 1 / 0 $$`,
  ],
  [
    "array_agg",
    `CREATE AGGREGATE public.array_agg(text)
       (SFUNC = array_append, STYPE = text[], INITCOND = '{other}')`,
  ],
  [
    "unnest",
    `CREATE FUNCTION public.unnest(text[]) RETURNS SETOF text LANGUAGE sql
       AS $$ SELECT 'thing-9'::text FROM pg_catalog.unnest($1) $$`,
  ],
];

const never = (type: string) =>
  `CREATE FUNCTION evil.never(${type}, ${type}) RETURNS boolean LANGUAGE sql AS 'SELECT false'`;
const operator = (name: string, type: string) =>
  `CREATE OPERATOR evil.${name} (LEFTARG = ${type}, RIGHTARG = ${type}, FUNCTION = evil.never)`;

/** What the owner of the database or of the role does with what is the default of a session. */
const ofOwners: readonly Attack[] = [
  ["another <> for all of the database", never("int8"), operator("<>", "int8"), "DATABASE"],
  ["another = of numbers", never("int4"), operator("=", "int4"), "DATABASE"],
  ["another = of texts for a role", never("text"), operator("=", "text"), "ROLE"],
  ["a type that is called as one of PostgreSQL", "CREATE DOMAIN evil.uuid AS text", "ROLE"],
  [
    "a table like a catalog",
    "CREATE TABLE evil.pg_class AS TABLE pg_class WITH NO DATA",
    "DATABASE",
  ],
];
const pathOf = (text: string) => {
  const whose = { DATABASE: `DATABASE ${database}`, ROLE: "ROLE iam" }[text];
  return whose === undefined ? text : `ALTER ${whose} SET search_path = evil, pg_catalog`;
};

const settings = ["array_nulls = off", "quote_all_identifiers = on"];

/** Expects that what a store is told is written, kept and read as it is. */
async function expectSound(store: Store): Promise<void> {
  const at = (await store.readAll(0n, 99)).length;
  const added = await record(store, "thing-1", [["added", { name: "One" }]]);
  expect(eventsOf(added)).toMatchObject([{ position: BigInt(at + 1) }]);
  const gone = [
    ["added", { name: "Two" }],
    ["removed", {}],
  ] as const;
  eventsOf(await record(store, "thing-2", gone));
  expect(await store.readAll(BigInt(at), 99)).toHaveLength(3);
  expect(await store.load(["thing-1"])).toMatchObject([{ stream: "thing-1", version: 1 }]);
  expect(await store.versions(["thing-1", "thing-2", "thing-3"])).toEqual([1, 2, 0]);
  const again = await store.append(append([change("thing-1", 0)]));
  expect(again).toMatchObject({ kind: "version-conflict" });
  expect(await store.find(claim("one"))).toBe("thing-1");
}

const ways = ["directly", ...(findPgBouncer() === undefined ? [] : ["through a pooler"])];

describeOnPostgres.each(shortened(ways))("a database that is reached %s", (way) => {
  let store: Store | undefined;
  let url: string;
  beforeEach(async () => {
    const { socket } = await postgresServer();
    url = way === "directly" ? place.url : (await poolerTo(socket)).url(database);
    await anew();
  });
  afterEach(() => store?.close());
  const open = async () => {
    store = await openPostgres({ url, projector: things(), ...sealing });
    return store;
  };

  few().each(ofOutsiders)(
    "has functions of its own, no matter who made one that is called %s",
    async (_, ...texts) => {
      await run(texts, "outsider");
      await expectSound(await open());
      expect((await verified(url)).lines).toEqual([]);
    },
  );

  few().each(ofOutsiders)("goes on with its own while it runs: %s", async (_, ...texts) => {
    const running = await open();
    eventsOf(await record(running, "thing-0", [["added", { name: "Zero" }]]));
    await run(texts, "outsider");
    await anew();
    while ((await running.ready().catch(() => "not yet")) !== undefined);
    await expectSound(running);
    expect((await verified(url)).lines).toEqual([]);
  });

  few().each(ofOwners)("looks for names where it always does: %s", async (_, ...texts) => {
    await run(texts.map(pathOf));
    await anew();
    await expectSound(await open());
    expect((await verified(url)).lines).toEqual([]);
  });

  few().each(settings)("is not changed by a default of it: %s", async (setting) => {
    await run([`ALTER DATABASE ${database} SET ${setting}`]);
    await anew();
    await expectSound(await open());
    expect((await verified(url)).lines).toEqual([]);
  });

  few().each([["current_setting"], ["to_regclass"]])(
    "is looked at itself, and no view of a session in its place that %s makes",
    async (name) => {
      const type = name === "to_regclass" ? "regclass" : "text";
      await run([
        `CREATE FUNCTION evil.${name}(name text) RETURNS ${type} LANGUAGE plpgsql AS $$ BEGIN
           IF pg_catalog.to_regclass('pg_temp.pg_trigger') IS NULL THEN
             EXECUTE 'CREATE TEMP VIEW pg_trigger AS SELECT * FROM pg_catalog.pg_trigger LIMIT 0';
           END IF;
           RETURN pg_catalog.${name}(name);
         END $$`,
        `CREATE FUNCTION evil.nothing() RETURNS trigger LANGUAGE plpgsql
           AS 'BEGIN RETURN NULL; END'`,
        `CREATE TRIGGER spy BEFORE INSERT ON iam.events
           FOR EACH ROW EXECUTE FUNCTION evil.nothing()`,
        pathOf("DATABASE"),
      ]);
      await anew();
      const said = "the trigger spy does not belong to this service";
      await expect(open()).rejects.toThrow(said);
      expect((await verified(url)).lines).toContainEqual(expect.stringContaining(said));
    },
  );

  few().each([
    ["off", "on"],
    ["local", "on"],
    ["remote_write", "on"],
    ["remote_apply", "remote_apply"],
  ])("commits to the disk: where its default is %s, it does %s", async (given, kept) => {
    await run([`ALTER DATABASE ${database} SET synchronous_commit = ${given}`]);
    await anew();
    const shown = await inDatabase(url, async (pool) => [
      await pool.query("SHOW synchronous_commit"),
      await pool.using(({ query }) => query("SHOW synchronous_commit")),
      await pool.transaction("BEGIN", ({ query }) => query("SHOW synchronous_commit")),
    ]);
    expect(shown).toEqual(shown.map(() => [{ synchronous_commit: kept }]));
  });

  few(2).each([
    ["a statement after statementMs", "statement_timeout"],
    ["a silent node after transactionIdleMs", "idle_in_transaction_session_timeout"],
  ])("ends %s by itself, whatever its default is", async (_, setting) => {
    await run([`ALTER DATABASE ${database} SET ${setting} = '1h'`]);
    await anew();
    const show = `SHOW ${setting}`;
    const times = { statementMs: 7_000, transactionIdleMs: 7_000 };
    const limits = { ...postgresLimits, connections: 1, ...times };
    const shown = await inDatabase(
      url,
      async (pool) => [
        await pool.query(show),
        await pool.using(({ query }) => query(show)),
        await pool.transaction("BEGIN", ({ query }) => query(show)),
      ],
      limits,
    );
    expect(shown).toEqual(shown.map(() => [{ [setting]: "7s" }]));
  });

  it("gives a list up in its time, though statements have more", async () => {
    const limits = { searchMs: 300, statementMs: 9_000 };
    store = await openPostgres({ url, projector: things(), limits, ...sealing });
    const holder = new pg.Client(place.url);
    await holder.connect();
    await holder.query("BEGIN; LOCK iam_r1.objects");
    const found = store.list({ kind: "thing", offset: 0, limit: 1 });
    await expect(found.finally(() => holder.end())).resolves.toBeUndefined();
  });
});

// Without a PgBouncer on the machine there is none to stand between; `.ci/run` installs it.
const itBehindPooler = findPgBouncer() === undefined ? it.skip : it;

describeOnPostgres("a session of a pooler that somebody else has had", () => {
  itBehindPooler("has none of their settings", async () => {
    const { socket } = await postgresServer();
    const url = (await poolerTo(socket)).url(database);
    await anew();
    const ask = async (text: string) => {
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      const { rows } = await other.query(text);
      await other.end();
      return rows;
    };
    const show = "SHOW synchronous_commit";
    const shown = await inDatabase(url, async (pool) => {
      await pool.query(show);
      await ask("SET synchronous_commit = off");
      // So it is with who pins nothing.
      expect(await ask(show)).toEqual([{ synchronous_commit: "off" }]);
      return [
        await pool.query(show),
        await pool.using(({ query }) => query(show)),
        await pool.transaction("BEGIN", ({ query }) => query(show)),
      ];
    });
    expect(shown).toEqual(shown.map(() => [{ synchronous_commit: "on" }]));
  });

  itBehindPooler("shows no view of theirs in the place of a catalog", async () => {
    const { socket } = await postgresServer();
    const url = (await poolerTo(socket)).url(database);
    await anew();
    await run([
      "CREATE FUNCTION evil.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
      `CREATE TRIGGER spy BEFORE INSERT ON iam.events
         FOR EACH ROW EXECUTE FUNCTION evil.nothing()`,
    ]);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query("CREATE TEMP VIEW pg_trigger AS SELECT * FROM pg_catalog.pg_trigger LIMIT 0");
    await other.end();
    await expect(openPostgres({ url, projector: things(), ...sealing })).rejects.toThrow(
      "the trigger spy does not belong to this service",
    );
  });
});
