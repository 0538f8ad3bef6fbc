import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { workerLimits } from "../../src/notify/limits.ts";
import { createSms } from "../../src/notify/sms.ts";
import { clockLimits, createClock } from "../../src/start/clock.ts";
import { type MailPlace, mailPlace } from "./mail-place.ts";
import { importPerson } from "./place.ts";
import type { Receiver } from "./receiver.ts";

/** What becomes of messages where the clock of the machine is set while they wait. */

const sent = "user.human.initialization.code.sent";
const hourMs = 3_600_000;

let place: MailPlace;
let evenMs: number;
beforeEach(async () => {
  place = await mailPlace();
  evenMs = 0;
});
afterEach(() => place.remove());

/** The clock that a service has which has just begun. */
const clockHere = () =>
  createClock(
    () => place.clock.nowMs,
    () => evenMs,
  );

/** A worker with such a clock, that sends mails. */
function start(server: Parameters<MailPlace["startWith"]>[0]) {
  const { now, isSettled } = clockHere();
  return place.startWith(server, { now, isSettled });
}

/** One that sends SMS as well. */
function startWithPhone({ url }: Receiver) {
  const { now, isSettled } = clockHere();
  const sms = createSms({ url, key: "a key of 32 characters or more, here", now });
  const channels = { ...place.options.channels, sms };
  return { isSettled, worker: place.start({ channels, now, isSettled }) };
}

const postponed = (times: number) => place.watch.until(() => place.postponed.length === times);

/** A person whose phone is sent a code, which ends an hour after it was asked for. */
const importPhone = () => importPerson(place, { mail: false, phone: "+4915112345678" });

test("a visit to the future gives up no message, and keeps none waiting", async () => {
  await importPhone();
  place.clock.nowMs += 100 * hourMs;
  const { worker, isSettled } = startWithPhone(await place.receiver());
  expect(isSettled()).toBe(false);
  await place.watch.until(() => place.logged.join().includes("expired, if the clock is right"));
  place.clock.nowMs -= 100 * hourMs;
  worker.wake();
  await place.recorded("user.human.phone.code.sent");
  expect(await place.payloads("user.human.phone.code.failed")).toEqual([]);
});

test("a future that stays gives up the messages whose codes are over", async () => {
  await importPhone();
  place.clock.nowMs += 100 * hourMs;
  const { worker } = startWithPhone(await place.receiver());
  await postponed(1);
  place.clock.nowMs += clockLimits.settleMs;
  evenMs += clockLimits.settleMs;
  worker.wake();
  await place.recorded("user.human.phone.code.failed");
  const failed = await place.payloads("user.human.phone.code.failed");
  expect(failed).toEqual([{ position: "3", problem: "expired" }]);
});

test.each([
  ["2 h ahead when its first attempt failed", 2 * hourMs],
  ["1 h ahead when it was asked for", hourMs],
])("a mail goes out at once though the clock was %s", async (_, aheadMs) => {
  let isUp = false;
  const server = await place.mailServer({ recipient: () => (isUp ? undefined : "451 later") });
  place.clock.nowMs += aheadMs;
  await importPerson(place);
  const worker = start(server);
  await postponed(1);
  isUp = true;
  place.clock.nowMs -= aheadMs + workerLimits.backoffMaxMs;
  worker.wake();
  await place.recorded(sent);
});
