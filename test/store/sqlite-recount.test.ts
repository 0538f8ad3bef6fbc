import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Quota } from "../../src/event.ts";
import type { Asking } from "../../src/store/message.ts";
import { rebuildSqlite } from "../../src/store/sqlite/rebuild-file.ts";
import { few } from "../harness/in-full.ts";
import { append, asking, eventsOf, things, timeMs } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

/** What a file that has only a log makes of what was asked to be sent. */

const dayMs = 86_400_000;
const waiting: Quota = {
  ...{ kind: "email.organization", scope: "", value: "org" },
  ...{ most: 2, perMs: dayMs, isPatient: true },
};
const refusing: Quota = { ...waiting, kind: "sms.organization", most: 4, isPatient: false };

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

/** Asks for so many messages, each a second after the one before. */
async function ask(count: number, quotas: readonly Quota[]): Promise<void> {
  const store = await place.open();
  const asks = Array.from({ length: count }, async (_, number) => {
    const messages = [{ event: 0, field: "code", quotas }];
    const events = [{ type: "thing.asked", payload: JSON.stringify({ name: `Thing ${number}` }) }];
    const asked = asking(`thing-${number}`, 0, { events, messages });
    eventsOf(await store.append(append([asked], { timeMs: timeMs + number * 1_000 })));
  });
  await Promise.all(asks);
  await store.close();
}

/** What was used, and when what waits is due. */
function counted() {
  const db = place.connect();
  const quotas = db.prepare("SELECT hex(digest), used, debt, told, clear FROM quotas").all();
  const due = db.prepare("SELECT position, due, since FROM messages").all();
  return { quotas, due };
}

/** Counts anew by these quotas what a file has, of which nothing but its log is left. */
async function recount(quotas: readonly Quota[]): Promise<void> {
  place.connect().exec("DELETE FROM quotas; DELETE FROM messages");
  const asked: Asking = (events) =>
    events.map(({ position }) => ({ position, field: "code", quotas }));
  const { path } = place;
  await rebuildSqlite({ path, projector: things(), asking: asked, ...sealing });
}

few().each([
  ["one", 1, [waiting]],
  ["those that wait", 5, [waiting]],
  ["those that are refused past it", 4, [refusing]],
  ["both", 4, [refusing, waiting]],
  ["more than are read at once", 1_100, [{ ...waiting, most: 1_000 }]],
  ["those without a quota", 3, []],
])("%s come to what they came to", async (_, count, quotas) => {
  await ask(count, quotas);
  const before = counted();
  expect(before.quotas).toHaveLength(quotas.length);
  await recount(quotas);
  expect(counted()).toEqual(before);
});

test("by a lower bound nothing is left, and by a higher one nothing waits", async () => {
  await ask(4, [refusing]);
  await recount([{ ...refusing, most: 2 }]);
  const last = timeMs + 3_000;
  expect(counted().quotas).toMatchObject([{ used: timeMs + 1_000, told: timeMs + 1_000 }]);
  await recount([{ ...waiting, most: 100 }]);
  expect(counted().due.at(-1)).toMatchObject({ due: last, since: last });
});

test("without it a rebuild leaves what was used", async () => {
  await ask(3, [waiting]);
  const before = counted();
  await rebuildSqlite({ path: place.path, projector: things(), ...sealing });
  expect(counted()).toEqual(before);
});
