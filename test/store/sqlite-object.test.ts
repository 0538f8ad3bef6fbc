import { createHash, createHmac, type KeyObject } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Forged } from "../../src/store/chain/forged.ts";
import { netstrings } from "../../src/store/chain/link.ts";
import { createStateMac, type Listed } from "../../src/store/chain/state.ts";
import { subkeyOf } from "../../src/store/chain/subkeys.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store, StoredObject } from "../../src/store/store.ts";
import { live, things } from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { createLines } from "./lines.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

const object: StoredObject = {
  ...{ stream: "thing-1", version: 2, owner: "org-1", state: "{}" },
  ...{ createdMs: 1, changedMs: 2, position: 3n },
};

const listed: Listed = { first: 1n, kind: "thing", parent: "p-1", fields: '{"name":"A"}' };

describe("the MAC of an object", () => {
  const macOf = createStateMac(identity);
  const mac = macOf(object, listed);

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
    expect(macOf({ ...object, [name]: value }, listed)).not.toEqual(mac);
  });

  test.each([
    ["first", 2n],
    ["kind", "other"],
    ["kind", null],
    ["parent", "p-2"],
    ["parent", ""],
    ["parent", null],
    ["fields", "{}"],
    ["fields", null],
  ])("is another where lists have %s %p of it", (name, value) => {
    expect(macOf(object, { ...listed, [name]: value })).not.toEqual(mac);
  });

  test("is another in another log", () => {
    expect(createStateMac({ ...identity, id: "another" })(object, listed)).not.toEqual(mac);
  });

  test("is by another key than those of events, over what docs/chain.md says", () => {
    const said = ["of-tests", "thing-1", "2", "org-1", "2"];
    const texts = netstrings([...said, "thing", "p-1", '{"name":"A"}', "{}"]);
    const place = ["0000000000000001", "0000000000000003", "0000000000000001"].join("");
    const byKeyOf = (key: KeyObject) =>
      createHash("sha256")
        .update(createHmac("sha256", key).update(texts).digest())
        .update(place, "hex")
        .digest();
    expect(mac).toEqual(byKeyOf(subkeyOf(identity.key, "iam object")));
    expect(mac).not.toEqual(byKeyOf(identity.key));
  });

  test("tells what is not there from what is empty, and from what is elsewhere", () => {
    const some = [
      [object, listed],
      [{ ...object, state: "" }, listed],
      [{ ...object, state: undefined }, listed],
      [
        { ...object, state: undefined },
        { ...listed, fields: null },
      ],
      [
        { ...object, state: "" },
        { ...listed, fields: null },
      ],
      [
        { ...object, state: undefined },
        { ...listed, fields: "" },
      ],
      [
        { ...object, state: undefined },
        { ...listed, kind: null, parent: "thing", fields: "p-1" },
      ],
    ] as const;
    const macs = some.map(([one, other]) => Buffer.from(macOf(one, other)).toString("hex"));
    expect(new Set(macs).size).toBe(some.length);
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
    "UPDATE objects SET parent = 'p-2' WHERE stream = 'thing-3'",
    `UPDATE objects SET fields = '{"name":"Evil"}' WHERE stream = 'thing-3'`,
    "UPDATE objects SET created = created - 1 WHERE stream = 'thing-3'",
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
      await expect(read()).rejects.toThrow(Forged);
      await expect(read()).rejects.toMatchObject({ where: { stream: "thing-3" } });
    }
    expect(await store.load(["thing-4"])).toMatchObject([{ version: 2 }]);
    expect(lines).toEqual([
      [{ stream: "thing-3" }, expect.stringMatching(/^the row of thing-3 is not what was written/)],
    ]);
  });

  test("is mended by a rebuild", async () => {
    place.connect().exec(rows[0]!);
    await store.close();
    store = await place.open(things(2));
    expect(await store.load(["thing-3"])).toMatchObject([{ version: 5 }]);
  });

  test("of a removed object is not served either", async () => {
    place
      .connect()
      .exec(`UPDATE objects SET state = '{}', kind = 'thing' WHERE stream = 'thing-2'`);
    await expect(store.load(["thing-2"])).rejects.toThrow(Forged);
  });
});
