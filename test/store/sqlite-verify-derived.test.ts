import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { shortened } from "../harness/extent.ts";
import { things } from "./fixture.ts";
import { type DamagePlace, damage, damagePlace, rebuilt, verified } from "./sqlite-damage.ts";

let place: DamagePlace;
beforeAll(async () => {
  place = await damagePlace();
});
afterAll(() => place.remove());

const object = (columns: string) => `object thing-3: not what follows from its events: ${columns}`;
const forged = (stream = "thing-3") => `object ${stream}: it is not what was written (its MAC)`;
const ofThing3 = "WHERE stream = 'thing-3'";

/** Each damage of what follows from the log, and the lines about it. */
const rows: readonly (readonly [sql: string, ...lines: readonly string[]])[] = [
  [`UPDATE objects SET version = 99 ${ofThing3}`, forged(), object("version")],
  [`UPDATE objects SET owner = 'x' ${ofThing3}`, forged(), object("owner")],
  [
    `UPDATE objects SET kind = 'x' ${ofThing3}`,
    forged(),
    object("kind"),
    "count of x under p-1: it is missing, and should be 1",
    "count of thing under p-1: no object explains it",
  ],
  [
    `UPDATE objects SET parent = 'x' ${ofThing3}`,
    forged(),
    object("parent"),
    "count of thing under x: it is missing, and should be 1",
    "count of thing under p-1: no object explains it",
  ],
  [`UPDATE objects SET fields = '{"name":"X"}' ${ofThing3}`, forged(), object("fields")],
  [`UPDATE objects SET first = 99 ${ofThing3}`, forged(), object("first")],
  [`UPDATE objects SET position = 99 ${ofThing3}`, forged(), object("position")],
  [`UPDATE objects SET created = 1 ${ofThing3}`, forged(), object("created")],
  [`UPDATE objects SET changed = 1 ${ofThing3}`, forged(), object("changed")],
  [`UPDATE objects SET state = '{"name":"X"}' ${ofThing3}`, forged(), object("state")],
  [`UPDATE objects SET state = '{' ${ofThing3}`, forged(), object("state")],
  [`UPDATE objects SET state = NULL ${ofThing3}`, forged(), object("state")],
  [
    `UPDATE objects SET version = 4, position = 12, changed = 1 ${ofThing3}`,
    forged(),
    object("changed, position, version"),
  ],
  [
    "UPDATE objects SET state = '{}' WHERE stream = 'thing-1'",
    forged("thing-1"),
    "object thing-1: not what follows from its events: state",
  ],
  [`UPDATE objects SET mac = zeroblob(32) ${ofThing3}`, forged()],
  [`UPDATE objects SET mac = NULL ${ofThing3}`, forged()],
  [
    `UPDATE objects SET mac = (SELECT mac FROM objects WHERE stream = 'thing-4') ${ofThing3}`,
    forged(),
  ],
  [`UPDATE objects SET state = '{ "parent": "p-1", "name": "Gamma" }' ${ofThing3}`, forged()],
  [
    "DELETE FROM objects WHERE stream = 'thing-3'",
    "object thing-3: it is missing",
    "count of thing under p-1: no object explains it",
  ],
  ["DELETE FROM objects WHERE stream = 'thing-1'", "object thing-1: it is missing"],
  [
    "INSERT INTO objects VALUES (999, 'ghost', 1, 'o', 'thing', '', '{}', 0, 0, 999, '{}', NULL)",
    forged("ghost"),
    "object ghost: no event explains it",
    'count of thing under "": it is 1, not 2',
  ],
  [
    `INSERT INTO objects VALUES (999, 'ghost', 1, 'o', 'thing', '', '{}', 0, 0, 999, '{}', NULL);
    INSERT INTO fields VALUES ('thing', '', 'name', 'ghost', 999, 'Ghost')`,
    forged("ghost"),
    "object ghost: no event explains it",
    "field name of ghost: no event explains it",
    'count of thing under "": it is 1, not 2',
  ],
  [
    "DELETE FROM claims WHERE scope = 'org-1'",
    "claim name (scope org-1, value gamma): it is missing, but thing-3 should hold it",
  ],
  [
    "INSERT INTO claims VALUES ('name', 'org-1', 'x', 'thing-1')",
    "claim name (scope org-1, value x): no event explains that thing-1 holds it",
  ],
  [
    "INSERT INTO claims VALUES ('name', 'org-1', 'x', 'ghost')",
    "claim name (scope org-1, value x): no event explains that ghost holds it",
  ],
  [
    "UPDATE claims SET stream = 'thing-4' WHERE scope = 'org-1'",
    "claim name (scope org-1, value gamma): it is held by thing-4, but thing-3 should hold it",
    "claim name (scope org-1, value gamma): no event explains that thing-4 holds it",
  ],
  [
    "UPDATE claims SET value = 'x' WHERE scope = 'org-1'",
    "claim name (scope org-1, value gamma): it is missing, but thing-3 should hold it",
    "claim name (scope org-1, value x): no event explains that thing-3 holds it",
  ],
  [
    "INSERT INTO claims VALUES ('name', '', 'a' || char(10) || 'b', 'ghost')",
    String.raw`claim name (scope "", value "a\nb"): no event explains that ghost holds it`,
  ],
  [
    `INSERT INTO claims VALUES ('name', 's', '${"x".repeat(201)}', 'ghost')`,
    `claim name (scope s, value "${"x".repeat(200)}"…): no event explains that ghost holds it`,
  ],
  [
    `INSERT INTO claims VALUES ('name', 's', '${"x".repeat(200)}', 'ghost')`,
    `claim name (scope s, value ${"x".repeat(200)}): no event explains that ghost holds it`,
  ],
  ["DELETE FROM fields WHERE first = 1", "field name of thing-3: it is missing"],
  [
    "UPDATE fields SET exact = 'x' WHERE first = 1",
    "field name of thing-3: not what follows from its events: exact",
  ],
  [
    "UPDATE fields SET folded = 'x' WHERE first = 1",
    "field name of thing-3: it is missing",
    "field name of thing-3: no event explains it",
  ],
  [
    "UPDATE fields SET kind = 'x', parent = 'y' WHERE first = 1",
    "field name of thing-3: it is missing",
    "field name of thing-3: no event explains it",
  ],
  [
    "UPDATE fields SET name = 'x' WHERE first = 1",
    "field name of thing-3: it is missing",
    "field x of thing-3: no event explains it",
  ],
  [
    "UPDATE fields SET first = 4 WHERE first = 1",
    "field name of thing-3: it is missing",
    "field name of thing-3: no event explains it",
  ],
  [
    "INSERT INTO fields VALUES ('thing', 'p-1', 'name', 'a', 1, 'A')",
    "field name of thing-3: no event explains it",
  ],
  [
    "INSERT INTO fields VALUES ('thing', '', 'name', 'epsilon', 2, 'Epsilon')",
    "field name of thing-1: no event explains it",
  ],
  [
    "INSERT INTO fields VALUES ('thing', '', 'name', 'ghost', 999, 'Ghost')",
    "field name of the thing from position 999: no event explains it",
  ],
  [
    "UPDATE counts SET objects = 2 WHERE parent = 'p-1'",
    "count of thing under p-1: it is 2, not 1",
  ],
  [
    "UPDATE counts SET parent = 'x' WHERE parent = 'p-1'",
    "count of thing under p-1: it is missing, and should be 1",
    "count of thing under x: no object explains it",
  ],
  [
    "DELETE FROM counts",
    'count of thing under "": it is missing, and should be 1',
    "count of thing under p-1: it is missing, and should be 1",
  ],
  ["INSERT INTO counts VALUES ('ghost', '', 0)", 'count of ghost under "": no object explains it'],
  [
    "DELETE FROM messages WHERE position = 12",
    "message code of the event at position 12: it is missing, but thing-3 asked for it",
  ],
  [
    "INSERT INTO messages VALUES (11, 'code', 0, 0, 0, 'thing.asked', 'org-1')",
    "message code of the event at position 11: no event explains it",
  ],
  [
    "INSERT INTO messages VALUES (9, 'code', 0, 0, 0, 'thing.asked', 'org-1')",
    "message code of the event at position 9: no event explains it",
  ],
  [
    "INSERT INTO messages VALUES (999, 'code', 0, 0, 0, 'thing.asked', 'org-1')",
    "message code of the event at position 999: no event explains it",
  ],
  [
    "UPDATE messages SET field = 'x' WHERE position = 12",
    "message code of the event at position 12: it is missing, but thing-3 asked for it",
    "message x of the event at position 12: no event explains it",
  ],
  [
    "UPDATE messages SET type = 'x', owner = 'y' WHERE position = 12",
    "message code of the event at position 12: not what follows from its events: owner, type",
    "turn of y for x: it is missing",
  ],
  ["DELETE FROM turns WHERE owner = 'org-1'", "turn of org-1 for thing.asked: it is missing"],
  [
    "DELETE FROM projection",
    "projection: its rows are of revision none, this program makes 1: rebuild, then verify again",
  ],
];

test.each(rows)("%s is named, and mended by a rebuild", async (sql, ...lines) => {
  const path = await place.copy();
  const whole = await verified(path);
  damage(path, sql);
  expect((await verified(path)).lines).toEqual(lines);
  // One row at a time.
  expect((await verified(path, things(), { pieceMs: 0 })).lines).toEqual(lines);
  await rebuilt(path);
  expect(await verified(path)).toEqual(whole);
});

test.each([
  ["UPDATE messages SET due = 9000000000000, attempts = 7"],
  ["INSERT INTO turns VALUES (999, 'thing.asked', 'nobody', 0)"],
  ["CREATE TABLE notes (text TEXT); ANALYZE"],
])("%s is no damage", async (sql) => {
  const path = await place.copy();
  damage(path, sql);
  expect((await verified(path)).lines).toEqual([]);
});

describe("in two threads, as a large log is,", () => {
  const inThreads = { threadEvents: 0 };
  const inOrder = (lines: readonly string[]) => [...lines].sort();

  test("what nobody damaged is whole", async () => {
    const path = await place.copy();
    expect(await verified(path, things(), inThreads)).toEqual(await verified(path));
  });

  test.each(shortened(rows, 3))("%s is named", async (sql, ...lines) => {
    const path = await place.copy();
    damage(path, sql);
    const found = await verified(path, things(), inThreads);
    expect(inOrder(found.lines)).toEqual(inOrder(lines));
  });

  test("nothing is said of what should follow from damaged events", async () => {
    const path = await place.copy();
    damage(
      path,
      `UPDATE events SET payload = '{"name":"X"}' WHERE position = 4;
       UPDATE objects SET state = NULL ${ofThing3}`,
    );
    const { lines } = await verified(path, things(), inThreads);
    expect(lines).toEqual((await verified(path)).lines);
    expect(lines).toHaveLength(2);
  });

  test("a rebuild refuses a forged log, and changes nothing", async () => {
    const path = await place.copy();
    damage(path, "UPDATE events SET actor = 'x' WHERE position = 4; DELETE FROM counts");
    const before = await verified(path);
    await expect(rebuilt(path, things(), inThreads)).rejects.toThrow("position 4");
    expect(await verified(path)).toEqual(before);
  });

  test("a rebuild makes everything anew", async () => {
    const path = await place.copy();
    const whole = await verified(path);
    damage(path, "DELETE FROM objects; DELETE FROM claims");
    await rebuilt(path, things(), inThreads);
    expect(await verified(path)).toEqual(whole);
  });
});

describe("what follows from several damages", () => {
  test("is compared stream by stream, and damage of one hides none of another", async () => {
    const path = await place.copy();
    damage(
      path,
      `
      UPDATE events SET payload = '{}' WHERE position = 1;
      UPDATE objects SET state = 'of a damaged stream' ${ofThing3};
      DELETE FROM objects WHERE stream = 'thing-1';
      INSERT INTO claims VALUES ('name', 'org-2', 'x', 'thing-4');
      INSERT INTO messages VALUES (18, 'code', 0, 0, 0, 'thing.asked', 'org-1');
    `,
    );
    expect((await verified(path)).lines).toEqual([
      "event at position 1, version 1 of thing-3: it is not what was appended " +
        "(its MAC and its link)",
      forged(),
      "object thing-1: it is missing",
      "claim name (scope org-2, value x): no event explains that thing-4 holds it",
      "message code of the event at position 18: no event explains it",
    ]);
  });
});
