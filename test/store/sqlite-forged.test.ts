import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { projector } from "../../src/log/projector.ts";
import { type DamagePlace, damage, damagePlace, rebuilt, verified } from "./sqlite-damage.ts";
import { relink } from "./sqlite-forge.ts";

let place: DamagePlace;
beforeAll(async () => {
  place = await damagePlace();
});
afterAll(() => place.remove());

const forged = (position: number, version: number, stream: string) =>
  `event at position ${position}, version ${version} of ${stream}: ` +
  "it is not what was appended (its MAC)";

/** What somebody does who changes the log and makes every hash anew that takes no key. */
const forgeries: readonly (readonly [what: string, sql: string, ...lines: readonly string[]])[] = [
  [
    "a payload",
    `UPDATE events SET payload = '{"name":"X"}' WHERE position = 4`,
    forged(4, 2, "thing-3"),
  ],
  ["an actor", "UPDATE events SET actor = 'x' WHERE position = 4", forged(4, 2, "thing-3")],
  ["a time", "UPDATE events SET time = time + 1 WHERE position = 4", forged(4, 2, "thing-3")],
  [
    "two payloads, swapped with their salts",
    `UPDATE events SET (payload, salt) = (SELECT payload, salt FROM events WHERE position = 11)
     WHERE position = 4`,
    forged(4, 2, "thing-3"),
  ],
  [
    "an event that is inserted",
    `INSERT INTO events SELECT 19, stream, 6, type, owner, actor, time, payload, salt, mac, link
     FROM events WHERE position = 13`,
    forged(19, 6, "thing-3"),
    "object thing-3: not what follows",
  ],
];

describe("without the key, nobody changes", () => {
  test.each(forgeries)("%s", async (_what, sql, first) => {
    const path = await place.copy();
    damage(path, sql, relink);
    const { lines } = await verified(path);
    expect(lines[0]).toBe(first);
    await expect(rebuilt(path)).rejects.toThrow(first!);
  });
});

describe("with the key, what is changed is still named where", () => {
  const rows: readonly (readonly [what: string, sql: string, ...lines: readonly string[]])[] = [
    [
      "a stream has two owners",
      "UPDATE events SET owner = 'org-9' WHERE position = 4",
      "event at position 4, version 2 of thing-3: it belongs to org-9, its stream to org-1",
    ],
    [
      "versions are swapped",
      `UPDATE events SET version = -2 WHERE position = 4;
       UPDATE events SET version = 2 WHERE position = 11;
       UPDATE events SET version = 3 WHERE position = 4`,
      "event at position 4, version 3 of thing-3: version 2 comes later, at 11",
    ],
    [
      "a version is below 1",
      "UPDATE events SET version = 0 WHERE position = 1",
      "event at position 1, version 0 of thing-3: its version should be 1 or more",
      "stream thing-3: version 1 is missing",
    ],
    [
      "a position is below 1",
      "UPDATE events SET position = 0 WHERE position = 18",
      "log: position 0 is invalid: the first is 1",
      "event at position 0, version 4 of thing-6: version 3 comes later, at 17",
    ],
    // Only the rows that follow from them can tell; after a rebuild, nothing.
    [
      "objects know better",
      `UPDATE events SET payload = '{"parent":"p-2"}' WHERE position = 13`,
      "object thing-3: not what follows from its events: parent, state",
      "field name of thing-3: it is missing",
      "message code of the event at position 11: it is missing, but thing-3 asked for it",
      "field name of thing-3: no event explains it",
    ],
    [
      "positions of two streams are swapped",
      `UPDATE events SET position = 0 WHERE position = 5;
       UPDATE events SET position = 5 WHERE position = 7;
       UPDATE events SET position = 7 WHERE position = 0`,
      "object thing-2: not what follows from its events: first",
      "object thing-4: not what follows from its events: first",
      "claim name (scope org-2, value beta): it is held by thing-2, but thing-4 should hold it",
      "field name of thing-4: it is missing",
      "claim name (scope org-2, value beta): no event explains that thing-2 holds it",
      "field name of thing-2: no event explains it",
    ],
  ];
  test.each(rows)("%s", async (_what, sql, ...lines) => {
    const path = await place.copy();
    damage(path, sql, (db) => relink(db, { withKey: true }));
    expect((await verified(path)).lines).toEqual(lines);
  });
});

describe("a log that cannot be folded", () => {
  const rest = [
    {
      name: "for a payload that is not JSON",
      sql: "UPDATE events SET payload = '{' WHERE position = 4",
      projector: undefined,
      line:
        "event at position 4, version 2 of thing-3: thing.renamed cannot be folded: " +
        "its payload is not JSON",
      stream: "thing-3",
    },
    {
      name: "for a stream that nobody knows",
      sql: "DELETE FROM events WHERE position > 1",
      projector,
      line:
        "event at position 1, version 1 of thing-3: thing.added cannot be folded: " +
        "this program knows no such stream or event, or one before it is missing",
      stream: "thing-3",
    },
  ];
  test.each(rest)("$name is named, and left as it is by a rebuild", async (row) => {
    const path = await place.copy();
    damage(path, row.sql, (db) => relink(db, { withKey: true }));
    const revision = row.projector?.revision ?? 1;
    damage(path, `UPDATE projection SET revision = ${revision}`);
    const before = await verified(path, row.projector);
    expect(before.lines).toContain(row.line);
    await expect(rebuilt(path, row.projector)).rejects.toThrow(
      `${row.stream} of ${path} cannot be rebuilt from its events.`,
    );
    expect(await verified(path, row.projector)).toEqual(before);
  });
});
