import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { startCheck } from "../../src/store/postgres/check.ts";
import { migrateDatabase } from "../../src/store/postgres/database.ts";
import { schema } from "../../src/store/postgres/schema.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { runOn } from "../start/database-place.ts";
import {
  append,
  change,
  claim,
  eventsOf,
  expectGapless,
  listed,
  live,
  record,
  things,
} from "./fixture.ts";
import { identity } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace } from "./postgres-place.ts";
import { expectTakenOver, gateAt, other, placeBefore, upgrade } from "./rolling.ts";

let place: PostgresPlace;
beforeEach(async () => {
  place = await placeBefore();
});
afterEach(() => place.remove());

/** What an old node writes that changes every table: names move, and a thing is erased. */
async function goOn(store: Store): Promise<void> {
  eventsOf(await record(store, "thing-3", [["renamed", { name: "Eta", parent: "p-2" }]]));
  eventsOf(
    await record(store, "thing-7", [
      ["added", { name: "Gamma" }],
      ["asked", {}],
    ]),
  );
  eventsOf(await record(store, "thing-4", [["renamed", { name: "Theta" }]], { owner: "org-2" }));
  eventsOf(await record(store, "thing-0", [["added", { name: "Beta" }]], { owner: "org-2" }));
  const erased = { events: [{ type: "thing.erased", payload: '{"reason":"asked"}' }] };
  const gone = { state: undefined, row: undefined, release: [claim("gamma")] };
  eventsOf(await store.append(append([change("thing-7", 2, { ...erased, ...gone })])));
  eventsOf(await record(store, "thing-9", [["added", { name: "Gamma" }]]));
}

describeOnPostgres("a program with another projection", () => {
  it.each([
    ["in the rounds before it takes over", {}],
    ["when it takes over", { catchUpRounds: 0 }],
    ["stream by stream", { streamsAtOnce: 1, eventsAtOnce: 2 }],
    ["two streams at once", { streamsAtOnce: 2 }],
  ])("makes of the log what was written while it built, %s", async (_, limits) => {
    const old = await place.open();
    await live(old);
    await migrateDatabase(place.url, other(), undefined);
    const gate = await gateAt(place.url, "iam_r2.built", 1);
    const upgraded = upgrade(place.url, limits);
    await gate.reached();
    await goOn(old);
    await gate.open(upgraded);
    await upgraded;
    const store = await place.open(other());
    await expectTakenOver(place.url);
    expect(await store.find(claim("gamma"))).toBe("thing-9");
    expect(await store.find(claim("beta", "org-2"))).toBe("thing-0");
    const page = await listed(store, { kind: "other", parents: ["p-2"], offset: 0, limit: 9 });
    expect(page.objects.map(({ stream }) => stream)).toEqual(["thing-3"]);
    await expectGapless(store);
  });

  it.each([
    ["catchUpEvents at once", { catchUpEvents: 7 }, 3],
    ["one more than catchUpEvents", { catchUpEvents: 6 }, 4],
    ["one more in the last of catchUpRounds", { catchUpEvents: 6, catchUpRounds: 1 }, 3],
  ])("takes over behind %s", async (_, limits, writes) => {
    const old = await place.open();
    await live(old);
    await migrateDatabase(place.url, other(), undefined);
    const gate = await gateAt(place.url, "iam_r2.built", 1);
    const upgraded = upgrade(place.url, limits);
    await gate.reached();
    await goOn(old);
    expect(await gate.open(upgraded)).toBe(writes);
    await upgraded;
  });

  it.each([
    ["builds", "iam_r2.built", 1],
    ["catches up", "iam_r2.built", 2],
    ["takes over", "iam.projection", 1],
  ])(
    "loses nothing when it is cut off while it %s, and goes on at its next start",
    async (...row) => {
      const [, table, nth] = row;
      const old = await place.open();
      await live(old);
      await migrateDatabase(place.url, other(), undefined);
      const gate = await gateAt(place.url, table, nth);
      const upgraded = upgrade(place.url, { switchLockMs: 0 });
      const pid = await gate.reached();
      const written = record(old, "thing-1", [["added", { name: "Meanwhile" }]]);
      await runOn(place.url, [`SELECT pg_terminate_backend(${pid})`]);
      await expect(upgraded).rejects.toThrow(StoreUnavailable);
      eventsOf(await written);
      await gate.open(upgraded);
      expect(await old.find(claim("meanwhile"))).toBe("thing-1");
      await old.ready();
      const store = await place.open(other());
      expect(await store.find(claim("meanwhile"))).toBe("thing-1");
      await expectTakenOver(place.url);
    },
  );

  it.each([
    ["where nodes may serve", 1],
    ["where none can", -1],
  ])("has time for statements that take longer than those of calls, %s", async (_, revision) => {
    await live(await place.open());
    await migrateDatabase(place.url, other(), undefined);
    await runOn(place.url, [
      `UPDATE iam.projection SET revision = ${revision}`,
      `CREATE OR REPLACE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN PERFORM pg_sleep(1.1); RETURN NULL; END'`,
      `CREATE TRIGGER slow AFTER INSERT ON iam_r2.objects
         FOR EACH STATEMENT EXECUTE FUNCTION public.slow()`,
    ]);
    await upgrade(place.url, { statementMs: 1_000 });
    await runOn(place.url, ["DROP FUNCTION public.slow CASCADE"]);
    await place.open(other());
    await expectTakenOver(place.url);
  });

  it("with a newer schema of the log leaves old nodes that run until they check it", async () => {
    const old = await place.open();
    await live(old);
    await migrateDatabase(place.url, other(), undefined);
    await runOn(place.url, [`UPDATE iam.schema SET version = ${schema + 1}`]);
    eventsOf(await record(old, "thing-7", [["added", { name: "Eta" }]]));
    await old.ready();
    await expect(place.open()).rejects.toThrow(`knows only up to ${schema}`);
    const lines: string[] = [];
    const hear = { report: (line: string) => void lines.push(line), count: () => {} };
    await startCheck({ url: place.url, projector: things() }, identity, hear, 1).checked;
    expect(lines).toEqual([expect.stringContaining(`it is served with schema ${schema}: `)]);
    await runOn(place.url, [`UPDATE iam.schema SET version = ${schema}`]);
  });

  it("is built by one of several nodes that start at once, under reads and writes", async () => {
    const old = await place.open();
    await live(old);
    let isOver = false;
    let added = 0;
    const write = async () => {
      while (!isOver) {
        const name = `busy-${added}`;
        const result = await record(old, `thing-${name}`, [["added", { name }]]).catch(
          (error) => error,
        );
        if (result instanceof Error) return result;
        expect(await old.find(claim(name)).catch(() => `thing-${name}`)).toBe(`thing-${name}`);
        added += 1;
      }
      return undefined;
    };
    const writing = write();
    const stores = await Promise.all([other(), other(), other()].map((one) => place.open(one)));
    const refused = await writing;
    isOver = true;
    expect(refused).toBeInstanceOf(StoreUnavailable);
    for (const store of stores) {
      const page = await listed(store, { kind: "other", offset: 0, limit: 1 });
      expect(page.total).toBe(added + 2);
    }
    await expectTakenOver(place.url);
  });
});
