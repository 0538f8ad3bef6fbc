import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type SendLimits, sendLimits } from "../../src/domain/sending.ts";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import type { Send } from "../../src/notify/channel/channel.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { saySpent } from "../../src/notify/spent.ts";
import { afterAppend } from "../../src/store/after-append.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { isFull, patience } from "../harness/extent.ts";
import { sealing } from "../store/keys.ts";
import { importPerson, type NotifyPlace, notifyPlace, startMs } from "./place.ts";

/** Mails and SMS past what an organization, an address or a number may have in a day. */

const dayMs = 86_400_000;
const sent = "user.human.initialization.code.sent";

let place: NotifyPlace;
let messages: Message[];
const take: Send = async (message) => {
  messages.push(message);
  return { kind: "sent" };
};

beforeEach(async () => {
  place = await notifyPlace();
  messages = [];
});
afterEach(() => place.remove());

function executing(limits: Partial<SendLimits>, store: Store = place.store): Execute {
  return createExecute(store, () => place.clock.nowMs, undefined, { ...sendLimits, ...limits });
}

/** Imports so many people, as many at once as share a commit. */
async function importMany(execute: Execute, count: number): Promise<void> {
  const atOnce = 500;
  for (let done = 0; done < count; done += atOnce) {
    const rest = Math.min(atOnce, count - done);
    const { keyring } = place;
    await Promise.all(Array.from({ length: rest }, () => importPerson({ execute, keyring })));
  }
}

/** Lets a worker deliver until as many were sent in all, at a time. */
async function deliverAt(nowMs: number, total: number): Promise<void> {
  place.clock.nowMs = nowMs;
  const worker = place.start({ channels: { email: take, sms: take } });
  await place.recorded(sent, total);
  await worker.stop();
  expect(messages).toHaveLength(total);
  const query = { types: ["user.human.initialization.code.added"], nowMs, leaseMs: 1, limit: 9 };
  expect(await place.store.leaseMessages(query)).toEqual([]);
}

describe("an import past the mails of a day", () => {
  const [people, most] = isFull ? [100_000, 1_000] : [60, 20];

  test(
    "succeeds, and its mails leave in their order, as many as a day has",
    async () => {
      await importMany(executing({ mailsPerOrganization: most }), people);
      const page = await place.store.list({ kind: "user", offset: 0, limit: 1 });
      expect(page?.total).toBe(people);
      await deliverAt(startMs, most);
      await deliverAt(startMs + dayMs - 1, 2 * most - 1);
      await deliverAt(startMs + dayMs, 2 * most);
      const positions = messages.map(({ id }) => Number.parseInt(id, 10));
      const first = positions.slice(0, most).sort((a, b) => a - b);
      expect(first).toEqual(Array.from({ length: most }, (_, i) => 2 + 2 * i));
      expect(Math.min(...positions.slice(most))).toBe(2 + 2 * most);
    },
    300_000 * patience,
  );

  test("is planned as it was when the log is opened anew, and made anew", async () => {
    await importMany(executing({ mailsPerOrganization: most }), 2 * most);
    await place.store.close();
    const newer = { ...projector, revision: projector.revision + 1 };
    const store = await openSqlite({ path: place.path, projector: newer, ...sealing });
    const due = async (nowMs: number) =>
      (await store.leaseMessages({ nowMs, leaseMs: 10 * dayMs, limit: 9 * most })).length;
    expect(await due(startMs)).toBe(most);
    expect(await due(startMs + dayMs / most - 1)).toBe(0);
    expect(await due(startMs + dayMs / most)).toBe(1);
    expect(await due(startMs + dayMs)).toBe(most - 1);
    await store.close();
  });

  test("is said once, with the organization and without a person", async () => {
    const said: string[] = [];
    const log = {
      warn: (members: object, text: string) => said.push(JSON.stringify([members, text])),
    };
    const store = afterAppend(place.store, (_, { spent }) => {
      for (const quota of spent) saySpent(quota, log);
    });
    const execute = executing({ mailsPerOrganization: 5, mailsPerAddress: 1 }, store);
    await importMany(execute, 4);
    expect(said).toEqual([]);
    await importMany(execute, 20);
    const organization = { organization: "org-1", most: 5 };
    const text = "the daily mail limit of the organization is used up: more are postponed";
    expect(said).toEqual([JSON.stringify([organization, text])]);
  });
});

test("mails to one address leave as its quota says, those of others at once", async () => {
  const { keyring } = place;
  const execute = executing({ mailsPerAddress: 2 });
  for (const email of ["ada@a.example", "Ada+1@a.example", "ada+2@a.example", "bob@a.example"]) {
    await importPerson({ execute, keyring }, { email });
  }
  await deliverAt(startMs, 3);
  expect(messages.map(({ to }) => to)).not.toContain("ada+2@a.example");
  await deliverAt(startMs + dayMs / 2, 4);
});

test("the code of a mail that had to wait is valid for as long as any", async () => {
  const execute = executing({ mailsPerOrganization: 1 });
  await importMany(execute, 1);
  place.clock.nowMs += 1;
  for (let count = 0; count < 9; count += 1) await importMany(execute, 1);
  const nowMs = startMs + 10 * dayMs;
  await deliverAt(nowMs, 10);
  const page = await place.store.list({ kind: "user", offset: 0, limit: 10 });
  const states = page!.objects.map(({ state }) => JSON.parse(state!) as UserState);
  const expirationMs = nowMs + codeLifetimesMs.initialization;
  expect(states.map(({ human }) => human?.initialization)).toMatchObject(
    states.map(() => ({ expirationMs })),
  );
  // What the mail says is what holds.
  const until = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  for (const { text } of messages) expect(text).toContain(until.format(expirationMs));
});
