import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createCheck, createSeal } from "../../src/store/chain/chain.ts";
import { prepareEnd } from "../../src/store/sqlite/end.ts";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { append, change, eventsOf, things } from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { createLines } from "./lines.ts";
import { relink } from "./sqlite-forge.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

const changed = { name: "StoreUnavailable", why: "history-changed" };
const one = (stream: string) => append([change(stream, 0)]);

describe("what others appended is checked before it is written on:", () => {
  /** An event that somebody without the key puts behind the end, with links that fit. */
  const forged = (more: { readonly mac?: string; readonly position?: string } = {}) =>
    `INSERT INTO events SELECT ${more.position ?? "3"}, 'thing-9', 1, type, owner, actor, time,
       payload, salt, ${more.mac ?? "randomblob(32)"}, link FROM events WHERE position = 2`;
  test.each([
    ["a MAC of no key", forged(), "not what was appended"],
    ["the MAC of another event", forged({ mac: "mac" }), "not what was appended"],
    ["no MAC at all", forged({ mac: "x''" }), "not what was appended"],
    ["a position that leaves a gap", forged({ position: "4" }), "no event at position 3"],
  ])("not an end of others with %s, of which operators are told", async (_what, sql, why) => {
    const lines = createLines();
    const found: string[] = [];
    const store = await openSqlite({
      ...{ path: place.path, projector: things(), ...sealing, log: lines.log },
      found: (damage) => void found.push(damage),
    });
    eventsOf(await store.append(one("thing-1")));
    eventsOf(await store.append(one("thing-2")));
    const db = place.connect();
    db.exec(sql);
    relink(db);
    const refused = { ...changed, message: expect.stringContaining(why) };
    await expect(store.append(one("thing-3"))).rejects.toMatchObject(refused);
    await expect(store.ready()).rejects.toMatchObject(refused);
    expect(db.prepare("SELECT count(*) FROM events").pluck().get()).toBe(3);
    expect(lines.at("fatal")).toHaveLength(1);
    const isForged = why === "not what was appended";
    expect(new Set(found).size).toBe(isForged ? 1 : 0);
    await store.close();
  });

  test("an end that has the key, and one behind it that has not", async () => {
    const [behind, other] = [await place.open(things(), { followedEvents: 2 }), await place.open()];
    eventsOf(await behind.append(one("thing-0")));
    for (const more of [2, 3, 5]) {
      for (let n = 0; n < more; n += 1) eventsOf(await other.append(one(`thing-${more}-${n}`)));
      eventsOf(await behind.append(one(`thing-${more}`)));
    }
    for (let n = 0; n < 5; n += 1) eventsOf(await other.append(one(`late-${n}`)));
    await behind.ready();
    for (let n = 5; n < 9; n += 1) eventsOf(await other.append(one(`late-${n}`)));
    const db = place.connect();
    db.exec("UPDATE events SET actor = 'x' WHERE stream = 'late-7'");
    relink(db);
    await expect(behind.append(one("thing-9"))).rejects.toMatchObject(changed);
    expect(await behind.head()).toMatchObject({ position: 23n });
  });

  test("`followedEvents` at once, and one more the next time", async () => {
    const store = await place.open();
    eventsOf(await store.append(one("thing-0")));
    const sealedBy = { seal: createSeal(identity, randomBytes), check: createCheck(identity) };
    const end = prepareEnd(place.connect(), sealedBy, { ...sqliteLimits, followedEvents: 3 });
    const add = async (name: string, count: number) => {
      for (let n = 0; n < count; n += 1) eventsOf(await store.append(one(`${name}-${n}`)));
    };
    expect(end.follow()).toBe(true);
    await add("some", 3);
    expect(end.follow()).toBe(true);
    await add("more", 4);
    expect([end.follow(), end.follow(), end.take()]).toEqual([false, true, true]);
    await add("last", 4);
    expect([end.take(), end.take()]).toEqual([false, true]);
  });
});
