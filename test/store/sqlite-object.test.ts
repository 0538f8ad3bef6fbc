import { createHmac, type KeyObject } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { netstring } from "../../src/store/chain/link.ts";
import { createStateMac, ObjectForged } from "../../src/store/chain/state.ts";
import { subkeyOf } from "../../src/store/chain/subkeys.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store, StoredObject } from "../../src/store/store.ts";
import { eventsOf, live, record, things } from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { createLines } from "./lines.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

const object: StoredObject = {
  ...{ stream: "thing-1", version: 2, owner: "org-1", state: "{}" },
  ...{ createdMs: 1, changedMs: 2, position: 3n },
};

describe("the MAC of an object", () => {
  const macOf = createStateMac(identity);

  test.each([
    ["stream", "thing-2"],
    ["version", 3],
    ["owner", "org-2"],
    ["state", "[]"],
    ["state", ""],
    ["state", undefined],
    ["createdMs", 2],
    ["changedMs", 3],
    ["position", 4n],
  ])("is another where its %s is %p", (name, value) => {
    expect(macOf({ ...object, [name]: value })).not.toEqual(macOf(object));
  });

  test("is another in another log", () => {
    expect(createStateMac({ ...identity, id: "another" })(object)).not.toEqual(macOf(object));
  });

  test("is by another key than those of events", () => {
    const said = ["of-tests", "thing-1", "2", "org-1", "1", "2", "3", "{}"].map(netstring).join("");
    const byKeyOf = (key: KeyObject) => createHmac("sha256", key).update(said).digest();
    expect(macOf(object)).toEqual(byKeyOf(subkeyOf(identity.key, "iam state")));
    expect(macOf(object)).not.toEqual(byKeyOf(identity.key));
  });

  test("tells a removed object from one with an empty state", () => {
    const removed = macOf({ ...object, state: undefined });
    expect(macOf({ ...object, state: "" })).not.toEqual(removed);
  });
});

describe("a row that somebody has changed", () => {
  let place: SqlitePlace;
  let store: Store;
  let lines: [object, string][];

  beforeEach(async () => {
    place = await sqlitePlace();
    lines = [];
    const fatal = (members: object, line: string) => void lines.push([members, line]);
    const log = { ...createLines().log, fatal };
    store = await openSqlite({ path: place.path, projector: things(), ...sealing, log });
    await live(store);
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const rows = [
    `UPDATE objects SET state = '{"name":"Evil"}' WHERE stream = 'thing-3'`,
    "UPDATE objects SET owner = 'org-9' WHERE stream = 'thing-3'",
    "UPDATE objects SET version = 1 WHERE stream = 'thing-3'",
    "UPDATE objects SET mac = NULL WHERE stream = 'thing-3'",
    `UPDATE objects SET (state, mac) = (SELECT state, mac FROM objects WHERE stream = 'thing-4')
     WHERE stream = 'thing-3'`,
  ];
  test.each(rows)("is never served, alone or in a list: %s", async (sql) => {
    place.connect().exec(sql);
    const list = { kind: "thing", offset: 0, limit: 10 };
    for (const read of [() => store.load(["thing-4", "thing-3"]), () => store.list(list)]) {
      await expect(read()).rejects.toThrow(ObjectForged);
      await expect(read()).rejects.toMatchObject({ stream: "thing-3" });
    }
    expect(await store.load(["thing-4"])).toMatchObject([{ version: 2 }]);
    expect(lines).toEqual([
      [{ stream: "thing-3" }, expect.stringMatching(/^the row of thing-3 is not what was written/)],
    ]);
  });

  test("is mended by what is written next, or by a rebuild", async () => {
    place.connect().exec(rows[0]!);
    eventsOf(await record(store, "thing-3", [["renamed", { name: "Delta" }]]));
    expect(await store.load(["thing-3"])).toMatchObject([{ version: 6 }]);
    place.connect().exec(rows[3]!);
    await store.close();
    store = await place.open(things(2));
    expect(await store.load(["thing-3"])).toMatchObject([{ version: 6 }]);
  });

  test("of a removed object is not served either", async () => {
    place
      .connect()
      .exec(`UPDATE objects SET state = '{}', kind = 'thing' WHERE stream = 'thing-2'`);
    await expect(store.load(["thing-2"])).rejects.toThrow(ObjectForged);
  });
});
