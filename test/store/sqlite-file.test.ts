import { stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import Database from "better-sqlite3";
import type { RecordedEvent } from "../../src/event.ts";
import { silent } from "../../src/store/failure-log.ts";
import { connect, createPrivately, pageBytes } from "../../src/store/sqlite/connection.ts";
import { copySqlite } from "../../src/store/sqlite/copy-file.ts";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { vacuumSqlite } from "../../src/store/sqlite/vacuum-file.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import {
  append,
  asking,
  change,
  claim,
  eventsOf,
  expectGapless,
  lease,
  listed,
  live,
  readLog,
  things,
  timeMs,
} from "./fixture.ts";
import { sealing } from "./keys.ts";
import { singly } from "./singly.ts";
import { recordPast } from "./sqlite-forge.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

describe("the SQLite file", () => {
  it("is for its owner alone, and so are the files next to it", async () => {
    const store = await place.open();
    await store.append(append([change("thing-1", 0)]));
    for (const suffix of ["", "-wal", "-shm"]) {
      expect((await stat(place.path + suffix)).mode & 0o777).toBe(0o600);
    }
  });

  it("has small pages once it is made, copied or vacuumed, and its own until then", async () => {
    const pagesOf = (path = place.path) => {
      const db = new Database(path);
      const [bytes, mode] = ["page_size", "journal_mode"].map((name) =>
        db.pragma(name, { simple: true }),
      );
      const count = db.prepare("SELECT count(*) FROM events").pluck().get();
      db.close();
      return { bytes, mode, count };
    };
    const write = async (stream: string) => {
      const store = await place.open();
      eventsOf(await store.append(append([change(stream, 0)])));
      await store.close();
    };
    await write("thing-1");
    expect(pagesOf()).toEqual({ bytes: pageBytes, mode: "wal", count: 1 });
    const db = new Database(place.path);
    db.exec("PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM");
    db.close();
    await write("thing-2");
    expect(pagesOf()).toEqual({ bytes: 4_096, mode: "wal", count: 2 });
    const copy = join(dirname(place.path), "copy.db");
    createPrivately(copy);
    await copySqlite(place.path, copy);
    expect(pagesOf(copy)).toMatchObject({ bytes: pageBytes, count: 2 });
    await vacuumSqlite(place.path);
    expect(pagesOf()).toEqual({ bytes: pageBytes, mode: "wal", count: 2 });
    await write("thing-3");
    expect(pagesOf()).toEqual({ bytes: pageBytes, mode: "wal", count: 3 });
  });

  it("can be read with any SQLite shell", async () => {
    const store = await place.open();
    const events = [{ type: "thing.added", payload: '{"name":"one"}' }];
    await store.append(append([change("thing-1", 0, { events })], { timeMs: 1_234 }));
    const db = place.connect();
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.prepare("SELECT * FROM events").all()).toEqual([
      {
        position: 1,
        stream: "thing-1",
        version: 1,
        type: "thing.added",
        owner: "org-1",
        actor: "user-1",
        time: 1_234,
        payload: '{"name":"one"}',
        ...{ salt: expect.any(Buffer), mac: expect.any(Buffer), link: expect.any(Buffer) },
      },
    ]);
  });

  it("is forced to the disk by every commit, after a write and after a reopen too", async () => {
    const synchronous = (db: Database.Database) => db.pragma("synchronous", { simple: true });
    const full = 2;
    for (const opening of ["new", "again"]) {
      const db = await connect(place.path, sqliteLimits);
      expect(synchronous(db)).toBe(full);
      db.exec(`CREATE TABLE "${opening}" (value) STRICT`.replace("value", "value TEXT"));
      expect(synchronous(db)).toBe(full);
      db.close();
    }
  });

  it("keeps positions beyond 2^53 exact", async () => {
    const store = await place.open();
    await store.append(append([change("thing-1", 0)]));
    const planted = 2n ** 53n + 2n;
    place.connect().prepare("UPDATE events SET position = ?").run(planted);
    place.connect().prepare("UPDATE head SET position = ?").run(planted);
    await store.close();
    const again = await place.open(things(), { checkedEvents: 0 });
    const changes = [change("thing-2", 0), change("thing-3", 0)];
    const events = eventsOf(await again.append(append(changes)));
    expect(events.map(({ position }) => position)).toEqual([planted + 1n, planted + 2n]);
    expect((await again.readAll(planted, 10)).map(({ position }) => position)).toEqual([
      planted + 1n,
      planted + 2n,
    ]);
    expect(await again.readStream("thing-2", 0, 1)).toMatchObject([{ position: planted + 1n }]);
    expect(await again.load(["thing-2"])).toMatchObject([{ position: planted + 1n }]);
    const { objects } = await listed(again, { kind: "thing", offset: 1, limit: 9 });
    expect(objects.map(({ position }) => position)).toEqual([planted + 1n, planted + 2n]);
  });

  it("takes positions from the log, not from what the process remembers", async () => {
    const store = await place.open();
    await store.append(append([change("thing-1", 0)]));
    recordPast(place.connect(), foreign);
    const [event] = eventsOf(await store.append(append([change("thing-2", 0)])));
    expect(event?.position).toBe(3n);
  });

  it("is refused when a newer program changed its tables, and left as it is", async () => {
    const store = await place.open();
    await store.append(append([change("thing-1", 0)]));
    await store.close();
    const db = place.connect();
    const known = Number(db.pragma("user_version", { simple: true }));
    db.pragma(`user_version = ${known + 1}`);
    const refusal = `has schema ${known + 1}, but this program knows only up to ${known}`;
    await expect(place.open(things(9))).rejects.toThrow(refusal);
    expect(db.pragma("user_version", { simple: true })).toBe(known + 1);
    db.pragma(`user_version = ${known}`);
    expect(await expectGapless(await place.open())).toBe(1);
  });

  it("is refused when it is no database", async () => {
    await writeFile(place.path, "This is a text and it is longer than a header.".repeat(50));
    await expect(place.open()).rejects.toMatchObject({ code: "SQLITE_NOTADB" });
  });

  it("is refused when its directory does not exist", async () => {
    const nowhere = await sqlitePlace();
    await nowhere.remove();
    await expect(nowhere.open()).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("rebuilding the SQLite tables", () => {
  it("arrives at the very rows that the appends left", async () => {
    const store = await place.open(things(1));
    await live(store);
    await store.close();
    const before = dump(place.connect());
    expect(before.map((rows) => rows.length)).toEqual([5, 2, 2, 2]);
    await (await place.open(things(2))).close();
    expect(dump(place.connect())).toEqual(before);
  });

  it("mends damaged rows", async () => {
    const store = await place.open(things(1));
    await live(store);
    const log = await readLog(store);
    await store.close();
    const db = place.connect();
    const before = dump(db);
    db.exec(`
      DELETE FROM objects WHERE stream = 'thing-1';
      UPDATE objects SET version = 99, state = '{}', kind = 'other', owner = 'x', created = 0
        WHERE stream = 'thing-3';
      UPDATE objects SET kind = 'thing', state = '{}' WHERE stream = 'thing-2';
      INSERT INTO objects VALUES (999, 'ghost', 1, 'o', 'thing', '', '{}', 0, 0, 999, '{}', NULL);
      UPDATE claims SET stream = 'ghost' WHERE scope = 'org-1';
      DELETE FROM claims WHERE scope = 'org-2';
      INSERT INTO claims VALUES ('name', 'org-1', 'ghost', 'thing-1');
      DELETE FROM fields WHERE first = 1;
      UPDATE fields SET parent = 'x', folded = 'x';
      INSERT INTO fields VALUES ('thing', '', 'name', 'ghost', 999);
      DELETE FROM messages WHERE position = 12;
      INSERT INTO messages VALUES (1, 'code', 0, 0, 0, 'thing.asked', 'org-1'),
        (999, 'code', 0, 0, 0, 'thing.asked', 'org-1');
    `);
    const mended = await place.open(things(2));
    expect(dump(db)).toEqual(before);
    expect(await readLog(mended)).toEqual(log);
  });

  it("is told of in steps where the log is large", async () => {
    const store = await place.open(things(1));
    await live(store);
    await store.close();
    const told: string[] = [];
    const log = { ...silent, info: (_: object, text: string) => void told.push(text) };
    const limits = { progressSteps: 9 };
    const opened = { path: place.path, projector: things(2), log, limits, ...sealing };
    await (await openSqlite(opened)).close();
    const twice = (doing: string) => [`${doing} 18 events`, `${doing} 18 events: 9`];
    expect(told).toEqual([...twice("checking"), ...twice("folding")]);
  });

  it("is undone as a whole when the projector fails, and done at the next opening", async () => {
    const store = await place.open(things(1));
    await live(store);
    await store.close();
    const db = place.connect();
    const before = dump(db);
    const failing = {
      revision: 2,
      project: () => {
        throw new Error("cannot project");
      },
    };
    await expect(place.open(failing)).rejects.toMatchObject({
      message: expect.stringContaining("thing-1"),
      cause: { message: "cannot project" },
    });
    expect(dump(db)).toEqual(before);
    await place.open(things(2));
    expect(dump(db)).toEqual(before);
  });

  it("names the stream whose claim another one holds already", async () => {
    const store = await place.open(things(1));
    await live(store);
    await store.close();
    const clashing = {
      revision: 2,
      project: (events: readonly RecordedEvent[]) => ({
        ...things().project(events),
        claims: [claim("same", "everywhere")],
      }),
    };
    await expect(place.open(clashing)).rejects.toMatchObject({
      message: expect.stringContaining("thing-2"),
      cause: { code: "SQLITE_CONSTRAINT_PRIMARYKEY" },
    });
  });
});

describe("a file that a newer projection took over", () => {
  it("takes no more appends from the older one, whose objects would not fit", async () => {
    const [older, newer] = [await place.open(things(1)), await place.open(things(2))];
    await expect(older.append(append([change("thing-1", 0)]))).rejects.toThrow(StoreUnavailable);
    eventsOf(await newer.append(append([change("thing-1", 0)])));
    expect(await expectGapless(older)).toBe(1);
  });

  it("is not ready for the older one, which writes nothing else there either", async () => {
    const older = await place.open(things(1));
    eventsOf(await older.append(append([asking("thing-1", 0)])));
    const [message] = await lease(older, timeMs);
    await place.open(things(2));
    const { put, count } = singly(older.artifacts);
    const artifact = { key: "code", payload: "{}", expiresMs: timeMs };
    const calls: readonly (() => Promise<unknown>)[] = [
      ...[older.ready, () => lease(older, timeMs), () => older.forgetAnswers(timeMs)],
      ...[() => older.postponeMessage(message!, timeMs), () => older.artifacts.forget(timeMs)],
      ...[() => put(artifact), () => count("tries", timeMs, timeMs)],
    ];
    for (const call of calls) {
      await expect(call()).rejects.toThrow("A newer version of the program has taken over the log");
    }
  });
});

/** An event that another process has appended. */
const foreign = {
  ...{ stream: "thing-9", version: 1, type: "thing.added", payload: "{}" },
  ...{ owner: "o", actor: "u", timeMs: 0 },
};

function dump(db: Database.Database): unknown[][] {
  return [
    db.prepare("SELECT * FROM objects ORDER BY stream").all(),
    db.prepare("SELECT * FROM fields ORDER BY kind, parent, name, folded, first").all(),
    db.prepare("SELECT * FROM claims ORDER BY kind, scope, value").all(),
    db.prepare("SELECT * FROM messages ORDER BY position, field").all(),
  ];
}
