import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { startCheck } from "../../src/store/postgres/check.ts";
import { migrateDatabase } from "../../src/store/postgres/database.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { schemaOf } from "../../src/store/postgres/revision.ts";
import { vacuumPostgres } from "../../src/store/postgres/vacuum.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { inFull } from "../harness/in-full.ts";
import { runOn } from "../start/database-place.ts";
import {
  append,
  change,
  claim,
  eventsOf,
  keysOf,
  lease,
  leaseMs,
  live,
  record,
  things,
  timeMs,
} from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { rebuilt } from "./postgres-damage.ts";
import { describeOnPostgres, type PostgresPlace } from "./postgres-place.ts";
import { expectTakenOver, gateAt, other, placeBefore, upgrade } from "./rolling.ts";
import { singly } from "./singly.ts";

let place: PostgresPlace;
beforeEach(async () => {
  place = await placeBefore();
});
afterEach(() => place.remove());

const run = (...texts: string[]) => runOn(place.url, texts);

describeOnPostgres("a program that takes over", () => {
  it("has nodes of before answer nothing from then on", async () => {
    const old = await place.open();
    await live(old);
    const [message] = await lease(old, timeMs + 100);
    const artifacts = singly(old.artifacts);
    const artifact = { key: "code", payload: "{}", expiresMs: timeMs + 9 };
    await artifacts.put(artifact);
    await old.ready();
    const store = await place.open(other());

    const calls: readonly (() => Promise<unknown>)[] = [
      () => old.load(["thing-3"]),
      () => old.versions(["thing-3"]),
      () => record(old, "thing-9", [["added", {}]]),
      () => old.append(append([change("thing-9", 0)])),
      () => old.find(claim("gamma")),
      () => old.holders({ kind: "name", scope: "org-1" }, 9),
      () => old.list({ kind: "thing", offset: 0, limit: 9 }),
      () => old.readStream("thing-3", 0, 9),
      () => old.readAll(0n, 9),
      () => old.search({ after: 0n, limit: 9 }),
      () => old.recall("key", timeMs),
      () => old.rememberedOf("user-1"),
      () => old.forgetAnswers(timeMs),
      () => old.pendingMessages("thing-3", 9),
      () => lease(old, timeMs + 100),
      () => old.postponeMessage(message!, timeMs),
      () => old.artifacts.find("code", timeMs),
      () => old.artifacts.findAlias("code", timeMs),
      () => old.artifacts.forget(timeMs),
      () => artifacts.put({ ...artifact, key: "other" }),
      () => artifacts.count("tries", timeMs, timeMs),
      () => old.ready(),
    ];
    const taken = "A newer version of the program has taken over the log: start that version.";
    for (const call of calls) {
      await expect(call()).rejects.toThrow(StoreUnavailable);
      await expect(call()).rejects.toThrow(taken);
    }
    expect(await store.artifacts.find("code", timeMs)).toMatchObject({ payload: "{}" });
    expect(await store.artifacts.find("other", timeMs)).toBeUndefined();
    await expect(place.open()).rejects.toThrow(
      "The database has objects of projection revision 2, but this program makes revision 1: " +
        "use the newer version of the program that wrote it.",
    );
    await expectTakenOver(place.url);
  });

  it("takes nothing over where the log is not to be served, or its key is missing", async () => {
    const old = await place.open();
    await live(old);
    const refuse = () => Promise.reject(new Error("refused"));
    const options = { url: place.url, projector: other(), ...sealing };
    const keys = { ...sealing.keys, open: refuse };
    for (const refused of [{ admit: refuse }, { keys }]) {
      await expect(openPostgres({ ...options, ...refused })).rejects.toThrow("refused");
    }
    // Nor has it made tables beside those that serve.
    await run(`CREATE SCHEMA ${schemaOf(other().revision)}`);
    await old.ready();
    eventsOf(await old.append(append([change("thing-9", 0)])));
  });

  inFull("keeps answers, and when messages are due", async () => {
    const old = await place.open();
    await live(old);
    const none = new Uint8Array();
    const remember = { key: "key", request: none, answer: none, secret: undefined };
    eventsOf(await record(old, "thing-1", [["added", { name: "One" }]], { remember }));
    const pending = await lease(old, timeMs + 100);
    expect(keysOf(pending)).toEqual(["14 code", "12 code"]);
    await old.postponeMessage(pending[1]!, timeMs + 10 * leaseMs);
    const store = await place.open(other());
    expect(await store.recall("key", timeMs + 9)).toBeDefined();
    expect(await lease(store, timeMs + 99 + leaseMs)).toEqual([]);
    expect(keysOf(await lease(store, timeMs + 100 + leaseMs))).toEqual(["14 code"]);
    const again = { ...pending[1], attempts: 2 };
    expect(await lease(store, timeMs + 10 * leaseMs)).toContainEqual(again);
    await expectTakenOver(place.url);
    await rebuilt(place.url, other());
    expect(await store.recall("key", timeMs + 9)).toBeUndefined();
  });

  inFull(
    "is brought in by a role that may not make tables, once another has made them",
    async () => {
      const old = await place.open();
      await live(old);
      await run("DROP ROLE IF EXISTS iam_rolls", "CREATE ROLE iam_rolls LOGIN");
      await migrateDatabase(place.url, things(), "iam_rolls");
      const url = place.url.replace("iam@", "iam_rolls@");
      const open = () => openPostgres({ url, projector: other(), ...sealing });
      await expect(open()).rejects.toThrow(
        /lacks the privilege\. Run migrate with a role that has/,
      );
      await old.ready();
      await migrateDatabase(place.url, other(), undefined);
      eventsOf(await record(old, "thing-1", [["added", { name: "Late" }]]));
      const store = await open();
      await expectTakenOver(place.url);
      expect(await store.find(claim("late"))).toBe("thing-1");
      eventsOf(await record(store, "thing-1", [["renamed", { name: "Later" }]]));
      await store.close();
      await run("DROP OWNED BY iam_rolls", "DROP ROLE iam_rolls");
    },
  );

  inFull("leaves tables that somebody reads for discardMs to the next start", async () => {
    await live(await place.open());
    const reader = new pg.Client({ connectionString: place.url });
    await reader.connect();
    await reader.query("BEGIN; SELECT FROM iam_r1.objects");
    await place.open(other(), { discardMs: 1 });
    const gone = "SELECT 1 FROM pg_namespace WHERE nspname LIKE 'iam\\_r1\\_gone%'";
    expect(await run(gone)).toHaveLength(1);
    await reader.end();
    await place.open(other(), { discardMs: 10_000 });
    await expectTakenOver(place.url);
  });

  inFull("makes its tables anew where somebody has removed them", async () => {
    await live(await place.open(other()));
    await run("DROP SCHEMA iam_r2 CASCADE");
    const store = await place.open(other());
    expect(await store.find(claim("gamma"))).toBe("thing-3");
    await expectTakenOver(place.url);
  });

  inFull("makes them anew where they are of another log", async () => {
    const old = await place.open();
    await live(old);
    await migrateDatabase(place.url, other(), undefined);
    await run("INSERT INTO iam_r2.built SELECT max(position), sha256('other') FROM iam.events");
    const store = await place.open(other());
    expect(await store.find(claim("gamma"))).toBe("thing-3");
    await expectTakenOver(place.url);
  });

  inFull("is none that somebody else has made tables for", async () => {
    const old = await place.open();
    await live(old);
    await run("DROP ROLE IF EXISTS iam_else", "CREATE ROLE iam_else LOGIN");
    await run("CREATE SCHEMA iam_r2 AUTHORIZATION iam_else");
    const refused = /^The schema iam_r2 has another owner than iam\.events/;
    await expect(migrateDatabase(place.url, other(), undefined)).rejects.toThrow(refused);
    await expect(place.open(other())).rejects.toThrow(refused);
    await run("ALTER SCHEMA iam_r2 RENAME TO iam_r0", "CREATE SCHEMA iam_r1_gone1");
    await run("ALTER SCHEMA iam_r1_gone1 OWNER TO iam_else");
    await place.open(other());
    const left = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'iam\\_r%' ORDER BY 1";
    expect(await run(left)).toEqual(
      ["iam_r0", "iam_r1_gone1", "iam_r2"].map((nspname) => ({ nspname })),
    );
    await run("DROP OWNED BY iam_else", "DROP ROLE iam_else");
    await expectTakenOver(place.url);
  });

  inFull("is made by the owner of the log, and brought in by who serves", async () => {
    await live(await place.open());
    await run("DROP ROLE IF EXISTS iam_reads", "CREATE ROLE iam_reads LOGIN");
    const [{ name }] = (await run("SELECT current_database() AS name")) as [{ name: string }];
    await run(
      `GRANT CREATE ON DATABASE ${name} TO iam_reads`,
      "GRANT USAGE ON SCHEMA iam, iam_r1 TO iam_reads",
      "GRANT SELECT ON ALL TABLES IN SCHEMA iam, iam_r1 TO iam_reads",
    );
    const url = place.url.replace("iam@", "iam_reads@");
    await expect(migrateDatabase(url, other(), undefined)).rejects.toThrow("lacks the privilege");
    for (const call of ["take_over()", "discard(1)", "analyze()", "erase('thing-3')"]) {
      await expect(runOn(url, [`SELECT iam_r1.${call}`])).rejects.toThrow("permission denied");
    }
    await run("DROP OWNED BY iam_reads", "DROP ROLE iam_reads");
  });

  inFull.each([
    ["", { switchTries: 600 }, 1],
    [", and gives up after switchTries", { switchTries: 2 }, 0],
  ])("lets others write while somebody holds what it needs%s", async (_, limits, revisions) => {
    const old = await place.open();
    await live(old);
    await migrateDatabase(place.url, other(), undefined);
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE iam.turns IN ROW SHARE MODE");
    await holder.query("LOCK TABLE iam.messages IN ROW EXCLUSIVE MODE");
    const upgraded = upgrade(place.url, { switchLockMs: 50, ...limits }).then(
      () => 1,
      () => 0,
    );
    for (let round = 0; round < 10; round += 1) {
      eventsOf(await record(old, `thing-${round + 20}`, [["added", { name: `New ${round}` }]]));
    }
    if (revisions === 0) expect(await upgraded).toBe(0);
    await holder.end();
    expect(await upgraded).toBe(revisions);
    expect((await run("SELECT FROM iam.projection WHERE revision = 2")).length).toBe(revisions);
  });

  inFull.each([
    ["takes over for less than switchIdleMs", "iam.projection", 1, { switchIdleMs: 60_000 }, 2],
    ["takes over for longer, and is given up", "iam.projection", 1, { switchIdleMs: 100 }, 1],
    [
      "makes tables beside others, and is given up",
      "iam_r2.built",
      1,
      { transactionIdleMs: 100 },
      1,
    ],
    [
      "makes them anew for all, and is given up",
      "iam.projection",
      -1,
      { transactionIdleMs: 100 },
      -1,
    ],
  ])("may stand still while it %s", async (_, table, before, limits, after) => {
    const old = await place.open();
    await live(old);
    await migrateDatabase(place.url, other(), undefined);
    await run(`UPDATE iam.projection SET revision = ${before}`);
    const gate = await gateAt(place.url, table, 1);
    const upgraded = upgrade(place.url, { switchLockMs: 0, ...limits });
    await gate.reached();
    const opened = gate.open(upgraded);
    // Nothing of this process goes on meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    await opened;
    expect(await run("SELECT revision::int FROM iam.projection")).toEqual([{ revision: after }]);
    if (after === 2) return;
    await expect(upgraded).rejects.toThrow();
    await run("UPDATE iam.projection SET revision = 1");
    eventsOf(await record(old, "thing-1", [["added", { name: "Late" }]]));
  });

  inFull("is no damage to those of before, which go on to look", async () => {
    await live(await place.open());
    await place.open(other());
    const lines: string[] = [];
    const hear = { report: (line: string) => void lines.push(line), count: () => {} };
    const { checked } = startCheck({ url: place.url, projector: things() }, identity, hear, 1);
    await expect(checked).rejects.toThrow("A newer version of the program has taken over");
    expect(lines).toEqual([]);
  });

  inFull("leaves nothing of the erased where it does not serve", async () => {
    await live(await place.open());
    await migrateDatabase(place.url, other(), undefined);
    const gate = await gateAt(place.url, "iam.projection", 1);
    const upgraded = upgrade(place.url, { switchLockMs: 0 });
    const pid = await gate.reached();
    await run(`SELECT pg_terminate_backend(${pid})`);
    await expect(upgraded).rejects.toThrow(StoreUnavailable);
    await gate.open(upgraded);
    expect(await run("SELECT FROM iam_r2.objects")).not.toEqual([]);
    await run("CREATE SCHEMA iam_r0_gone7", "CREATE TABLE iam_r0_gone7.objects (state text)");
    await vacuumPostgres(place.url);
    expect(await run("SELECT FROM iam_r2.objects")).toEqual([]);
    expect(await run("SELECT FROM pg_namespace WHERE nspname = 'iam_r0_gone7'")).toEqual([]);
    await place.open(other());
    await expectTakenOver(place.url);
  });
});
