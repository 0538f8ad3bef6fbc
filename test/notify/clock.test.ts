import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { clockLimits, createClock } from "../../src/log/clock.ts";
import { createSms } from "../../src/notify/channel/sms.ts";
import { workerLimits } from "../../src/notify/limits.ts";
import type { WorkerOptions } from "../../src/notify/worker.ts";
import { type MailPlace, mailPlace } from "./mail-place.ts";
import { importPerson } from "./place.ts";

/** What becomes of messages where the clock of the machine is set while they wait. */

const sent = "user.human.initialization.code.sent";
const failed = "user.human.phone.code.failed";
const hourMs = 3_600_000;

let place: MailPlace;
let evenMs: number;
beforeEach(async () => {
  place = await mailPlace();
  evenMs = 0;
});
afterEach(() => place.remove());

/** A worker with the clock that a service has which has just begun. */
function start(server: Parameters<MailPlace["startWith"]>[0], more: Partial<WorkerOptions> = {}) {
  const { now, isSettled } = createClock(
    () => place.clock.nowMs,
    () => evenMs,
  );
  return { isSettled, worker: place.startWith(server, { now, isSettled, ...more }) };
}

/** The same for an SMS, whose code is valid for an hour, with where it goes. */
async function startForSms() {
  const receiver = await place.receiver();
  await importPerson(place, { mail: false, phone: "+4915112345678" });
  const sms = createSms({ url: receiver.url, key: "k".repeat(32), now: () => place.clock.nowMs });
  place.clock.nowMs += 100 * hourMs;
  return { receiver, ...start(await place.mailServer(), { channels: { email: sms, sms } }) };
}

const postponed = (times: number) => place.watch.until(() => place.postponed.length === times);

test("a visit to the future gives up no SMS, and keeps none waiting", async () => {
  const { receiver, worker, isSettled } = await startForSms();
  expect(isSettled()).toBe(false);
  await place.watch.until(() => place.logged.join().includes("expired, if the clock is right"));
  place.clock.nowMs -= 100 * hourMs;
  worker.wake();
  await place.recorded("user.human.phone.code.sent");
  expect(receiver.calls).toHaveLength(1);
  expect(await place.payloads(failed)).toEqual([]);
});

test("a future that stays gives up the SMS whose codes are over", async () => {
  const { worker } = await startForSms();
  await postponed(1);
  place.clock.nowMs += clockLimits.settleMs;
  evenMs += clockLimits.settleMs;
  worker.wake();
  await place.recorded(failed);
  expect(await place.payloads(failed)).toEqual([{ position: "3", problem: "expired" }]);
});

test.each([
  ["2 h ahead when its first attempt failed", 2 * hourMs],
  ["1 h ahead when it was asked for", hourMs],
])("a mail goes out at once though the clock was %s", async (_, aheadMs) => {
  let isUp = false;
  const server = await place.mailServer({ recipient: () => (isUp ? undefined : "451 later") });
  place.clock.nowMs += aheadMs;
  await importPerson(place);
  const { worker } = start(server);
  await postponed(1);
  isUp = true;
  place.clock.nowMs -= aheadMs + workerLimits.backoffMaxMs;
  worker.wake();
  await place.recorded(sent);
});

test.each([
  ["by a millisecond", 1],
  ["by a second", 1_000],
  ["by as much as the longest pause", workerLimits.backoffMaxMs],
])("a message that is on its way from a clock ahead %s is nobody else's", async (_, aheadMs) => {
  await importPerson(place);
  // Where a lease is as long as any pause, one given by a clock that is ahead is longer.
  const leaseMs = workerLimits.backoffMaxMs;
  const query = { nowMs: place.clock.nowMs + aheadMs, leaseMs, limit: 9 };
  expect(await place.store.leaseMessages(query)).toHaveLength(1);
  const looks = place.looks();
  const server = await place.mailServer();
  const { worker } = start(server, { limits: { leaseMs } });
  await place.watch.until(() => place.looks() > looks);
  await worker.stop();
  expect(server.mails).toEqual([]);
  expect(place.logged).toEqual([]);
});
