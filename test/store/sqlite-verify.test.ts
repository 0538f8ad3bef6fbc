import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { projector } from "../../src/start/projector.ts";
import { type DamagePlace, damage, damagePlace, rebuilt, verified } from "./sqlite-damage.ts";

let place: DamagePlace;
beforeAll(async () => {
  place = await damagePlace();
});
afterAll(() => place.remove());

/** What `live` leaves. */
const counts = { events: 18, streams: 5, objects: 5, claims: 2, fields: 2, messages: 2 };

test("what nobody damaged is whole, before a rebuild and after it", async () => {
  const path = await place.copy();
  expect(await verified(path)).toEqual({ ...counts, unchecked: undefined, lines: [] });
  expect(await rebuilt(path)).toEqual(counts);
  expect(await verified(path)).toEqual({ ...counts, unchecked: undefined, lines: [] });
});

interface Row {
  readonly sql: string;
  readonly lines: readonly string[];
  /** What a rebuild leaves; of damage to what follows from the log, nothing. */
  readonly after?: readonly string[];
}

async function expectDamage({ sql, lines, after = [] }: Row): Promise<void> {
  const path = await place.copy();
  damage(path, sql);
  expect((await verified(path)).lines).toEqual(lines);
  expect((await verified(path)).lines).toEqual(lines);
  await rebuilt(path);
  expect(await verified(path)).toMatchObject({ lines: after, unchecked: undefined });
}

/** Damage that is there after a rebuild as it was before. */
function lasting(sql: string, ...lines: readonly string[]): Row {
  return { sql, lines, after: lines };
}

/** Damage of the only row of `live` that the condition speaks of. */
function mended(sql: string, ...lines: readonly string[]): Row {
  return { sql, lines };
}

const changed = (position: number, version: number, stream: string) =>
  `event at position ${position}, version ${version} of ${stream}: ` +
  "it is not what was appended (its checksum)";

const brokenName = [
  String.raw`event at position 18, version 4 of "a b\n\u001b\u{202e}\"": it is not what was ` +
    "appended (its checksum)",
  String.raw`stream "a b\n\u001b\u{202e}\"": versions 1 to 3 are missing`,
];

const reseal = "checksum = sealed(stream, version, type, owner, actor, time, payload)";

describe("a missing event is named, the", () => {
  const rest = {
    first: lasting(
      "DELETE FROM events WHERE position = 1",
      "log: position 1 is missing",
      "stream thing-3: version 1 is missing",
    ),
    middle: lasting(
      "DELETE FROM events WHERE position = 8",
      "log: position 8 is missing",
      "stream thing-2: version 2 is missing",
    ),
    // Nothing but the rows that follow from it knows of the end, so a rebuild forgets it.
    last: mended(
      "DELETE FROM events WHERE position = 18",
      "stream thing-6: version 4 is missing, its object is from position 18",
    ),
    "last of its stream": {
      sql: "DELETE FROM events WHERE position IN (12, 13)",
      lines: [
        "log: positions 12 to 13 are missing",
        "message code of the event at position 12: no event explains it",
        "stream thing-3: versions 4 to 5 are missing, its object is from position 13",
      ],
      after: ["log: positions 12 to 13 are missing"],
    },
    "only one of its stream": {
      sql: "DELETE FROM events WHERE position BETWEEN 7 AND 10",
      lines: ["log: positions 7 to 10 are missing", "object thing-2: no event explains it"],
      after: ["log: positions 7 to 10 are missing"],
    },
    "last ones": mended(
      "DELETE FROM events WHERE position >= 14",
      "message code of the event at position 14: no event explains it",
      "stream thing-4: version 2 is missing, its object is from position 14",
      "object thing-6: no event explains it",
    ),
    "whole log": mended(
      "DELETE FROM events; DELETE FROM objects WHERE stream < 'thing-3'; DELETE FROM messages",
      "object thing-3: no event explains it",
      "claim name (scope org-1, value gamma): no event explains that thing-3 holds it",
      "field name of the thing from position 1: no event explains it",
      "object thing-4: no event explains it",
      "claim name (scope org-2, value beta): no event explains that thing-4 holds it",
      "field name of the thing from position 5: no event explains it",
      "object thing-6: no event explains it",
    ),
  };
  test.each(Object.entries(rest))("%s", (_name, row) => expectDamage(row));
});

describe("a changed event is named:", () => {
  const rest = {
    payload: lasting(
      `UPDATE events SET payload = '{"name":"X"}' WHERE position = 4`,
      changed(4, 2, "thing-3"),
    ),
    type: lasting(
      "UPDATE events SET type = 'thing.asked' WHERE position = 4",
      changed(4, 2, "thing-3"),
    ),
    actor: lasting(
      "UPDATE events SET actor = 'user-2' WHERE position = 4",
      changed(4, 2, "thing-3"),
    ),
    time: lasting("UPDATE events SET time = time + 1 WHERE position = 4", changed(4, 2, "thing-3")),
    checksum: lasting(
      "UPDATE events SET checksum = 1 WHERE position = 4",
      changed(4, 2, "thing-3"),
    ),
    "no checksum": lasting(
      "UPDATE events SET checksum = NULL WHERE position = 4",
      changed(4, 2, "thing-3"),
    ),
    owner: lasting(
      "UPDATE events SET owner = 'org-9' WHERE position = 4",
      changed(4, 2, "thing-3"),
      "event at position 4, version 2 of thing-3: it belongs to org-9, its stream to org-1",
    ),
    stream: lasting(
      "UPDATE events SET stream = 'thing-7' WHERE position = 5",
      changed(5, 1, "thing-7"),
      "stream thing-4: version 1 is missing",
    ),
    version: lasting(
      "UPDATE events SET version = 9 WHERE position = 13",
      changed(13, 9, "thing-3"),
      "stream thing-3: versions 5 to 8 are missing",
    ),
    "swapped versions": lasting(
      `UPDATE events SET version = -2 WHERE position = 4;
       UPDATE events SET version = 2 WHERE position = 11;
       UPDATE events SET version = 3 WHERE position = 4`,
      changed(4, 3, "thing-3"),
      changed(11, 2, "thing-3"),
      "event at position 4, version 3 of thing-3: version 2 comes later, at 11",
    ),
    "a duplicate": lasting(
      `INSERT INTO events SELECT 19, stream, 6, type, owner, actor, time, payload, checksum
       FROM events WHERE position = 13`,
      changed(19, 6, "thing-3"),
    ),
    "a name that would break the line": {
      sql: "UPDATE events SET stream = 'a b' || char(10, 27, 8238) || '\"' WHERE position = 18",
      lines: [
        ...brokenName,
        "stream thing-6: version 4 is missing, its object is from position 18",
      ],
      after: brokenName,
    },
  };
  test.each(Object.entries(rest))("%s", (_name, row) => expectDamage(row));
});

describe("a changed event whose checksum was made to fit is named:", () => {
  const rest = {
    owner: lasting(
      `UPDATE events SET owner = 'org-9' WHERE position = 4; UPDATE events SET ${reseal}`,
      "event at position 4, version 2 of thing-3: it belongs to org-9, its stream to org-1",
    ),
    "swapped versions": lasting(
      `UPDATE events SET version = -2 WHERE position = 4;
       UPDATE events SET version = 2 WHERE position = 11;
       UPDATE events SET version = 3 WHERE position = 4;
       UPDATE events SET ${reseal}`,
      "event at position 4, version 3 of thing-3: version 2 comes later, at 11",
    ),
    "a version below 1": lasting(
      `UPDATE events SET version = 0 WHERE position = 1; UPDATE events SET ${reseal}`,
      "event at position 1, version 0 of thing-3: its version should be 1 or more",
      "stream thing-3: version 1 is missing",
    ),
    "a position below 1": lasting(
      "UPDATE events SET position = 0 WHERE position = 18",
      "log: position 0 is none: the first is 1",
      "event at position 0, version 4 of thing-6: version 3 comes later, at 17",
    ),
    // Only the rows that follow from them can tell; after a rebuild, nothing.
    payload: mended(
      `UPDATE events SET payload = '{"parent":"p-2"}' WHERE position = 13;
       UPDATE events SET ${reseal}`,
      "object thing-3: not what follows from its events: parent, state",
      "field name of thing-3: not what follows from its events: parent",
      "message code of the event at position 11: it is missing, but thing-3 asked for it",
      "count of thing under p-1: no event explains it",
      "count of thing under p-2: it is missing, and should be 1",
    ),
    "a duplicate": mended(
      `INSERT INTO events SELECT 19, stream, 6, type, owner, actor, time + 1, payload, 0
         FROM events WHERE position = 13;
       UPDATE events SET ${reseal}`,
      "object thing-3: not what follows from its events: changed, position, version",
    ),
    "positions of two streams": mended(
      `UPDATE events SET position = 0 WHERE position = 5;
       UPDATE events SET position = 5 WHERE position = 7;
       UPDATE events SET position = 7 WHERE position = 0`,
      "object thing-2: not what follows from its events: first",
      "field name of thing-2: no event explains it",
      "object thing-4: not what follows from its events: first",
      "field name of thing-4: it is missing",
    ),
  };
  test.each(Object.entries(rest))("%s", (_name, row) => expectDamage(row));
});

describe("a log that cannot be folded", () => {
  const rest = [
    {
      name: "for a payload that is not JSON",
      sql: `UPDATE events SET payload = '{' WHERE position = 4; UPDATE events SET ${reseal}`,
      projector: undefined,
      line:
        "event at position 4, version 2 of thing-3: thing.renamed cannot be folded: " +
        "its payload is not JSON",
      stream: "thing-3",
    },
    {
      name: "for a stream that nobody knows",
      sql: `DELETE FROM events WHERE position > 1; UPDATE events SET ${reseal}`,
      projector,
      line:
        "event at position 1, version 1 of thing-3: thing.added cannot be folded: " +
        "this program knows no such stream or event, or one before it is missing",
      stream: "thing-3",
    },
  ];
  test.each(rest)("$name is named, and left as it is by a rebuild", async (row) => {
    const path = await place.copy();
    damage(path, row.sql);
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
