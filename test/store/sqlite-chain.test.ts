import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type Database from "better-sqlite3";
import type { LogKeys } from "../../src/store/chain/keys.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { append, change, eventsOf, live, readLog, things } from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { createLines } from "./lines.ts";
import { rebuilt, verified } from "./sqlite-damage.ts";
import { recordPast, relink, unchain } from "./sqlite-forge.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

const changed = { name: "StoreUnavailable", why: "history-changed" };
const one = (stream: string) => append([change(stream, 0)]);

describe("what a process has written, it writes on, and nothing else:", () => {
  test("what another process appended meanwhile", async () => {
    const store = await place.open();
    eventsOf(await store.append(one("thing-1")));
    const { position: _, ...event } = eventsOf(await store.append(one("thing-2")))[0]!;
    recordPast(place.connect(), { ...event, stream: "thing-3" });
    expect(eventsOf(await store.append(one("thing-4")))).toMatchObject([{ position: 4n }]);
    const { lines } = await verified(place.path);
    expect(lines.filter((line) => line.startsWith("log: ") || line.includes("appended"))).toEqual(
      [],
    );
  });

  const rows: readonly (readonly [what: string, sql: string, why: string])[] = [
    ["an end that was cut off", "DELETE FROM events WHERE position = 2", "its last event"],
    [
      "an end that was cut off with its head",
      `DELETE FROM events WHERE position = 2;
       UPDATE head SET position = 1, link = (SELECT link FROM events)`,
      "go on from position 2",
    ],
    [
      "an event that was added",
      `INSERT INTO events SELECT 3, 'thing-9', 1, type, owner, actor, time, payload, salt, mac, link
       FROM events WHERE position = 2`,
      "its last event",
    ],
    ["no head", "DELETE FROM head", "its head is gone"],
    ["two heads", "INSERT INTO head SELECT * FROM head", "its head is gone"],
    ["another log", "UPDATE head SET log = 'another'", "it is another log"],
    ["another link", "UPDATE head SET link = zeroblob(32)", "its last event"],
  ];
  test.each(rows)("not %s", async (_what, sql, why) => {
    const store = await place.open();
    eventsOf(await store.append(one("thing-1")));
    eventsOf(await store.append(one("thing-2")));
    place.connect().exec(sql);
    const refused = await store.append(one("thing-3")).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreUnavailable);
    expect(refused).toMatchObject({ ...changed, message: expect.stringContaining(why) });
    await expect(store.ready()).rejects.toMatchObject(changed);
    expect(place.connect().prepare("SELECT 1 FROM events WHERE stream = 'thing-3'").get()).toBe(
      undefined,
    );
  });

  test.each([0, 1])("not a past that was changed, linked anew, with %i more", async (more) => {
    const store = await place.open();
    eventsOf(await store.append(one("thing-1")));
    const { position: _, ...event } = eventsOf(await store.append(one("thing-2")))[0]!;
    const db = place.connect();
    if (more > 0) recordPast(db, { ...event, stream: "thing-4" });
    db.exec("UPDATE events SET actor = 'x' WHERE position = 1");
    relink(db);
    await expect(store.append(one("thing-3"))).rejects.toMatchObject(changed);
  });

  test("and goes on where the log is again what it was, of which operators are told", async () => {
    const lines: string[] = [];
    const fatal = (_members: object, line: string) => void lines.push(line);
    const log = { ...createLines().log, fatal };
    const options = { path: place.path, projector: things(), ...sealing, log };
    const store = await openSqlite(options);
    eventsOf(await store.append(one("thing-1")));
    place.connect().exec("UPDATE head SET position = 2");
    await expect(store.append(one("thing-2"))).rejects.toMatchObject(changed);
    await expect(store.append(one("thing-2"))).rejects.toMatchObject(changed);
    expect(lines).toEqual([expect.stringMatching(/^nothing is written: .+ its last event\.$/)]);
    place.connect().exec("UPDATE head SET position = 1");
    eventsOf(await store.append(one("thing-2")));
    place.connect().exec("UPDATE head SET position = 1");
    await expect(store.append(one("thing-3"))).rejects.toMatchObject(changed);
    expect(lines).toHaveLength(2);
    await store.close();
  });

  test("nor is a log opened whose head is not its end", async () => {
    const store = await place.open();
    eventsOf(await store.append(one("thing-1")));
    await store.close();
    place.connect().exec("DELETE FROM head");
    await expect(place.open()).rejects.toMatchObject(changed);
  });

  test.each([
    [1, true],
    [2, true],
    [3, false],
  ])(
    "nor one where event %i from the end was changed, if it is looked at: %j",
    async (back, isChecked) => {
      const store = await place.open();
      for (const stream of ["thing-1", "thing-2", "thing-3", "thing-4"]) {
        eventsOf(await store.append(one(stream)));
      }
      await store.close();
      const change = "UPDATE events SET actor = 'x' WHERE position = ?";
      place
        .connect()
        .prepare(change)
        .run(5 - back);
      const opened = place.open(things(), { checkedEvents: 2 });
      if (isChecked) await expect(opened).rejects.toThrow(/ not what was appended /);
      else expect((await (await opened).head()).position).toBe(4n);
      const rebuilt = place.open(things(2), { checkedEvents: 0 });
      await expect(rebuilt).rejects.toThrow(/ not what was appended /);
    },
  );
});

/** An identity with an event of its own, of a stream that the projector knows as any other. */
const begun = {
  ...identity,
  event: () => ({
    ...{ type: "thing.added", payload: '{"name":"The log"}', owner: "", actor: "a", timeMs: 7 },
  }),
};
const keys: LogKeys = { ...sealing.keys, begin: async () => begun };
const openWithEvent = () => openSqlite({ path: place.path, projector: things(), ...sealing, keys });

describe("a log begins", () => {
  test("with the event that its keys give it, and what follows from that", async () => {
    const store = await openWithEvent();
    expect(store.log).toBe("of-tests");
    expect(await readLog(store)).toMatchObject([
      { position: 1n, stream: "log-of-tests", version: 1, type: "thing.added", timeMs: 7 },
    ]);
    expect(await store.load(["log-of-tests"])).toMatchObject([{ version: 1 }]);
    await store.close();
    expect((await verified(place.path)).lines).toEqual([]);
  });

  test("once, whatever processes open it at the same time", async () => {
    const ids = ["a", "b", "c"];
    const opened = await Promise.all(
      ids.map((id) =>
        openSqlite({
          ...{ path: place.path, projector: things(), ...sealing },
          keys: { ...sealing.keys, begin: async () => ({ ...begun, id }) },
        }),
      ),
    );
    expect(new Set(opened.map(({ log }) => log)).size).toBe(1);
    for (const [i, store] of opened.entries()) eventsOf(await store.append(one(`thing-${i}`)));
    expect(await readLog(opened[0]!)).toHaveLength(4);
    for (const store of opened) await store.close();
  });
});

describe("a file of before there were chains", () => {
  /** What `live` left, in the form of before; answers its events. */
  async function given() {
    const store = await place.open();
    await live(store);
    const log = await readLog(store);
    await store.close();
    unchain(place.connect(), 5);
    return log;
  }

  /** Opens it in small pieces, and dies when so many events have got their salts. */
  async function openUntil(salts: number, lines: object[] = []) {
    let made = 0;
    const random = (size: number) => {
      made += 1;
      if (made > salts) throw new Error("the process dies");
      return sealing.random(size);
    };
    return openSqlite({
      ...{ path: place.path, projector: things(), keys, random, limits: { chainedEvents: 1 } },
      log: { ...createLines().log, info: (members) => void lines.push(members) },
    });
  }

  test("is chained with all that it has, and an event at its end that says so", async () => {
    const log = await given();
    const lines: object[] = [];
    const store = await openUntil(19, lines);
    const last = { position: 19n, stream: "log-of-tests", version: 1, timeMs: 7 };
    expect(await readLog(store)).toEqual([...log, expect.objectContaining(last)]);
    expect(lines).toEqual([{ position: "10" }]);
    await store.close();
    expect((await verified(place.path)).lines).toEqual([]);
  });

  test.each([0, 1, 7, 18])("goes on being chained where a process died after %d", async (died) => {
    const log = await given();
    await expect(openUntil(died)).rejects.toThrow("the process dies");
    const count = (table: string) =>
      place.connect().prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect([count("events"), count("unchained")]).toEqual([died, log.length + 1 - died]);
    expect((await verified(place.path)).lines).toEqual([
      "file: it has events that are not chained yet: rebuild or the service chains them, if " +
        "they are unchanged",
    ]);
    const store = await openUntil(19 - died);
    expect((await readLog(store)).slice(0, -1)).toEqual(log);
    await store.close();
    expect((await verified(place.path)).lines).toEqual([]);
  });

  test("is chained by two processes as by one", async () => {
    const log = await given();
    const stores = await Promise.all([openUntil(100), openUntil(100)]);
    for (const store of stores) {
      expect((await readLog(store)).slice(0, -1)).toEqual(log);
      await store.close();
    }
    expect((await verified(place.path)).lines).toEqual([]);
  });

  test.each([
    ["changed", "UPDATE events SET actor = 'x' WHERE position = 4", "4 is not what was appended"],
    ["missing", "DELETE FROM events WHERE position = 4", "position 4 is missing"],
    ["without a checksum", "UPDATE events SET checksum = NULL WHERE position = 1", "position 1 is"],
  ])("stays as it is where an event is %s", async (_what, sql, refusal) => {
    await given();
    const db = place.connect();
    db.exec(sql);
    const dump = () => db.prepare("SELECT * FROM events").all();
    const before = dump();
    await expect(place.open()).rejects.toThrow(refusal);
    expect(dump()).toEqual(before);
    expect(db.pragma("user_version", { simple: true })).toBe(5);
  });
});

describe("events that somebody puts where a log is chained from", () => {
  /** The table of events that wait to be chained, with one more of this stream. */
  const plant = (db: Database.Database) =>
    db.exec(`
      CREATE TABLE unchained
        (position, stream, version, type, owner, actor, time, payload, checksum);
      INSERT INTO unchained SELECT position + 1, stream, version + 1, type, owner, actor, time,
        payload, 0 FROM events ORDER BY position DESC LIMIT 1`);

  test("are never sealed", async () => {
    const store = await openWithEvent();
    eventsOf(await store.append(one("thing-1")));
    await store.close();
    plant(place.connect());
    const verifiedAndRefused = async () => {
      expect((await verified(place.path)).lines).toEqual([
        "file: it has events that were not in it when it was chained and were added since: " +
          "rebuild and the service refuse it: restore a backup",
      ]);
      for (const opening of [openWithEvent(), rebuilt(place.path)]) {
        await expect(opening).rejects.toThrow("has events that were not in it");
      }
    };
    await verifiedAndRefused();
    place.connect().exec("DELETE FROM head");
    await verifiedAndRefused();
  });

  test("while it is being chained are found when all are", async () => {
    const store = await place.open();
    eventsOf(await store.append(one("thing-1")));
    await store.close();
    unchain(place.connect(), 5);
    const other: LogKeys = { ...keys, hasFound: () => false };
    const opening = openSqlite({ path: place.path, projector: things(), ...sealing, keys: other });
    await expect(opening).rejects.toThrow("has events that were not in it");
  });
});
