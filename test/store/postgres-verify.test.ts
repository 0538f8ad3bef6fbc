import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { inDatabase } from "../../src/store/postgres/database.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { rebuildPostgres } from "../../src/store/postgres/rebuild-database.ts";
import { createReader, verifyPostgres } from "../../src/store/postgres/verify/verify.ts";
import { isFull, shortened } from "../harness/extent.ts";
import { derivedDamages, forged } from "./damages.ts";
import { eventsOf, record, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { type DamagePlace, damagePlace, rebuilt, verified } from "./postgres-damage.ts";
import { describeOnPostgres, postgresPlace } from "./postgres-place.ts";

let place: DamagePlace;

/** Sees to it that it is neither served nor rebuilt, and why; or that it is served. */
async function expectRefusal(why: string | undefined): Promise<void> {
  const opening = openPostgres({ url: place.url, projector: things(), ...sealing });
  if (why === undefined) return await (await opening).close();
  await expect(opening).rejects.toThrow(why);
  await expect(rebuilt(place.url)).rejects.toThrow(why);
}

/** What `live` leaves. */
const counts = { events: 18, streams: 5, objects: 5, claims: 2, fields: 2, messages: 2 };
const whole = { ...counts, unchecked: undefined, lines: [] };
const inOrder = (lines: readonly string[]) => [...lines].sort();
/** Two events at a time, and one row where their payloads are long. */
const inSmallPages = { eventsAtOnce: 2, bytesAtOnce: 20 };

/** Each damage of what follows from the log, and the lines about it. */
const derived = [
  ...derivedDamages({
    zeros: (count) => `'\\x${"00".repeat(count)}'`,
    yes: "TRUE",
  }),
] as const;

describeOnPostgres("in PostgreSQL,", () => {
  beforeAll(async () => {
    place = await damagePlace();
  });
  afterEach(() => place.mend());
  afterAll(() => place.remove());

  test("what nobody damaged is whole, before a rebuild and after it", async () => {
    expect(await verified(place.url)).toEqual(whole);
    expect(await verified(place.url, things(), inSmallPages)).toEqual(whole);
    expect(await rebuilt(place.url)).toEqual(counts);
    expect(await verified(place.url)).toEqual(whole);
  });

  test("a large log is told of while it is verified and rebuilt", async () => {
    const told: string[] = [];
    const { url } = place;
    const options = {
      ...{ url, projector: things(), limits: { progressSteps: 9 }, keys: sealing.keys },
      progress: (line: string) => void told.push(line),
    };
    await verifyPostgres(options, () => {});
    await rebuildPostgres(options);
    const twice = (doing: string) => [`${doing} 18 events`, `${doing} 18 events: 9`];
    const doings = ["checking", "comparing what follows from", "checking", "folding"];
    expect(told).toEqual(doings.flatMap(twice));
  });

  const rows = isFull ? derived : derived.filter((_, i) => i % 12 === 0);
  test.each(rows)("%s is named, and mended by a rebuild", async (sql, ...lines) => {
    await place.damage(sql);
    const limits = isFull ? inSmallPages : {};
    expect((await verified(place.url, things(), limits)).lines).toEqual(inOrder(lines));
    await rebuilt(place.url);
    expect(await verified(place.url)).toEqual(whole);
  });

  test.each([
    ["UPDATE messages SET due = 9000000000000, attempts = 7"],
    ["INSERT INTO turns (type, owner, turn) VALUES ('thing.asked', 'nobody', 0)"],
    ["INSERT INTO counts VALUES ('ghost', '', 0)"],
  ])("%s is no damage", async (sql) => {
    await place.damage(sql);
    expect((await verified(place.url)).lines).toEqual([]);
  });

  const changed = (position: number, version: number, stream: string, what: string) =>
    `event at position ${position}, version ${version} of ${stream}: ` +
    `it is not what was appended (its ${what})`;
  const ofEvents = [
    ["DELETE FROM events WHERE position = 8", "log: position 8 is missing"],
    [
      "UPDATE events SET actor = 'x' WHERE position = 4",
      changed(4, 2, "thing-3", "MAC and its link"),
    ],
    ["UPDATE events SET link = '\\x00' WHERE position = 18", changed(18, 4, "thing-6", "link")],
    [
      "UPDATE events SET version = 9 WHERE position = 13",
      "stream thing-3: versions 5 to 8 are missing",
    ],
    [
      "UPDATE events SET position = 0 WHERE position = 18",
      "log: position 0 is invalid: the first is 1",
    ],
    ["DELETE FROM log", "log: its head, which names it, is missing: restore the backup"],
  ] as const;
  test.each(shortened(ofEvents, 2))(
    "after %s a rebuild refuses the log, and changes nothing",
    async (sql, line) => {
      await place.damage(sql);
      const found = await verified(place.url);
      expect(found.lines).toContain(line);
      await expect(rebuilt(place.url)).rejects.toThrow(
        /Run verify for more, and restore the newest copy|no event log/,
      );
      expect(await verified(place.url)).toEqual(found);
    },
  );

  describe("a database", () => {
    const added = (what: string) =>
      `database: the ${what} spy does not belong to this service: it may change or refuse writes`;
    const dropped = (table: string) => `ALTER TABLE ${table} DROP CONSTRAINT spy`;
    test.each([
      [
        `CREATE FUNCTION public.spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
         CREATE TRIGGER spy BEFORE INSERT ON events EXECUTE FUNCTION public.spy()`,
        "DROP TRIGGER spy ON events; DROP FUNCTION public.spy",
        added("trigger"),
        "the trigger spy does not belong to this service: it may change or refuse writes. " +
          "Find out who",
      ],
      [
        "CREATE RULE spy AS ON DELETE TO texts DO INSTEAD NOTHING",
        "DROP RULE spy ON texts",
        added("rule"),
        "the rule spy does not belong to this service",
      ],
      ...(
        [
          ["CREATE UNIQUE INDEX spy ON texts (first, list)", "DROP INDEX spy"],
          ["CREATE INDEX spy ON texts ((1 / length(text)))", "DROP INDEX spy"],
          ["ALTER TABLE events ADD CONSTRAINT spy CHECK (type <> 'x')", dropped("events")],
          ["ALTER TABLE texts ADD CONSTRAINT spy UNIQUE (first, list)", dropped("texts")],
          [
            "CREATE TABLE kept.spy (at text CONSTRAINT spy REFERENCES objects)",
            "DROP TABLE kept.spy",
          ],
        ] as const
      ).map(([sql, undo]) => {
        const what = undo === "DROP INDEX spy" ? "index" : "constraint";
        return [sql, undo, added(what), `the ${what} spy does not belong to this service`] as const;
      }),
      [
        "DROP INDEX texts_first",
        "CREATE INDEX texts_first ON texts (first)",
        "database: the index texts_first is missing",
        undefined,
      ],
      [
        "ALTER TABLE answers RENAME TO other",
        "ALTER TABLE other RENAME TO answers",
        "database: the table answers is missing",
        "the table answers is missing; the constraint answers_pkey",
      ],
      [
        "UPDATE schema SET version = version + 1",
        "UPDATE schema SET version = version - 1",
        expect.stringMatching(
          /^database: it has schema \d+, this program schema \d+: use the newer/,
        ),
        "newer version of the program",
      ],
    ])("that is another is named, and not served: %s", async (sql, undo, line, refusal) => {
      await place.damage(sql);
      try {
        expect((await verified(place.url)).lines).toContainEqual(line);
        await expectRefusal(refusal);
      } finally {
        await place.damage(undo);
      }
      expect(await verified(place.url)).toEqual(whole);
    });

    test("with another function is named, and not served", async () => {
      const exchange = (one: string, other: string) =>
        place.damage(
          `DO $do$ BEGIN
             EXECUTE replace(pg_get_functiondef('iam_r1.review'::regproc), '${one}', '${other}');
           END $do$`,
        );
      await exchange("DELETE FROM", "DELETE FROM ONLY");
      const line = "database: the function review is not that of this schema";
      expect((await verified(place.url)).lines).toEqual([line]);
      await expectRefusal("the function review is not that of this schema");
      await exchange("DELETE FROM ONLY", "DELETE FROM");
      await expectRefusal(undefined);
      expect(await verified(place.url)).toEqual(whole);
    });

    test("without a log, or of another revision, says so", async () => {
      const other = await verified(place.url, things(2));
      expect(other.lines).toEqual([
        "projection: its rows are of revision 1, this program makes 2: rebuild, then verify again",
      ]);
      expect(other.unchecked).toMatch(/^Derived rows were not compared/);
      await place.damage("ALTER SCHEMA iam RENAME TO gone");
      try {
        expect((await verified(place.url)).lines).toEqual([
          "database: it has no event log of this service: restore the newest copy",
        ]);
      } finally {
        await place.damage("ALTER SCHEMA gone RENAME TO iam");
      }
      await place.damage("ALTER SCHEMA iam_r1 RENAME TO gone");
      try {
        expect((await verified(place.url)).lines).toEqual([
          "database: the schema iam_r1 is missing: start the service, or run rebuild",
        ]);
      } finally {
        await place.damage("ALTER SCHEMA gone RENAME TO iam_r1");
      }
    });
  });

  test("without the key, links are checked, and it says so", async () => {
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    await place.damage(`UPDATE objects SET mac = '\\x00' WHERE stream = 'thing-3'`);
    const found = await verifyPostgres({ url: place.url, projector: things() }, report);
    expect(found.unchecked).toMatch(/^No master key: MACs were not checked/);
    expect(lines).toEqual([]);
    expect((await verified(place.url)).lines).toEqual([forged()]);
  });

  test("a look is at one moment, whatever others append meanwhile", async () => {
    const busy = await postgresPlace();
    const store = await busy.open();
    await inDatabase(busy.url, async (pool) => {
      const { at } = createReader(pool, postgresLimits);
      const sizes = await at(async (moment) => {
        const before = await moment.size();
        await record(store, "thing-1", [["added", { name: "one" }]]);
        return [before, await moment.size()];
      });
      expect(sizes).toEqual(Array(2).fill({ events: 0n, end: 0n }));
      expect(await at((moment) => moment.size())).toEqual({ events: 1n, end: 1n });
    });
    await busy.remove();
  });

  test("nothing is found while others append", async () => {
    const busy = await postgresPlace();
    const store = await busy.open();
    let isOver = false;
    const append = async () => {
      for (let each = 0; each < (isFull ? 120 : 8); each += 1) {
        const old = `thing-${each % 10}`;
        if (each < 10) eventsOf(await record(store, old, [["added", { name: old }]]));
        await record(store, old, [["renamed", { name: `name ${each}` }]]);
        await record(store, `a-${each}`, [
          ["added", { name: `a ${each}` }],
          ["asked", {}],
        ]);
        await record(store, `z-${each}`, [["added", { name: `z ${each}` }]]);
        if (each % 7 === 0) await record(store, `a-${each}`, [["removed", {}]]);
      }
      isOver = true;
    };
    const verify = async () => {
      while (!isOver) {
        const found = await verified(busy.url, things(), inSmallPages);
        expect(found).toMatchObject({ lines: [], unchecked: undefined });
      }
    };
    await Promise.all([verify(), append()]);
    await busy.remove();
  });
});
