import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { logLock } from "../../src/store/postgres/append-parameters.ts";
import { migrations } from "../../src/store/postgres/migrations.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { append, change, claim, eventsOf, listed, record, thing, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

let place: PostgresPlace;
beforeEach(async () => {
  place = await postgresPlace();
});
afterEach(() => place.remove());

/** Runs statements past the store, as one who owns the database. */
async function run(...texts: string[]): Promise<readonly { readonly [name: string]: unknown }[]> {
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    let rows: readonly { readonly [name: string]: unknown }[] = [];
    for (const text of texts) rows = (await client.query(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

const database = () => new URL(place.url).pathname.slice(1);

describeOnPostgres("a database that the store cannot use", () => {
  it("is refused where a newer program made its tables, and not changed", async () => {
    await (await place.open()).close();
    const [{ version } = {}] = await run("SELECT version FROM iam.schema");
    const newer = Number(version) + 1;
    await run(`UPDATE iam.schema SET version = ${newer}`);
    await expect(place.open()).rejects.toThrow(
      new RegExp(`schema ${newer}.*only up to ${version}.*newer version of the program`),
    );
    await run(`UPDATE iam.schema SET version = ${version}`);
    await place.open();
  });

  it.each([
    ["an append that took other values", "iam.append(old integer)"],
    ["a function that is not there any more", "iam.before()"],
  ])(
    "has the functions of this program after an upgrade, and none of before: %s",
    async (_, old) => {
      await run(
        "DROP SCHEMA IF EXISTS iam, iam_r1 CASCADE",
        ...migrations.slice(0, 1),
        "INSERT INTO iam.schema VALUES (3)",
        `CREATE FUNCTION ${old} RETURNS integer LANGUAGE sql AS 'SELECT 1'`,
      );
      const store = await place.open();
      eventsOf(await store.append(append([change("thing-1", 0)])));
      const functions = await run(
        `SELECT pronamespace::regnamespace || '.' || proname AS name FROM pg_proc
           WHERE pronamespace::regnamespace::text IN ('iam', 'iam_r1') ORDER BY proname`,
      );
      const made = ["analyze", "append", "discard", "erase", "expect", "lease", "lock_turns"];
      expect(functions.map(({ name }) => name)).toEqual(
        [...made, "postpone", "review", "take_over"].map((name) => `iam_r1.${name}`),
      );
    },
  );

  it("is refused to a role that may not make the tables, and open to one with rights", async () => {
    await run(
      "DROP SCHEMA IF EXISTS iam, iam_r1 CASCADE",
      "DROP ROLE IF EXISTS iam_user",
      "CREATE ROLE iam_user LOGIN",
    );
    const url = place.url.replace("iam@", "iam_user@");
    const open = () => openPostgres({ url, projector: things(), ...sealing });
    await expect(open()).rejects.toThrow(/lacks the privilege.*Run migrate/);
    await (await place.open()).close();
    await expect(open()).rejects.toThrow(/iam/);
    await run(
      "GRANT USAGE ON SCHEMA iam, iam_r1 TO iam_user",
      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA iam_r1 TO iam_user",
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA iam, iam_r1 TO iam_user",
    );
    const store = await open();
    eventsOf(await store.append(append([thing("thing-1", { name: "One" })])));
    await store.close();
  });

  it.each([
    ["default_transaction_read_only = on", /is read-only/],
    ["default_transaction_isolation = serializable", /read committed/],
  ])("says so of %s", async (setting, said) => {
    const store = await place.open(things(), { connections: 1 });
    await store.close();
    await run(`ALTER DATABASE ${database()} SET ${setting}`);
    try {
      const other = await place.open();
      const refused = other.append(append([change("thing-1", 0)]));
      await expect(refused).rejects.toThrow(StoreUnavailable);
      await expect(refused).rejects.toThrow(said);
      if (setting.includes("read_only")) await expect(other.ready()).rejects.toThrow(said);
      expect(await other.readAll(0n, 9)).toEqual([]);
    } finally {
      await run(
        "SET default_transaction_read_only = off",
        `ALTER DATABASE ${database()} RESET ALL`,
      );
    }
    eventsOf(await (await place.open()).append(append([change("thing-1", 0)])));
  });

  it.each([
    ["no URL", "not a URL with s3cret"],
    ["another protocol", "mysql://iam:s3cret@localhost/iam"],
    ["nobody there", "postgres://iam:s3cret@127.0.0.1:1/iam"],
    ["no such host", "postgres://iam:s3cret@nowhere.invalid/iam"],
    [
      "a wrong setting",
      "postgres://iam:s3cret@127.0.0.1:1/iam?sslmode=verify-full&sslrootcert=/s3cret",
    ],
  ])("is refused without its secret: %s", async (_, url) => {
    const error: Error = await openPostgres({ url, projector: things(), ...sealing }).then(
      () => new Error("it opened"),
      (thrown) => thrown,
    );
    expect(error.message).not.toBe("it opened");
    const { stack, message, cause, ...members } = error;
    expect(JSON.stringify({ stack, message, cause, members })).not.toContain("s3cret");
  });

  it("is refused while all connections are in use, and not for longer", async () => {
    const store = await place.open(things(), { connections: 1, connectMs: 100 });
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE iam.events IN ACCESS EXCLUSIVE MODE");
    const held = store.readAll(0n, 9);
    await expect(store.load(["thing-1"])).rejects.toThrow(/All 1 connections are in use/);
    await holder.query("COMMIT");
    await holder.end();
    expect(await held).toEqual([]);
    expect(await store.load([])).toEqual([]);
  });
});

describeOnPostgres("a database that gives a process fewer connections than it may have", () => {
  it.each([
    ["one", 1],
    ["three", 3],
  ])("serves all who wait by those that there are: %s", async (_, given) => {
    await (await place.open()).close();
    await run(
      "DROP ROLE IF EXISTS iam_few",
      `CREATE ROLE iam_few LOGIN CONNECTION LIMIT ${given}`,
      "GRANT USAGE ON SCHEMA iam, iam_r1 TO iam_few",
      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA iam_r1 TO iam_few",
      "GRANT ALL ON ALL TABLES IN SCHEMA iam, iam_r1 TO iam_few",
    );
    const url = place.url.replace("iam@", "iam_few@");
    const store = await openPostgres({ url, projector: things(), ...sealing });
    try {
      const streams = Array.from({ length: 40 }, (_, i) => `thing-${i}`);
      const work = streams.map((stream) => store.load([stream]));
      const written = store.append(append([change("thing-1", 0)]));
      expect(await Promise.all(work)).toHaveLength(streams.length);
      eventsOf(await written);
      await run("ALTER ROLE iam_few CONNECTION LIMIT 0");
      // Those that it has are of use still.
      expect(await Promise.all(streams.map((stream) => store.load([stream])))).toHaveLength(40);
    } finally {
      await store.close();
      await run("DROP OWNED BY iam_few", "DROP ROLE iam_few");
    }
  });

  it.each([
    ["tries for more", "behind", 0, true],
    ["tries for no more", "within", 3_600_000, false],
  ])("%s %s fewerMs", async (_title, _when, fewerMs, isMore) => {
    await (await place.open()).close();
    await run(
      "DROP ROLE IF EXISTS iam_few",
      "CREATE ROLE iam_few LOGIN CONNECTION LIMIT 1",
      "GRANT USAGE ON SCHEMA iam, iam_r1 TO iam_few",
      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA iam_r1 TO iam_few",
      "GRANT ALL ON ALL TABLES IN SCHEMA iam, iam_r1 TO iam_few",
    );
    const url = place.url.replace("iam@", "iam_few@");
    const store = await openPostgres({
      ...{ url, projector: things(), ...sealing },
      limits: { fewerMs },
    });
    const loadMany = () => Promise.all(Array.from({ length: 40 }, () => store.load(["thing-1"])));
    try {
      await loadMany();
      await run("ALTER ROLE iam_few CONNECTION LIMIT 10");
      await loadMany();
      await loadMany();
      const here = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'iam_few'";
      const [{ count } = {}] = await run(here);
      expect(Number(count) > 1).toBe(isMore);
    } finally {
      await store.close();
      await run("DROP OWNED BY iam_few", "DROP ROLE iam_few");
    }
  });
});

describeOnPostgres("an append", () => {
  it("waits for others no longer than lockMs", async () => {
    const store = await place.open(things(), { lockMs: 50 });
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    await holder.query("SELECT pg_advisory_lock($1)", [logLock]);
    const refused = store.append(append([change("thing-1", 0)]));
    await expect(refused).rejects.toThrow("Other processes held the append lock for too long.");
    await holder.end();
    eventsOf(await store.append(append([change("thing-1", 0)])));
  });
});

describeOnPostgres("rows that somebody has changed in the database", () => {
  it.each([
    ["state", "state = '{}'"],
    ["version", "version = 7"],
    ["owner", "owner = 'org-2'"],
    ["time of creation", "created = 1"],
    ["time of change", "changed = 1"],
    ["last position", "position = 7"],
    ["first position", "first = 7"],
    ["kind", "kind = 'other'"],
    ["parent", "parent = 'other'"],
    ["fields", "fields = '{}'"],
    ["state, removed", "state = NULL"],
    ["MAC", "mac = sha256(mac)"],
  ])("are answered to nobody: %s", async (_, change) => {
    const store = await place.open();
    eventsOf(await record(store, "thing-1", [["added", { name: "One" }]]));
    eventsOf(await record(store, "thing-1", [["renamed", { name: "Two" }]]));
    await run(`UPDATE iam_r1.objects SET ${change}`);
    await expect(store.load(["thing-1"])).rejects.toThrow("is not what was written");
  });

  it("keep the log from being opened, or written on", async () => {
    const store = await place.open();
    for (const name of ["a", "b", "c"]) {
      eventsOf(await record(store, `thing-${name}`, [["added", { name }]]));
    }
    const [kept] = await run("SELECT payload FROM iam.events WHERE position = 2");
    await run(`UPDATE iam.events SET payload = '{"name":"x"}' WHERE position = 2`);
    await expect(place.open()).rejects.toThrow(/position 2, .+ not what was appended \(its MAC/);
    await run(`UPDATE iam.events SET payload = '${kept?.payload}' WHERE position = 2`);
    await run("DELETE FROM iam.events WHERE position = 3");
    const refused = store.append(append([change("thing-d", 0)]));
    await expect(refused).rejects.toMatchObject({ why: "history-changed" });
    expect(await store.find(claim("a"))).toBe("thing-a");
  });
});

describeOnPostgres("a standby that took over without the end of the log", () => {
  it("is not written on by who has loaded an object that it lacks", async () => {
    const [store, other] = [await place.open(), await place.open()];
    eventsOf(await record(other, "thing-1", [["added", { name: "One" }]]));
    expect(await store.load(["thing-1"])).toMatchObject([{ version: 1, position: 1n }]);
    await run(
      "DELETE FROM iam.events",
      ...["objects", "lists", "texts", "counts"].map((t) => `DELETE FROM iam_r1.${t}`),
    );
    eventsOf(await record(await place.open(), "thing-1", [["added", { name: "Other" }]]));
    const stale = store.append(append([change("thing-1", 1)]));
    await expect(stale).rejects.toMatchObject({ why: "history-changed" });
  });
});

describeOnPostgres("texts that PostgreSQL or its indexes would not take", () => {
  it("are kept, found and sorted", async () => {
    const store = await place.open();
    const long = "x".repeat(10_000);
    const names = ["\u0000", "\u0000\u0001", "\u0001", "\u0002", `${long}1`, `${long}2`];
    const made = names.map((name, i) => {
      const take = [claim(name, long)];
      return { ...thing(`thing-${i}`, { name: `a${name}` }, "p-1"), take };
    });
    eventsOf(await store.append(append(made)));
    const holders = await Promise.all(names.map((name) => store.find(claim(name, long))));
    expect(holders).toEqual(names.map((_, i) => `thing-${i}`));
    const page = await listed(store, { kind: "thing", sortBy: "name", offset: 4, limit: 9 });
    expect(page.objects.map(({ stream }) => stream)).toEqual(["thing-4", "thing-5"]);
    const value = `a${long}2`;
    const where = {
      kind: "text",
      field: "name",
      method: "equals",
      ignoreCase: false,
      value,
    } as const;
    expect((await listed(store, { kind: "thing", where, offset: 0, limit: 9 })).total).toBe(1);
  });
});
