import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { checksumOf } from "../../src/store/sqlite/checksum.ts";
import {
  append,
  change,
  claim,
  eventsOf,
  keysOf,
  lease,
  live,
  readLog,
  record,
  streamsOf,
  things,
  timeMs,
} from "./fixture.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

describe("a file of schema 2", () => {
  it("gets its fields and checksums when it is opened", async () => {
    const store = await place.open();
    await live(store);
    const log = await readLog(store);
    const tables = () => place.connect().prepare("SELECT sql FROM sqlite_schema").pluck().all();
    const newest = tables();
    await store.close();
    takeBack();
    expect(tables()).not.toEqual(newest);

    const migrated = await place.open();
    expect(tables().toSorted()).toEqual(newest.toSorted());
    expect(await readLog(migrated)).toEqual(log);
    expect(await streamsOf(migrated, { sortBy: "name" })).toEqual(["thing-4", "thing-3"]);
    expect(await migrated.find(claim("gamma"))).toBe("thing-3");
    expect(keysOf(await lease(migrated, timeMs + 100))).toEqual(["14 code", "12 code"]);
    eventsOf(await record(migrated, "thing-3", [["renamed", { name: "Alpha" }]]));
    expect(await streamsOf(migrated, { sortBy: "name" })).toEqual(["thing-3", "thing-4"]);
  });

  it("gets a checksum for every event, however many there are", async () => {
    const store = await place.open();
    for (let version = 0; version < 2_500; version += 500) {
      const events = Array.from({ length: 500 }, (_, i) => ({
        type: "thing.renamed",
        payload: JSON.stringify({ name: `ä ${version + i}` }),
      }));
      eventsOf(await store.append(append([change("thing-1", version, { events })])));
    }
    await store.close();
    takeBack();
    const migrated = await place.open();
    const log = [...(await migrated.readAll(0n, 2_000)), ...(await migrated.readAll(2_000n, 999))];
    const kept = place.connect().prepare("SELECT checksum FROM events ORDER BY position").pluck();
    expect(log).toHaveLength(2_500);
    expect(kept.all()).toEqual(log.map(checksumOf));
  });

  it("stays as it is when its events cannot be projected", async () => {
    const store = await place.open();
    await live(store);
    await store.close();
    takeBack();
    const schema = () => {
      const db = place.connect();
      const tables = db.prepare("SELECT sql FROM sqlite_schema").pluck().all();
      return [db.pragma("user_version", { simple: true }), tables];
    };
    const before = schema();
    const failing = {
      revision: 2,
      project: () => {
        throw new Error("cannot project");
      },
    };
    await expect(place.open(failing)).rejects.toThrow("cannot be rebuilt");
    expect(schema()).toEqual(before);
    expect(await streamsOf(await place.open(things(2)))).toEqual(["thing-3", "thing-4"]);
  });
});

describe("a file of schema 3", () => {
  it("gets the numbers of its objects, which stay as its appends leave them", async () => {
    const store = await place.open();
    await live(store);
    await store.close();
    const db = place.connect();
    const counts = () => db.prepare("SELECT * FROM counts").raw().all();
    const before = counts();
    expect(before).toEqual([
      ["thing", "", 1],
      ["thing", "p-1", 1],
    ]);
    db.exec(`
      DROP TABLE counts; DROP TABLE quotas;
      DROP INDEX messages_tried; ALTER TABLE messages DROP COLUMN since;
      PRAGMA user_version = 3;
    `);
    await place.open();
    expect(counts()).toEqual(before);
  });
});

/** Makes the file what the program before this one would have left. */
function takeBack(): void {
  place.connect().exec(`
    DROP TABLE fields; DROP TABLE counts; DROP TABLE quotas;
    DROP INDEX messages_tried; ALTER TABLE messages DROP COLUMN since;
    ALTER TABLE events DROP COLUMN checksum;
    CREATE INDEX objects_kind_owner ON objects (kind, owner);
    CREATE INDEX objects_kind_owner_parent ON objects (kind, owner, parent);
    PRAGMA user_version = 2;
  `);
}
