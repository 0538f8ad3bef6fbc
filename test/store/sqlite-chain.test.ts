import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { LogKeys } from "../../src/store/chain/keys.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { append, change, eventsOf, readLog, things } from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { createLines } from "./lines.ts";
import { verified } from "./sqlite-damage.ts";
import { recordPast, relink } from "./sqlite-forge.ts";
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
  event: {
    ...{ type: "thing.added", payload: '{"name":"The log"}', owner: "", actor: "a", timeMs: 7 },
  },
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
