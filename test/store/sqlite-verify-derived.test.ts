import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { readInPieces } from "../../src/store/sqlite/verify/pieces.ts";
import { createReader } from "../../src/store/sqlite/verify/reader.ts";
import { openUnchanged } from "../../src/store/sqlite/verify/snapshot.ts";
import { shortened } from "../harness/extent.ts";
import { derivedDamages, forged, lostField, orphaned } from "./damages.ts";
import { things } from "./fixture.ts";
import { type DamagePlace, damage, damagePlace, rebuilt, verified } from "./sqlite-damage.ts";

let place: DamagePlace;
beforeAll(async () => {
  place = await damagePlace();
});
afterAll(() => place.remove());

/** Each damage of what follows from the log, and the lines about it. */
const rows = [
  ...derivedDamages({
    zeros: (count) => `zeroblob(${count})`,
    yes: "1",
  }),
  [`UPDATE objects SET mac = NULL WHERE stream = 'thing-3'`, forged()],
  ["INSERT INTO counts VALUES ('ghost', '', 0)", 'count of ghost under "": no object explains it'],
  ["UPDATE texts SET listed = 2 WHERE tie = 1", ...lostField, orphaned('""')],
] as const;

const inOrder = (lines: readonly string[]) => [...lines].sort();

test.each(rows)("%s is named, and mended by a rebuild", async (sql, ...lines) => {
  const path = await place.copy();
  const whole = await verified(path);
  damage(path, sql);
  expect(inOrder((await verified(path)).lines)).toEqual(inOrder(lines));
  // One row at a time.
  const found = await verified(path, things(), { pieceRows: 1 });
  expect(inOrder(found.lines)).toEqual(inOrder(lines));
  await rebuilt(path);
  expect(await verified(path)).toEqual(whole);
});

test.each([
  [17, 17],
  [18, 18],
  [19, 18],
])("of at most %d rows a piece looks at %d events", async (pieceRows, events) => {
  const limits = { ...sqliteLimits, pieceRows };
  const db = openUnchanged(await place.copy(), limits);
  const reader = createReader(db, readInPieces(db, limits));
  expect(await reader.at((moment) => moment.events(0n, 99n))).toHaveLength(events);
  db.close();
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
       UPDATE objects SET state = NULL WHERE stream = 'thing-3'`,
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
      UPDATE objects SET state = 'of a damaged stream' WHERE stream = 'thing-3';
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
