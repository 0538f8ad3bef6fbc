import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Attempt } from "../../src/domain/sending.ts";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { noteAttempt, tellingTroubles, troubleLimits } from "../../src/notify/channel/trouble.ts";
import { shortened } from "../harness/extent.ts";
import { startServer } from "../harness/server.ts";
import type { LogKind } from "../harness/test-log.ts";
import { addCode, importPerson, type NotifyPlace, notifyPlace, startMs } from "./place.ts";

// Mail and SMS that nobody takes, as `/readyz` tells it.

let place: NotifyPlace;

beforeEach(async () => {
  place = await notifyPlace();
});
afterEach(() => place.remove());

const down: Attempt = { kind: "missed", problem: "no mail server accepted it (ECONNREFUSED)" };
const none = { mailsFailingMs: 0, smsFailingMs: 0 };

const condition = () => tellingTroubles(place.store).condition(place.clock.nowMs);
const pass = (ms: number) => {
  place.clock.nowMs += ms;
};

/** What is said of mails and SMS. */
async function said(): Promise<readonly string[]> {
  return (await condition()).warnings.filter((one) => /^(?:Mails|SMS) /.test(one));
}

/** A worker whose attempts end as is said. */
function deliver(outcome: { attempt: Attempt }) {
  const send = async () => outcome.attempt;
  const worker = place.start({ channels: { email: send, sms: send } });
  return async (next: Attempt, until: () => boolean) => {
    outcome.attempt = next;
    place.clock.nowMs = Math.max(place.clock.nowMs, place.postponed.at(-1) ?? 0);
    worker.wake();
    await place.watch.until(until);
  };
}

describe("mail that nobody takes", () => {
  test("is told a minute after an attempt failed, until one succeeds", async () => {
    expect((await condition()).figures).toMatchObject(none);
    await importPerson(place);
    const attempt = deliver({ attempt: down });
    await place.watch.until(() => place.postponed.length === 1);
    expect([(await condition()).figures, await said()]).toMatchObject([none, []]);
    await attempt(down, () => place.postponed.length === 2);
    place.clock.nowMs = startMs + troubleLimits.untoldMs - 1;
    expect(await said()).toEqual([]);
    pass(1);
    const { figures } = await condition();
    expect(figures).toMatchObject({ ...none, mailsFailingMs: troubleLimits.untoldMs });
    expect(await said()).toEqual([`Mails have failed for 1 min: ${down.problem}`]);
    pass(11 * 60_000);
    expect(await said()).toEqual([`Mails have failed for 12 min: ${down.problem}`]);

    await attempt({ kind: "sent" }, () => place.logged.join().includes("a message was sent"));
    expect([(await condition()).figures, await said()]).toMatchObject([none, []]);
  });

  test("stays told when the message was given up, for a day after the last attempt", async () => {
    const userId = await importPerson(place, { mail: false, phone: "+4915112345678" });
    const attempt = deliver({ attempt: down });
    await place.watch.until(() => place.postponed.length === 1);
    pass(codeLifetimesMs.phone);
    await attempt(down, () => place.logged.join().includes("a message was given up"));
    expect(await said()).toEqual([expect.stringMatching(/^SMS have failed for \d+ min: no mail/)]);
    place.clock.nowMs = startMs + troubleLimits.toldMs - 1;
    expect(await said()).toHaveLength(1);
    pass(1);
    expect([(await condition()).figures, await said()]).toMatchObject([none, []]);
    await addCode(place, userId, "phone");
    await attempt({ kind: "sent" }, () => place.logged.join().includes("a message was sent"));
    expect(await said()).toEqual([]);
  });

  test("is not told of a mail that was refused for good, nor ended by it", async () => {
    const refused: Attempt = { kind: "refused", problem: "the mail server answered 550 5.1.1" };
    await importPerson(place);
    const attempt = deliver({ attempt: refused });
    await place.watch.until(() => place.logged.join().includes("a message was given up"));
    pass(troubleLimits.untoldMs);
    expect([(await condition()).figures, await said()]).toMatchObject([none, []]);
    await importPerson(place);
    await attempt(down, () => place.postponed.length === 1);
    await importPerson(place);
    await attempt(refused, () => place.logged.join().split("given up").length === 4);
    pass(troubleLimits.untoldMs);
    expect(await said()).toHaveLength(1);
  });

  test("is not told of what was called off as the process stopped", async () => {
    await importPerson(place);
    let isUnderWay = false;
    const worker = place.start({
      channels: {
        email: (_message, signal) => {
          isUnderWay = true;
          place.watch.happened();
          const called = { kind: "missed", problem: "called off" } as const;
          return new Promise((resolve) => signal.addEventListener("abort", () => resolve(called)));
        },
        sms: async () => down,
      },
    });
    await place.watch.until(() => isUnderWay);
    const stopped = worker.stop();
    await place.watch.until(() => place.timers.has(5_000));
    place.timers.get(5_000)?.();
    await stopped;
    pass(troubleLimits.untoldMs);
    expect([(await condition()).figures, await said()]).toMatchObject([none, []]);
  });

  test.each(shortened<LogKind>(["file", "postgres"]))(
    "is told by /readyz with 200, by a service on: %s",
    async (kind) => {
      let nowMs = Date.now();
      const server = await startServer({ kind, now: () => nowMs });
      try {
        const ready = async () => {
          const answer = await fetch(`${server.url}/readyz`);
          const { warnings, mailsFailingMs } = (await answer.json()) as {
            readonly warnings: readonly string[];
            readonly mailsFailingMs: number;
          };
          return [answer.status, mailsFailingMs, warnings.filter((one) => one.includes("failed"))];
        };
        expect(await ready()).toEqual([200, 0, []]);
        await noteAttempt(server.store, "email", down, nowMs);
        nowMs += 120_000;
        await noteAttempt(server.store, "email", down, nowMs);
        const told = [`Mails have failed for 2 min: ${down.problem}`];
        expect(await ready()).toEqual([200, 120_000, told]);
        await noteAttempt(server.store, "email", { kind: "sent" }, nowMs);
        expect(await ready()).toEqual([200, 0, []]);
      } finally {
        await server.close();
      }
    },
  );
});
