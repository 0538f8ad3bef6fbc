import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { setUpOrg } from "../../src/domain/org.ts";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { backoffMs, type WorkerLimits, workerLimits } from "../../src/notify/limits.ts";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { parseKeyring } from "../../src/secrets/keys.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { few } from "../harness/in-full.ts";
import { type MailPlace, mailPlace } from "./mail-place.ts";
import {
  addCode,
  changeOrganization,
  codes,
  happen,
  importPerson,
  keyText,
  startMs,
} from "./place.ts";

const sent = "user.human.initialization.code.sent";
const failed = "user.human.initialization.code.failed";
const phone = "+4915112345678";

let place: MailPlace;

beforeEach(async () => {
  place = await mailPlace();
});
afterEach(() => place.remove());

describe("a mail server", () => {
  test("that is down and comes back gets the mail then", async () => {
    const server = await place.mailServer();
    await server.down();
    await importPerson(place);
    const worker = place.startWith(server);
    for (const attempt of [1, 2, 3]) {
      await place.watch.until(() => place.postponed.length === attempt);
      place.clock.nowMs = place.postponed.at(-1)!;
      if (attempt === 3) await server.up();
      worker.wake();
    }
    await place.recorded(sent);
    expect(server.mails).toHaveLength(1);
    expect(place.postponed.map((dueMs) => dueMs - startMs)).toEqual([1_000, 3_000, 7_000]);
    expect(place.logged.join()).toContain("no mail server accepted it (ECONNREFUSED)");
  });

  test("that refuses one mail for good fails that one alone", async () => {
    const server = await place.mailServer({
      recipient: (address) =>
        address.startsWith("nobody") ? `550 5.1.1 <${address}> is unknown` : undefined,
    });
    await importPerson(place);
    await importPerson(place, { email: "nobody@example.com" });
    await importPerson(place);
    place.startWith(server);
    await Promise.all([place.recorded(sent, 2), place.recorded(failed)]);
    expect(server.mails).toHaveLength(2);
    expect(await place.payloads(failed)).toMatchObject([
      { position: "4", problem: "the mail server answered 550 5.1.1" },
    ]);
    expect(place.postponed).toEqual([]);
  });

  test("that refuses the text of a mail for good fails it too", async () => {
    const data = async () => "554 5.7.1 This looks like MA1LED to us";
    await importPerson(place);
    place.startWith(await place.mailServer({ data }));
    await place.recorded(failed);
    const problem = "the mail server answered 554 5.7.1";
    expect(await place.payloads(failed)).toMatchObject([{ position: "2", problem }]);
  });

  const credentials = { user: "iam", pass: "not the password" };
  few().each<[string, Parameters<MailPlace["mailServer"]>[0], object, string]>([
    ["for now", { recipient: () => "450 4.2.1 Later" }, {}, "450 4.2.1"],
    ["with 503, which is about the connection", { recipient: () => "503 Bad sequence" }, {}, "503"],
    ["because of the sender", { sender: () => "550 5.7.1 Not you" }, {}, "550 5.7.1"],
    [
      "because of the password",
      { auth: (_, __, done) => done(new Error("wrong")) },
      { credentials },
      "535",
    ],
  ])("that refuses a mail %s gets it again", async (_, answers, more, answer) => {
    const refusing = await place.mailServer(answers);
    await importPerson(place);
    const server = { ...refusing, server: { ...refusing.server, ...more } };
    place.startWith(server);
    await place.watch.until(() => place.logged.length === 1);
    expect(place.postponed).toEqual([startMs + workerLimits.backoffMinMs]);
    expect(place.logged.join()).toContain(`the mail server answered ${answer}"`);
    expect(place.logged.join()).not.toContain(credentials.pass);
    expect(await place.payloads(failed)).toEqual([]);
  });
});

describe("giving up", () => {
  const limits = { backoffMinMs: 1_000, giveUpMs: 7_000 };

  async function failUntilGivenUp(
    given: Partial<WorkerLimits>,
    kind: keyof typeof codes = "initialization",
  ): Promise<readonly number[]> {
    const later = async () => ({ kind: "missed", problem: "later" }) as const;
    await importPerson(place, kind === "phone" ? { mail: false, phone } : {});
    const worker = place.start({ channels: { email: later, sms: later }, limits: given });
    const type = `user.human.${kind}.code.failed` as const;
    let isOver = false;
    const over = place.recorded(type).then(() => {
      isOver = true;
    });
    for (let attempt = 1; !isOver; attempt += 1) {
      await Promise.race([over, place.watch.until(() => place.postponed.length >= attempt)]);
      place.clock.nowMs = place.postponed.at(-1) ?? startMs;
      worker.wake();
    }
    expect(await place.payloads(type)).toMatchObject([{ problem: "later" }]);
    return place.postponed.map((dueMs) => dueMs - startMs);
  }

  test("happens when the next attempt would be past the limit", async () => {
    expect(await failUntilGivenUp(limits)).toEqual([1_000, 3_000, 7_000]);
  });

  test("does not happen before: one millisecond less is one attempt less", async () => {
    expect(await failUntilGivenUp({ ...limits, giveUpMs: 6_999 })).toEqual([1_000, 3_000]);
  });

  const lifetimeMs = codeLifetimesMs.phone;
  test.each([
    ["when the code will be expired by then", lifetimeMs, []],
    ["not when it expires one millisecond later", lifetimeMs - 1, [lifetimeMs - 1]],
  ])("happens %s", async (_, backoffMinMs, expected) => {
    const patience = { giveUpMs: 2 * lifetimeMs, backoffMinMs, backoffMaxMs: backoffMinMs };
    expect(await failUntilGivenUp(patience, "phone")).toEqual(expected);
  });
});

describe("the pause after an attempt", () => {
  test.each([
    [1, 0, 1_000],
    [2, 0, 2_000],
    [10, 0, 512_000],
    [11, 0, 600_000],
    [5_000, 0, 600_000],
    [1, 1, 500],
    [2, 0.5, 1_500],
    [11, 1, 300_000],
  ])("number %d with a jitter of %d is %d ms", (attempts, jitter, expected) => {
    expect(backoffMs(attempts, jitter, workerLimits)).toBe(expected);
  });
});

describe("a code that is of no use any more is not sent", () => {
  test.each([
    ["expired", codeLifetimesMs.phone, 0],
    ["one millisecond before", codeLifetimesMs.phone - 1, 1],
  ])("%s", async (_, laterMs, messages) => {
    await importPerson(place, { mail: false, phone });
    place.clock.nowMs = startMs + laterMs;
    place.start();
    await place.recorded(`user.human.phone.code.${messages === 0 ? "failed" : "sent"}`);
    const problems = [{ position: "3", problem: "expired" }];
    const given = await place.payloads("user.human.phone.code.failed");
    expect(given).toEqual(messages === 0 ? problems : []);
  });

  test("because there is a newer one, which is sent", async () => {
    const server = await place.mailServer();
    const userId = await importPerson(place);
    await addCode(place, userId, "initialization");
    place.startWith(server);
    await Promise.all([place.recorded(failed), place.recorded(sent)]);
    expect(server.mails).toHaveLength(1);
    expect(await place.payloads(failed)).toEqual([{ position: "2", problem: "superseded" }]);
    expect(await place.payloads(sent)).toMatchObject([{ position: "3" }]);
  });

  few().each([
    ["verified", { type: "user.human.phone.verified", payload: {} }],
    ["removed", { type: "user.human.phone.removed", payload: {} }],
    ["changed", { type: "user.human.phone.changed", payload: { phone: "+33612345678" } }],
  ] as const)("because the phone number was %s meanwhile", async (_, event) => {
    const server = await place.mailServer();
    const userId = await importPerson(place, { mail: false, phone });
    await happen(place.execute, userId, event);
    place.startWith(server);
    await place.recorded("user.human.phone.code.failed");
    expect(server.mails).toEqual([]);
    expect(await place.payloads("user.human.phone.code.failed")).toEqual([
      { position: "3", problem: "superseded" },
    ]);
  });

  test("because its reader was taken out of use", async () => {
    const userId = await importPerson(place);
    await happen(place.execute, userId, { type: "user.deactivated", payload: {} });
    place.start();
    await place.recorded(failed);
    expect(await place.payloads(failed)).toMatchObject([{ problem: "superseded" }]);
  });
});

test("a code waits while the organization of its reader is inactive", async () => {
  const server = await place.mailServer();
  await changeOrganization(place, ...setUpOrg("Acme"), { type: "org.deactivated", payload: {} });
  await importPerson(place);
  const worker = place.startWith(server);
  await place.watch.until(() => place.logged.length === 1);
  expect(place.logged.join()).toContain("the organization is inactive");
  expect(server.mails).toEqual([]);
  await changeOrganization(place, { type: "org.reactivated", payload: {} });
  place.clock.nowMs = place.postponed[0]!;
  worker.wake();
  await place.recorded(sent);
  expect(server.mails).toHaveLength(1);
});

describe("a process that dies", () => {
  test("with a message leased leaves it to another, when the lease is over", async () => {
    const server = await place.mailServer();
    await importPerson(place);
    const { leaseMs, pollMs } = workerLimits;
    const [leased] = await place.store.leaseMessages({ nowMs: startMs, leaseMs, limit: 9 });
    expect(leased).toBeDefined();
    place.clock.nowMs = startMs + leaseMs - 1;
    const worker = place.startWith(server);
    await place.watch.until(() => place.timers.has(pollMs));
    expect(server.mails).toEqual([]);
    place.clock.nowMs += 1;
    worker.wake();
    await place.recorded(sent);
    expect(server.mails).toHaveLength(1);
  });

  test("after sending and before recording has it sent again, as the same mail", async () => {
    const server = await place.mailServer();
    await importPerson(place);
    const dying = place.startWith(server, {
      execute: async () => {
        throw new StoreUnavailable("the process died here");
      },
    });
    await place.watch.until(() => place.logged.length > 0);
    await dying.stop();
    expect(place.logged.join()).toContain("left until its lease expires");
    place.clock.nowMs += workerLimits.leaseMs;
    place.startWith(server);
    await place.recorded(sent);
    const ids = server.mails.map(({ header }) => header.get("message-id"));
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(ids[0]).toMatch(/^<2-code\.[0-9a-f]{32}@example\.com>$/);
  });
});

describe("a message that cannot be made", () => {
  test("is tried again, so that a key that was missing can be put back", async () => {
    await importPerson(place);
    const other = createKeyring(parseKeyring(keyText.replace("k1", "k2")), randomBytes);
    const without = place.start({ keyring: other });
    await place.watch.until(() => place.postponed.length === 1);
    await without.stop();
    expect(place.logged.join()).toContain("no key in the ring has the id k1");
    place.clock.nowMs = place.postponed[0]!;
    place.start();
    await place.recorded(sent);
  });
});

test("no line of the log and no event of a delivery has a code, address or number", async () => {
  const server = await place.mailServer({
    recipient: (to) => (to.startsWith("later") ? `450 4.2.1 <${to}>` : undefined),
    data: async ({ to, text }) => (to[0]?.startsWith("no") ? `554 5.7.1 ${to} ${text}` : undefined),
  });
  await importPerson(place, { email: "yes@example.com", phone });
  await importPerson(place, { email: "no@example.com", phone });
  await importPerson(place, { email: "later@example.com" });
  place.startWith(server);
  await Promise.all([
    place.recorded(sent),
    place.recorded(failed),
    place.recorded("user.human.phone.code.failed", 2),
    place.watch.until(() => place.postponed.length === 1),
    place.watch.until(() => place.logged.length === 5),
  ]);
  const events = await place.store.readAll(0n, 100);
  const about = events.filter(({ actor }) => actor === "notify").map((event) => event.payload);
  expect(about).toHaveLength(4);
  const written = [...place.logged, ...about].join("\n");
  for (const secret of [...Object.values(codes), "example.com", phone, phone.slice(1), "Ada"]) {
    expect(written).not.toContain(secret);
  }
  const everything = events.map(({ payload }) => payload).join("\n");
  for (const code of Object.values(codes)) expect(everything).not.toContain(code);
});
