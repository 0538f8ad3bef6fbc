import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { Quota } from "../../src/event.ts";
import type { Store } from "../../src/store/store.ts";
import { append, asking, eventsOf, timeMs } from "./fixture.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

const dayMs = 86_400_000;
const quota = (value: string): Quota => ({
  ...{ kind: "sms.number", scope: "", value },
  ...{ most: 2, perMs: dayMs, isPatient: false },
});

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

async function ask(store: Store, value: string, atMs: number): Promise<void> {
  const messages = [{ event: 0, field: "code", quotas: [quota(value)] }];
  const stream = `thing-${value}-${atMs}`;
  eventsOf(await store.append(append([asking(stream, 0, { messages })], { timeMs: atMs })));
}

it("keeps no more quotas than were used of late, however many there were", async () => {
  const store = await place.open();
  const rows = place.connect().prepare<[], number>("SELECT count(*) FROM quotas").pluck();
  for (let value = 0; value < 40; value += 1) await ask(store, `a${value}`, timeMs);
  expect(rows.get()).toBe(40);
  // One use of two is there again after half of the day.
  for (let value = 0; value < 10; value += 1) await ask(store, `b${value}`, timeMs + dayMs / 2 - 1);
  expect(rows.get()).toBe(50);
  for (let value = 0; value < 20; value += 1) await ask(store, `c${value}`, timeMs + dayMs / 2);
  expect(rows.get()).toBe(30);
});

it("keeps nothing by which the number is read", async () => {
  const store = await place.open();
  await ask(store, "+41446681800", timeMs);
  await store.close();
  const db = place.connect();
  db.exec("DELETE FROM events; DELETE FROM objects; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  expect(db.prepare("SELECT count(*) FROM quotas").pluck().get()).toBe(1);
  expect((await readFile(place.path)).includes("41446681800")).toBe(false);
});
