import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import {
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
import { removeArtifacts, removeTurns, unchain } from "./sqlite-forge.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

describe("a file of schema 2", () => {
  it("gets its fields and is chained when it is opened", async () => {
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
    unchain(db, 3);
    await place.open();
    expect(counts()).toEqual(before);
  });
});

describe("a file of schema 9", () => {
  it("gets MACs that are made in two steps when it is opened, and keeps turns", async () => {
    const store = await place.open();
    await live(store);
    const macs = () => place.connect().prepare("SELECT stream, mac FROM objects").all();
    const turns = () => place.connect().prepare("SELECT type, owner, turn FROM turns").all();
    const [log, before] = [await readLog(store), [macs(), turns()]];
    await store.close();
    removeArtifacts(place.connect());
    place.connect().exec("UPDATE objects SET mac = zeroblob(32); PRAGMA user_version = 9");
    const migrated = await place.open();
    expect([macs(), turns()]).toEqual(before);
    expect(await readLog(migrated)).toEqual(log);
    expect(await streamsOf(migrated)).toEqual(["thing-3", "thing-4"]);
  });

  it("is not brought up to date where its log is not whole", async () => {
    const store = await place.open();
    await live(store);
    await store.close();
    place.connect().exec("UPDATE events SET actor = 'x' WHERE position = 4");
    removeArtifacts(place.connect());
    place.connect().pragma("user_version = 9");
    await expect(place.open()).rejects.toThrow("it is not what was appended (its MAC");
  });
});

describe("a file of schema 7", () => {
  /** MACs as they were, and an answer under the name that it had. */
  function takeBackTo7(): void {
    const db = place.connect();
    removeTurns(db);
    db.exec(`
      UPDATE objects SET mac = zeroblob(32);
      INSERT INTO answers VALUES ('name', 'user-1', 1, ${timeMs}, x'', x'', NULL);
      PRAGMA user_version = 7;
    `);
  }

  it("gets MACs over all of each row when it is opened, and forgets its answers", async () => {
    const store = await place.open();
    await live(store);
    const macs = () => place.connect().prepare("SELECT stream, mac FROM objects").all();
    const [log, before] = [await readLog(store), macs()];
    await store.close();
    takeBackTo7();
    const migrated = await place.open();
    expect(macs()).toEqual(before);
    expect(await readLog(migrated)).toEqual(log);
    expect(await streamsOf(migrated)).toEqual(["thing-3", "thing-4"]);
    expect(place.connect().prepare("SELECT count(*) FROM answers").pluck().get()).toBe(0);
  });

  it("is not brought up to date where its log is not whole", async () => {
    const store = await place.open();
    await live(store);
    await store.close();
    takeBackTo7();
    place.connect().exec("UPDATE events SET actor = 'x' WHERE position = 4");
    await expect(place.open()).rejects.toThrow("it is not what was appended (its MAC");
  });
});

/** Makes the file what a program of long ago would have left. */
function takeBack(): void {
  unchain(place.connect(), 2);
}
