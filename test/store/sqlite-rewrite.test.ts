import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { createPrivately } from "../../src/store/sqlite/connection.ts";
import { copySqlite } from "../../src/store/sqlite/copy-file.ts";
import { vacuumSqlite } from "../../src/store/sqlite/vacuum-file.ts";
import { append, thing } from "./fixture.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

// Files that are written anew as a whole: copies, and files that are vacuumed.

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

/** Part of each text that the test deletes from the copy. */
const marker = "of-somebody-erased";

/** Every tenth has the marker. */
async function writeThings(count: number): Promise<void> {
  const store = await place.open();
  const things = Array.from({ length: count }, (_, i) =>
    // In no order, so that pages are filled and split all over.
    thing(`thing-${i}`, { name: `${(i * 7_919) % count} ${i % 10 === 0 ? marker : "of-others"}` }),
  );
  await store.append(append(things));
  await store.close();
}

test("a copy keeps nothing of rows deleted from it, also where a page was split", async () => {
  await writeThings(1_000);
  const copy = join(dirname(place.path), "copy.db");
  createPrivately(copy);
  await copySqlite(place.path, copy);
  const hasMarker = async () => (await readFile(copy, "latin1")).includes(marker);
  expect(await hasMarker()).toBe(true);
  const db = new Database(copy);
  db.pragma("secure_delete = ON");
  db.exec(`DELETE FROM texts WHERE text LIKE '%${marker}'`);
  db.exec(`DELETE FROM objects WHERE fields LIKE '%${marker}%'`);
  db.close();
  expect(await hasMarker()).toBe(false);
});

test("nobody reads or writes a file between two steps of writing it anew", async () => {
  await writeThings(1);
  const other = new Database(place.path, { timeout: 0 });
  const { exec } = Database.prototype;
  const refusals: unknown[] = [];
  Database.prototype.exec = function (sql: string) {
    if (sql === "VACUUM") {
      try {
        other.prepare("SELECT count(*) FROM events").get();
      } catch (error) {
        refusals.push((error as { readonly code?: unknown }).code);
      }
    }
    return exec.call(this, sql);
  };
  try {
    await vacuumSqlite(place.path);
  } finally {
    Database.prototype.exec = exec;
    other.close();
  }
  expect(refusals).toEqual(["SQLITE_BUSY"]);
});
