import { readdir } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { createExecute } from "../../src/execute/execute.ts";
import { createEmail } from "../../src/notify/channel/email.ts";
import { createSms } from "../../src/notify/channel/sms.ts";
import { workerLimits } from "../../src/notify/limits.ts";
import { asksToSend, startWorkers } from "../../src/notify/worker.ts";
import { afterAppend } from "../../src/store/after-append.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { type MailPlace, mailPlace } from "./mail-place.ts";
import { codes, importPerson, removeOrganization, sender, startMs } from "./place.ts";
import type { Mail } from "./smtp.ts";

const initializationSent = "user.human.initialization.code.sent";
const phone = "+4915112345678";

let place: MailPlace;

beforeEach(async () => {
  place = await mailPlace();
});
afterEach(() => place.remove());

describe("what an import asks for", () => {
  test("goes out by mail and by SMS, and is recorded as sent", async () => {
    const server = await place.mailServer();
    const receiver = await place.receiver();
    const userId = await importPerson(place, { phone });
    const email = createEmail({ server: server.server, from: sender });
    const sms = createSms({ url: receiver.url, key: "k".repeat(32), now: () => startMs });
    place.start({ channels: { email, sms } });
    await Promise.all([
      place.recorded(initializationSent),
      place.recorded("user.human.phone.code.sent"),
    ]);
    expect(server.mails).toMatchObject([
      { to: [`${userId}@example.com`], text: expect.stringContaining(codes.initialization) },
    ]);
    expect(receiver.calls.map(({ body }) => JSON.parse(body))).toEqual([
      {
        to: phone,
        text: expect.stringContaining(codes.phone),
        messageId: expect.stringMatching(/^3-code\.[\da-f]{32}$/),
      },
    ]);
    const expirationMs = startMs + codeLifetimesMs.initialization;
    expect(await place.payloads(initializationSent)).toEqual([{ position: "2", expirationMs }]);
    expect(await place.payloads("user.human.phone.code.sent")).toEqual([{ position: "3" }]);
    const query = { nowMs: startMs + 365 * 86_400_000, leaseMs: 1, limit: 9 };
    expect(await place.store.leaseMessages(query)).toEqual([]);
  });

  test("is recorded by the worker, not by one who imported", async () => {
    await importPerson(place);
    place.start();
    await place.recorded(initializationSent);
    const events = await place.store.readAll(0n, 10);
    expect(events.map(({ actor }) => actor)).toEqual(["somebody", "somebody", "notify"]);
  });

  test("is nothing once the organization was removed", async () => {
    await importPerson(place);
    await removeOrganization(place);
    const worker = place.start();
    await place.watch.until(() => place.timers.has(workerLimits.pollMs));
    await worker.stop();
    await expect(readdir(place.outbox)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("is nothing when a person needs no mail and has no phone", async () => {
    await importPerson(place, { mail: false });
    const worker = place.start();
    await place.watch.until(() => place.timers.has(workerLimits.pollMs));
    await worker.stop();
    expect(place.looks()).toBe(1);
    await expect(readdir(place.outbox)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

/** The store as a process has it that wakes its worker. */
function wakingStore(wake: () => void) {
  return afterAppend(place.store, (append) => {
    if (asksToSend(append)) wake();
  });
}

describe("when the worker looks for messages", () => {
  test("an append of this process wakes it", async () => {
    let rouse = () => {};
    const store = wakingStore(() => rouse());
    const execute = createExecute(store, () => place.clock.nowMs);
    const worker = place.start({ store, execute });
    rouse = () => worker.wake();
    await place.watch.until(() => place.timers.has(workerLimits.pollMs));
    await importPerson({ ...place, execute }, { mail: false });
    await importPerson({ ...place, execute });
    await place.recorded(initializationSent);
    expect(await readdir(place.outbox)).toEqual([
      expect.stringMatching(/^4-code\.[\da-f]{32}\.eml$/),
    ]);
  });

  test("an append without a message does not wake it, nor does a refused one", async () => {
    let roused = 0;
    const store = wakingStore(() => {
      roused += 1;
    });
    const execute = createExecute(store, () => place.clock.nowMs);
    await importPerson({ ...place, execute }, { mail: false, userName: "ada" });
    await expect(importPerson({ ...place, execute }, { userName: "ADA" })).rejects.toThrow();
    expect(roused).toBe(0);
    await importPerson({ ...place, execute });
    expect(roused).toBe(1);
  });

  test("it also looks by itself, for what others left", async () => {
    place.start();
    await place.watch.until(() => place.timers.has(workerLimits.pollMs));
    await importPerson(place);
    place.timers.get(workerLimits.pollMs)?.();
    await place.recorded(initializationSent);
  });

  test.each([
    // What its storage lacks a store tells its operators itself.
    [new StoreUnavailable("a test made it so"), false],
    [new Error("a test made it so"), true],
  ])("it goes on when the store cannot be used for a while: %s", async (error, isTold) => {
    await importPerson(place);
    let failures = 0;
    const store = {
      ...place.store,
      leaseMessages: async (query: Parameters<MailPlace["store"]["leaseMessages"]>[0]) => {
        if (failures > 0) return place.store.leaseMessages(query);
        failures += 1;
        throw error;
      },
    };
    const worker = place.start({ store });
    await place.watch.until(() => place.timers.has(workerLimits.pollMs));
    expect(place.logged.join().includes("no messages could be leased")).toBe(isTold);
    worker.wake();
    await place.recorded(initializationSent);
  });
});

describe("how many messages are on their way", () => {
  test("no more than the limit, and in the end all of them", async () => {
    const concurrentMax = 3;
    const held: (() => void)[] = [];
    let atOnceMax = 0;
    const server = await place.mailServer({
      data: () =>
        new Promise((resolve) => {
          held.push(() => resolve(undefined));
          atOnceMax = Math.max(atOnceMax, held.length);
          place.watch.happened();
        }),
    });
    for (let count = 0; count < 8; count += 1) await importPerson(place);
    place.startWith(server, { limits: { concurrentMax } });
    for (const left of [8, 5]) {
      await place.watch.until(() => held.length === Math.min(left, concurrentMax));
      for (const release of held.splice(0)) release();
    }
    await place.watch.until(() => held.length === 2);
    for (const release of held.splice(0)) release();
    await place.recorded(initializationSent, 8);
    expect(atOnceMax).toBe(concurrentMax);
    expect(new Set(server.mails.map(({ to }) => to[0])).size).toBe(8);
  });
});

test("a channel that hangs does not keep the messages of the other waiting", async () => {
  for (let person = 0; person < workerLimits.concurrentMax; person += 1) {
    await importPerson(place, { mail: false, phone, userName: `p${person}` });
  }
  const hanging: (() => void)[] = [];
  const { promise: mailed, resolve: gotMail } = Promise.withResolvers<void>();
  const { timer: _ofOne, ...options } = place.options;
  const workers = startWorkers({
    ...options,
    channels: {
      email: async () => {
        gotMail();
        return { kind: "sent" };
      },
      sms: (_message, signal) =>
        new Promise((resolve) => {
          const end = () => resolve({ kind: "missed", problem: "called off" });
          hanging.push(end);
          signal.addEventListener("abort", end);
        }),
    },
  });
  await place.watch.until(() => hanging.length === workerLimits.concurrentMax);
  await importPerson(place, { userName: "waiting" });
  workers.wake();
  await mailed;
  for (const end of hanging) end();
  await workers.stop();
});

describe("stopping", () => {
  /** Starts a worker whose mail is held by the server, and answers how to let it pass. */
  async function withMailHeld() {
    const held: (() => void)[] = [];
    const data = (_: Mail) =>
      new Promise<undefined>((resolve) => {
        held.push(() => resolve(undefined));
        place.watch.happened();
      });
    const server = await place.mailServer({ data });
    await importPerson(place);
    const worker = place.startWith(server);
    await place.watch.until(() => held.length === 1);
    const stopped = worker.stop();
    await place.watch.until(() => place.timers.has(workerLimits.stopGraceMs));
    return { server, worker, stopped, release: () => held.pop()?.() };
  }

  test("lets what is on its way arrive and be recorded", async () => {
    const { server, stopped, release } = await withMailHeld();
    release();
    await stopped;
    expect(server.mails).toHaveLength(1);
    expect(await place.payloads(initializationSent)).toHaveLength(1);
    expect(place.timers.has(workerLimits.stopGraceMs)).toBe(false);
  });

  test("calls off what takes too long, and leaves it to the next start", async () => {
    const { stopped, release } = await withMailHeld();
    place.timers.get(workerLimits.stopGraceMs)?.();
    await stopped;
    expect(place.postponed).toEqual([startMs + workerLimits.backoffMinMs]);
    expect(place.logged).toEqual([expect.stringContaining("(EABORT)")]);
    expect(await place.payloads(initializationSent)).toEqual([]);
    release();
    place.clock.nowMs = place.postponed[0]!;
    const next = await place.mailServer();
    place.startWith(next);
    await place.recorded(initializationSent);
    expect(next.mails).toHaveLength(1);
  });

  test("takes nothing new", async () => {
    const { stopped, worker, release } = await withMailHeld();
    await importPerson(place);
    worker.wake();
    const looks = place.looks();
    release();
    await stopped;
    worker.wake();
    expect(place.looks()).toBe(looks);
    expect(await place.payloads(initializationSent)).toHaveLength(1);
  });

  test("can be asked for twice, and before anything happened", async () => {
    const worker = place.start();
    await Promise.all([worker.stop(), worker.stop()]);
    await expect(worker.stop()).resolves.toBeUndefined();
  });
});
