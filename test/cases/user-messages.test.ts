import { readdir } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { workerLimits } from "../../src/notify/limits.ts";
import { type MailPlace, mailPlace } from "../notify/mail-place.ts";
import { happen, importPerson, startMs } from "../notify/place.ts";
import { change } from "./users.ts";

// One who is removed is written to no more.

const phone = "+4915112345678";
const farMs = startMs + 365 * 86_400_000;

let place: MailPlace;

beforeEach(async () => {
  place = await mailPlace();
});

afterEach(() => place.remove());

async function looked(): Promise<void> {
  await place.watch.until(() => place.timers.has(workerLimits.pollMs));
}

/** The types of all events, and every message that is left, however late it is. */
async function left() {
  const events = await place.store.readAll(0n, 100);
  const messages = await place.store.leaseMessages({ nowMs: farMs, leaseMs: 1, limit: 9 });
  return { types: events.map(({ type }) => type), messages };
}

const added = "user.human.added";
const codes = ["user.human.initialization.code.added", "user.human.phone.code.added"];

test("neither by mail nor by SMS, where the messages were waiting", async () => {
  const userId = await importPerson(place, { phone });
  await happen(place.execute, userId, change("user.removed"));
  const worker = place.start();
  await looked();
  await worker.stop();
  await expect(readdir(place.outbox)).rejects.toMatchObject({ code: "ENOENT" });
  expect(place.logged).toEqual([]);
  expect(await left()).toEqual({ types: [added, ...codes, "user.removed"], messages: [] });
});

test("though others are, whose messages were asked for at the same time", async () => {
  const ids = [await importPerson(place), await importPerson(place), await importPerson(place)];
  await happen(place.execute, ids[1]!, change("user.removed"));
  const server = await place.mailServer({});
  place.startWith(server);
  await place.recorded("user.human.initialization.code.sent", 2);
  const recipients = server.mails.flatMap(({ to }) => to).sort();
  expect(recipients).toEqual([ids[0], ids[2]].map((id) => `${id}@example.com`).sort());
});

test("when the time has come to try again what failed before", async () => {
  let answer: string | undefined = "450 4.2.1 later";
  const server = await place.mailServer({ recipient: () => answer });
  const userId = await importPerson(place);
  const worker = place.startWith(server);
  await place.watch.until(() => place.postponed.length === 1);
  await happen(place.execute, userId, change("user.removed"));
  place.clock.nowMs = place.postponed[0]!;
  answer = undefined;
  const looks = place.looks();
  worker.wake();
  await place.watch.until(() => place.looks() > looks);
  await worker.stop();
  expect(server.mails).toEqual([]);
  expect(await left()).toEqual({ types: [added, codes[0], "user.removed"], messages: [] });
});

test("and what was on its way then is not recorded of nobody", async () => {
  const held: (() => void)[] = [];
  const server = await place.mailServer({
    data: () =>
      new Promise((resolve) => {
        held.push(() => resolve(undefined));
        place.watch.happened();
      }),
  });
  const userId = await importPerson(place);
  const worker = place.startWith(server);
  await place.watch.until(() => held.length === 1);
  await happen(place.execute, userId, change("user.removed"));
  for (const release of held) release();
  await worker.stop();
  expect(server.mails).toHaveLength(1);
  expect(await left()).toEqual({ types: [added, codes[0], "user.removed"], messages: [] });
  expect(place.logged.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual([
    "info",
  ]);
});
