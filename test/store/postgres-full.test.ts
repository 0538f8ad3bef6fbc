import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { createLooks } from "../../src/store/postgres/looks.ts";
import { createPool } from "../../src/store/postgres/pool.ts";
import { createSeen } from "../../src/store/postgres/seen.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { runOn } from "../harness/postgres-cluster.ts";
import { append, change, eventsOf, things, timeMs } from "./fixture.ts";
import { identity } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";
import { singly } from "./singly.ts";

// What a disk that is full does is in test/start/database-disk.test.ts.

describeOnPostgres("a database that has no room", () => {
  let place: PostgresPlace;
  let store: Store;

  beforeEach(async () => {
    place = await postgresPlace();
    // One who asks is answered by a look of their own, which tries to write.
    store = await place.open(things(), { readyMs: 0, roomMs: 0 });
  });
  afterEach(async () => {
    await giveRoom();
    await runOn(place.url, "DROP FUNCTION IF EXISTS public.refuse");
    await place.remove();
  });

  /** Has the database refuse what is written to tables, as one without room does. */
  async function takeRoom(code: string, tables: readonly string[]): Promise<void> {
    await runOn(
      place.url,
      `CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '${code}'; END $$`,
    );
    for (const table of tables) {
      await runOn(
        place.url,
        `CREATE TRIGGER refused BEFORE INSERT ON iam.${table}
           FOR EACH ROW EXECUTE FUNCTION public.refuse()`,
      );
    }
  }
  async function giveRoom(): Promise<void> {
    for (const table of ["events", "batches", "artifacts"]) {
      await runOn(place.url, `DROP TRIGGER IF EXISTS refused ON iam.${table}`);
    }
  }
  const add = (stream: string) => store.append(append([change(stream, 0)]));
  const artifact = { key: "session", payload: "", expiresMs: timeMs };

  it.each([
    ["on its disk", "53100"],
    ["in its memory", "53200"],
    ["on a disk that fails", "58030"],
  ])("%s is not ready until it has some, though nobody writes", async (_, code) => {
    await store.ready();
    await takeRoom(code, ["events", "batches"]);
    await expect(add("thing-1")).rejects.toThrow(StoreUnavailable);
    for (const _ of [1, 2]) await expect(store.ready()).rejects.toThrow(StoreUnavailable);
    expect(await store.load(["thing-1"])).toMatchObject([{ version: 0 }]);
    await giveRoom();
    await store.ready();
    // What the look wrote is not there.
    expect(await runOn(place.url, "SELECT 1 FROM iam.batches")).toEqual([]);
    eventsOf(await add("thing-1"));
  });

  it("is not ready where only a login had none", async () => {
    await takeRoom("53100", ["artifacts", "batches"]);
    await expect(singly(store.artifacts).put(artifact)).rejects.toThrow(StoreUnavailable);
    await expect(store.ready()).rejects.toThrow("The disk of the database is full.");
    await giveRoom();
    await store.ready();
    await singly(store.artifacts).put(artifact);
  });

  it.each([
    ["that others hold a lock", "55P03"],
    ["what an append asks for", "23514"],
  ])("is not taken for one because of %s", async (_, code) => {
    await takeRoom(code, ["events"]);
    await expect(add("thing-1")).rejects.toThrow();
    await takeRoom("53100", ["batches"]);
    await store.ready();
  });

  it("is ready as soon as an append was written", async () => {
    await takeRoom("53100", ["events", "batches"]);
    await expect(add("thing-1")).rejects.toThrow(StoreUnavailable);
    await runOn(place.url, "DROP TRIGGER refused ON iam.batches");
    await runOn(place.url, "DROP TRIGGER refused ON iam.events");
    eventsOf(await add("thing-1"));
    await takeRoom("53100", ["batches"]);
    await store.ready();
  });

  it("is tried anew when roomMs are over, and not before", async () => {
    const pool = createPool(place.url, postgresLimits);
    let nowMs = 0;
    const looks = createLooks(pool, {
      log: identity.id,
      revision: things().revision,
      seen: createSeen({ position: 0n, link: new Uint8Array() }),
      limits: { ...postgresLimits, readyMs: 0 },
      random: (size) => new Uint8Array(size),
      fault: () => undefined,
      follow: async () => {},
      note: () => {},
      nowMs: () => nowMs,
    });
    looks.wrote(false);
    await takeRoom("53100", ["batches"]);
    await expect(looks.look()).rejects.toThrow(StoreUnavailable);
    await giveRoom();
    nowMs = postgresLimits.roomMs - 1;
    await expect(looks.look()).rejects.toThrow(StoreUnavailable);
    nowMs = postgresLimits.roomMs;
    await looks.look();
    await pool.close();
  });
});
