import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { rebuildSqlite } from "../../src/store/sqlite/rebuild-file.ts";
import { verifySqlite } from "../../src/store/sqlite/verify/verify.ts";
import { inFull } from "../harness/in-full.ts";
import { things } from "./fixture.ts";
import { sealing } from "./keys.ts";
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

inFull("a large log is told of while it is verified and rebuilt", async () => {
  const path = await place.copy();
  const told: string[] = [];
  const { events } = counts;
  const inSteps = (progressSteps: number) => ({
    ...{ path, projector: things(), limits: { progressSteps }, ...sealing },
    progress: (line: string) => void told.push(line),
  });
  const verify = (steps: number) => verifySqlite(inSteps(steps), () => {});
  await verify(events + 1);
  expect(told).toEqual([]);
  const checking = `checking ${events} events`;
  const comparing = `comparing what follows from ${events} events`;
  await verify(events);
  expect(told.splice(0)).toEqual([checking, comparing]);
  await verify(events / 2);
  await rebuildSqlite(inSteps(events / 2));
  const folding = `folding ${events} events`;
  const half = `: ${events / 2}`;
  expect(told).toEqual([
    ...[checking, checking + half, comparing, comparing + half],
    ...[checking, checking + half, folding, folding + half],
  ]);
});

interface Row {
  readonly sql: string;
  readonly lines: readonly string[];
}

/** Damages the log, of which verify says the lines each time; a rebuild refuses it. */
async function expectDamage({ sql, lines }: Row): Promise<void> {
  const path = await place.copy();
  damage(path, sql);
  const found = await verified(path);
  expect(found.lines).toEqual(lines);
  await expect(rebuilt(path)).rejects.toThrow(
    `${lines.find(isOfLog)}. Run verify for more, and restore a backup of ${path}.`,
  );
  expect(await verified(path)).toEqual(found);
}

/** What is found by a look at the log alone. */
const isOfLog = (line: string) => /^log: |^event .+ appended/.test(line);

const row = (sql: string, ...lines: readonly string[]): Row => ({ sql, lines });

const changed = (position: number, version: number, stream: string, what = "MAC and its link") =>
  `event at position ${position}, version ${version} of ${stream}: ` +
  `it is not what was appended (its ${what})`;

const brokenName = [
  String.raw`event at position 18, version 4 of "a b\n\u001b\u{202e}\"": it is not what was ` +
    "appended (its MAC and its link)",
  String.raw`stream "a b\n\u001b\u{202e}\"": versions 1 to 3 are missing`,
];

describe("a missing event is named, the", () => {
  const rest = {
    first: row(
      "DELETE FROM events WHERE position = 1",
      "log: position 1 is missing",
      "stream thing-3: version 1 is missing",
    ),
    middle: row(
      "DELETE FROM events WHERE position = 8",
      "log: position 8 is missing",
      "stream thing-2: version 2 is missing",
    ),
    last: row(
      "DELETE FROM events WHERE position = 18",
      "log: position 18 is missing at its end",
      "stream thing-6: version 4 is missing, its object is from position 18",
    ),
    "last of its stream": row(
      "DELETE FROM events WHERE position IN (12, 13)",
      "log: positions 12 to 13 are missing",
      "stream thing-3: versions 4 to 5 are missing, its object is from position 13",
      "message code of the event at position 12: no event explains it",
    ),
    "only one of its stream": row(
      "DELETE FROM events WHERE position BETWEEN 7 AND 10",
      "log: positions 7 to 10 are missing",
      "object thing-2: no event explains it",
    ),
    "last ones": row(
      "DELETE FROM events WHERE position >= 14",
      "log: positions 14 to 18 are missing at its end",
      "object thing-6: no event explains it",
      "stream thing-4: version 2 is missing, its object is from position 14",
      "message code of the event at position 14: no event explains it",
    ),
    "whole log": row(
      "DELETE FROM events; DELETE FROM objects WHERE stream < 'thing-3'; DELETE FROM messages",
      "log: positions 1 to 18 are missing at its end",
      "object thing-3: no event explains it",
      "object thing-4: no event explains it",
      "object thing-6: no event explains it",
      "claim name (scope org-1, value gamma): no event explains that thing-3 holds it",
      "claim name (scope org-2, value beta): no event explains that thing-4 holds it",
      "field name of thing-3: no event explains it",
      "field name of thing-4: no event explains it",
    ),
  };
  test.each(Object.entries(rest))("%s", (_name, row) => expectDamage(row));
});

describe("a changed event is named:", () => {
  const rest = {
    payload: row(
      `UPDATE events SET payload = '{"name":"X"}' WHERE position = 4`,
      changed(4, 2, "thing-3"),
    ),
    type: row(
      "UPDATE events SET type = 'thing.asked' WHERE position = 4",
      changed(4, 2, "thing-3"),
    ),
    actor: row("UPDATE events SET actor = 'user-2' WHERE position = 4", changed(4, 2, "thing-3")),
    time: row("UPDATE events SET time = time + 1 WHERE position = 4", changed(4, 2, "thing-3")),
    salt: row("UPDATE events SET salt = zeroblob(16) WHERE position = 4", changed(4, 2, "thing-3")),
    MAC: row("UPDATE events SET mac = zeroblob(32) WHERE position = 4", changed(4, 2, "thing-3")),
    link: row(
      "UPDATE events SET link = zeroblob(32) WHERE position = 4",
      changed(4, 2, "thing-3", "link"),
      changed(5, 1, "thing-4", "link"),
    ),
    "the last link": row(
      "UPDATE events SET link = zeroblob(32) WHERE position = 18",
      changed(18, 4, "thing-6", "link"),
      "log: its head, of position 18, is not its end",
    ),
    head: row(
      "UPDATE head SET link = zeroblob(32)",
      "log: its head, of position 18, is not its end",
    ),
    "two heads": row("INSERT INTO head SELECT * FROM head", "log: it has 2 heads, and not one"),
    owner: row(
      "UPDATE events SET owner = 'org-9' WHERE position = 4",
      changed(4, 2, "thing-3"),
      "event at position 4, version 2 of thing-3: it belongs to org-9, its stream to org-1",
    ),
    stream: row(
      "UPDATE events SET stream = 'thing-7' WHERE position = 5",
      changed(5, 1, "thing-7"),
      "stream thing-4: version 1 is missing",
    ),
    version: row(
      "UPDATE events SET version = 9 WHERE position = 13",
      changed(13, 9, "thing-3"),
      "stream thing-3: versions 5 to 8 are missing",
    ),
    "swapped versions": row(
      `UPDATE events SET version = -2 WHERE position = 4;
       UPDATE events SET version = 2 WHERE position = 11;
       UPDATE events SET version = 3 WHERE position = 4`,
      changed(4, 3, "thing-3"),
      changed(11, 2, "thing-3"),
      "event at position 4, version 3 of thing-3: version 2 comes later, at 11",
    ),
    "a duplicate": row(
      `INSERT INTO events SELECT 19, stream, 6, type, owner, actor, time, payload, salt, mac, link
       FROM events WHERE position = 13`,
      changed(19, 6, "thing-3"),
      "log: its head, of position 18, is not its end",
    ),
    "a name that would break the line": row(
      "UPDATE events SET stream = 'a b' || char(10, 27, 8238) || '\"' WHERE position = 18",
      ...brokenName,
      "stream thing-6: version 4 is missing, its object is from position 18",
    ),
  };
  test.each(Object.entries(rest))("%s", (_name, row) => expectDamage(row));
});

test("a log without a head cannot be checked, and gets no other", async () => {
  const path = await place.copy();
  damage(path, "DELETE FROM head");
  const found = await verified(path);
  expect(found.lines).toEqual(["log: its head, which names it, is missing: restore the backup"]);
  expect(found.unchecked).toMatch(/^Nothing else was checked/);
  await expect(rebuilt(path)).rejects.toThrow("its head is not that of its last event");
  expect(await verified(path)).toEqual(found);
});
