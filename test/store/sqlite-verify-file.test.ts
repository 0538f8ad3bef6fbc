import { createHash } from "node:crypto";
import { copyFileSync } from "node:fs";
import { mkdir, open, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import type { RecordedEvent } from "../../src/event.ts";
import { pageBytes } from "../../src/store/sqlite/connection.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { few } from "../harness/in-full.ts";
import { claim, eventsOf, record, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { type DamagePlace, damage, damagePlace, rebuilt, verified } from "./sqlite-damage.ts";
import { takeBack } from "./sqlite-forge.ts";

let place: DamagePlace;
let path: string;
beforeEach(async () => {
  place = await damagePlace();
  path = await place.copy();
});
afterEach(() => place.remove());

/** Every file that belongs to the database, with a hash of what is in it. */
async function files(of = path): Promise<readonly string[]> {
  const names = (await readdir(place.directory)).filter((name) => name.startsWith(basename(of)));
  // What is in the -shm file is shared memory: one who reads says there that it does.
  const hashOf = async (name: string) =>
    name.endsWith("-shm")
      ? ""
      : createHash("sha256")
          .update(await readFile(join(place.directory, name)))
          .digest("hex");
  return Promise.all(names.sort().map(async (name) => `${name} ${await hashOf(name)}`));
}

describe("a verification leaves the files as they are", () => {
  test("when nobody has them open", async () => {
    const before = await files();
    expect(before).toHaveLength(1);
    expect((await verified(path)).lines).toEqual([]);
    expect(await files()).toEqual(before);
  });

  test("when a store has them open, whose last append it sees", async () => {
    const store = await openSqlite({ path, projector: things(), ...sealing });
    eventsOf(await record(store, "thing-8", [["added", { name: "Eta" }]]));
    const before = await files();
    expect(before).toHaveLength(3);
    expect(await verified(path)).toMatchObject({ lines: [], events: 19 });
    expect(await files()).toEqual(before);
    await store.close();
  });

  test("when a crash left a write-ahead log, which it reads", async () => {
    const store = await openSqlite({ path, projector: things(), ...sealing });
    eventsOf(await record(store, "thing-8", [["added", { name: "Eta" }]]));
    const crashed = join(place.directory, "crashed.db");
    for (const suffix of ["", "-wal", "-shm"]) copyFileSync(path + suffix, crashed + suffix);
    await store.close();
    const before = await files(crashed);
    expect(before).toHaveLength(3);
    expect(await verified(crashed)).toMatchObject({ lines: [], events: 19 });
    expect(await files(crashed)).toEqual(before);
  });

  test("when they are damaged, of another revision or another schema", async () => {
    damage(path, "DELETE FROM texts; UPDATE projection SET revision = 0");
    const damaged = await files();
    await verified(path);
    expect(await files()).toEqual(damaged);
    damage(path, "PRAGMA user_version = 1");
    const older = await files();
    await verified(path);
    expect(await files()).toEqual(older);
  });
});

describe("what is no database is refused by both commands, and left as it is:", () => {
  test("nothing", async () => {
    const nowhere = join(place.directory, "no/such.db");
    for (const command of [verified, rebuilt]) {
      await expect(command(nowhere)).rejects.toMatchObject({ code: "ENOENT" });
      await expect(command(join(place.directory, "none.db"))).rejects.toMatchObject({
        code: "ENOENT",
      });
    }
    expect((await readdir(place.directory)).sort()).toEqual([basename(path), "whole.db"]);
  });

  test("a text", async () => {
    await writeFile(path, "This is a text and it is longer than a header.".repeat(50));
    const before = await files();
    for (const command of [verified, rebuilt]) {
      await expect(command(path)).rejects.toMatchObject({ code: "SQLITE_NOTADB" });
    }
    expect(await files()).toEqual(before);
  });

  test("a directory", async () => {
    await mkdir(join(place.directory, "directory"));
    for (const command of [verified, rebuilt]) {
      const answer = command(join(place.directory, "directory"));
      await expect(answer).rejects.toThrow(/unable to open|disk I/);
    }
  });
});

describe("rows of another projection revision are one finding:", () => {
  /** As `things`, but states, claims, fields and messages all differ from it. */
  const evolved = {
    revision: 2,
    project: (events: readonly RecordedEvent[]) => {
      const { state, row, claims, messages } = things().project(events);
      return {
        state: state?.replace("}", ',"evolved":true}'),
        row: row && { ...row, fields: { title: row.fields.name ?? "" } },
        claims: claims.map(({ value }) => claim(value, "everywhere")),
        messages: messages.slice(1),
      };
    },
  };
  const outdated =
    "projection: its rows are of revision 1, this program makes 2: rebuild, then verify again";

  test("an older one is mended by a rebuild", async () => {
    const found = await verified(path, evolved);
    expect(found.lines).toEqual([outdated]);
    expect(found.unchecked).toMatch(/^Derived rows were not compared/);
    expect(await rebuilt(path, evolved)).toMatchObject({ claims: 2, fields: 2, messages: 0 });
    expect(await verified(path, evolved)).toMatchObject({ lines: [], unchecked: undefined });
  });

  test("the log is checked nevertheless, and what objects say of it", async () => {
    damage(
      path,
      `DELETE FROM events WHERE position IN (8, 18);
       UPDATE events SET payload = '{}' WHERE position = 1;
       UPDATE objects SET owner = 'x', state = 'x' WHERE stream = 'thing-4';
       INSERT INTO claims VALUES ('name', 'org-1', 'x', 'ghost');
       INSERT INTO objects VALUES (999, 'ghost', 1, 'o', 'thing', '', '{}', 0, 0, 999, '{}', NULL)`,
    );
    expect((await verified(path, evolved)).lines).toEqual([
      outdated,
      "event at position 1, version 1 of thing-3: it is not what was appended (its MAC and " +
        "its link)",
      "log: position 8 is missing",
      "log: position 18 is missing at its end",
      "object thing-4: it is not what was written (its MAC)",
      "object ghost: it is not what was written (its MAC)",
      "object ghost: no event explains it",
      "stream thing-2: version 2 is missing",
      "object thing-4: not what follows from its events: owner",
      "stream thing-6: version 4 is missing, its object is from position 18",
    ]);
  });

  test("a newer one is left to the newer program by both commands", async () => {
    await rebuilt(path, evolved);
    const before = await files();
    expect((await verified(path)).lines).toEqual([
      "projection: its rows are of revision 2, this program makes 1: use the newer version " +
        "of the program",
    ]);
    await expect(rebuilt(path)).rejects.toThrow(
      "use the newer version of the program that wrote it.",
    );
    expect(await files()).toEqual(before);
  });
});

describe("another schema is one finding:", () => {
  const current = () => {
    const db = new Database(path);
    const version = Number(db.pragma("user_version", { simple: true }));
    db.close();
    return version;
  };

  test("an older one is brought up to date by a rebuild", async () => {
    const known = current();
    damage(path, "", takeBack);
    expect(await verified(path)).toMatchObject({
      lines: [
        `file: it has schema 11, this program schema ${known}: ` +
          "rebuild or the service brings it up to date",
      ],
      unchecked: "Nothing else was checked: its tables are not as expected.",
      events: 0,
    });
    expect(await rebuilt(path)).toMatchObject({ events: 18, fields: 2 });
    expect(await verified(path)).toMatchObject({ lines: [], unchecked: undefined });
  });

  test("a newer one is left to the newer program by both commands", async () => {
    const known = current();
    damage(path, `PRAGMA user_version = ${known + 1}`);
    const before = await files();
    expect((await verified(path)).lines).toEqual([
      `file: it has schema ${known + 1}, this program schema ${known}: use the newer ` +
        "version of the program",
    ]);
    await expect(rebuilt(path)).rejects.toThrow(
      "use the newer version of the program that wrote it.",
    );
    expect(await files()).toEqual(before);
  });

  test.each([
    [
      "DROP TABLE messages",
      "file: the table messages is missing",
      ...["messages_tried", "messages_line", "messages_untried"].map(
        (name) => `file: the index ${name} is missing`,
      ),
    ],
    ["DROP INDEX messages_line", "file: the index messages_line is missing"],
    ["ALTER TABLE lists ADD COLUMN more TEXT", "file: the table lists is not that of this schema"],
  ])("%s", async (sql, ...lines) => {
    damage(path, sql);
    expect((await verified(path)).lines).toEqual(lines);
  });
});

describe("what SQLite itself finds in the file is passed on:", () => {
  /** Fills the first page of a table or index, at which it begins, with a byte. */
  async function fill(name: string): Promise<void> {
    const db = new Database(path);
    const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name);
    db.close();
    const file = await open(path, "r+");
    await file.write(Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (Number(root) - 1) * pageBytes);
    await file.close();
  }

  const unchecked = "Streams and what follows from them were not checked: the file is damaged.";

  test("a page of what follows from the log", async () => {
    await fill("objects");
    const found = await verified(path);
    expect(found.lines).not.toEqual([]);
    for (const line of found.lines) expect(line).toMatch(/^file: /);
    expect(found).toMatchObject({ unchecked, events: 18 });
  });

  test("a page of the log", async () => {
    await fill("events");
    const { lines, ...found } = await verified(path);
    expect(lines.at(0)).toMatch(/^file: /);
    expect(lines.at(-1)).toBe("log: SQLite cannot read it to its end");
    expect(found).toMatchObject({ unchecked, events: 0 });
    await expect(rebuilt(path)).rejects.toThrow("database disk image is malformed");
  });

  /** Does what the SQL says to messages while the index on their times is not kept. */
  function unindexed(change: string): void {
    const setSql = (sql: string) => {
      const db = new Database(path);
      db.unsafeMode();
      db.pragma("writable_schema = ON");
      db.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'messages_line'").run(sql);
      db.close();
    };
    const sql = "CREATE INDEX messages_line ON messages (type, owner, due, position, field)";
    setSql(`${sql} WHERE position < 0`);
    damage(path, change);
    setSql(sql);
  }

  test("an index that has a row too many", async () => {
    unindexed("DELETE FROM messages WHERE position = 12");
    const found = await verified(path);
    expect(found.lines).toEqual(["file: wrong # of entries in index messages_line"]);
    expect(found).toMatchObject({ unchecked, events: 18 });
  });

  few(2).each([
    [98, 99],
    [99, 100],
    [100, 100],
  ])("an index that lacks %d rows, in %d lines", async (count, lines) => {
    unindexed(
      `DELETE FROM messages;
       WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       INSERT INTO messages SELECT i, 'code', 0, 0, 0, 'a', 'b' FROM n`,
    );
    const found = await verified(path);
    expect(found.lines).toHaveLength(lines);
    expect(found.lines[1]).toBe("file: row 1 missing from index messages_line");
  });

  test("an end that was cut off, with which the file cannot be opened", async () => {
    await truncate(path, 2 * pageBytes);
    await expect(verified(path)).rejects.toThrow("database disk image is malformed");
  });
});
