import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { askToTell, logout, type Telling } from "../../src/domain/logout.ts";
import type { Attempt } from "../../src/domain/sending.ts";
import { workerLimits } from "../../src/notify/limits.ts";
import { createTelling, logoutTypes, toldWithinMs } from "../../src/notify/logout.ts";
import { type NotifyPlace, notifyPlace, organization, removeOrganization } from "./place.ts";

let place: NotifyPlace;

beforeEach(async () => {
  place = await notifyPlace();
  const ended = { userId: "me", sessionId: "session", told: ["one", "two"] };
  await place.execute({
    actor: "me",
    writes: { logout: { noun: logout, id: "1", owner: organization } },
    decide: () => ({ events: { logout: askToTell(ended) } }),
  });
});
afterEach(() => place.remove());

/** Takes what is due and tells each; answers whom, and what was recorded of it. */
async function tellAll(attempt: Attempt) {
  const { store, execute, options, clock } = place;
  const told: Telling[] = [];
  const tell = async (telling: Telling) => {
    told.push(telling);
    return attempt;
  };
  const { signal } = new AbortController();
  const { log, now, jitter } = options;
  const carry = createTelling({
    ...{ store, execute, tell, signal, log, now, jitter, limits: workerLimits },
  });
  const lease = { nowMs: clock.nowMs, leaseMs: workerLimits.leaseMs, limit: 10 };
  for (const message of await store.leaseMessages({ ...lease, types: logoutTypes })) {
    await carry(message);
  }
  const events = await store.readStream("logout-1", 0, 10);
  return { told, recorded: events.slice(1).map(({ type, payload }) => [type, payload]) };
}

test("each application is told once, by an id of its own", async () => {
  const { told, recorded } = await tellAll({ kind: "sent" });
  const common = { userId: "me", sessionId: "session" };
  expect(told).toEqual([
    { id: "1-told.0", ...common, clientId: "one" },
    { id: "1-told.1", ...common, clientId: "two" },
  ]);
  expect(recorded.map(([type]) => type)).toEqual(["logout.sent", "logout.sent"]);
  place.clock.nowMs += workerLimits.leaseMs + 1;
  expect((await tellAll({ kind: "sent" })).told).toEqual([]);
});

test("they are told though the organization was removed meanwhile", async () => {
  await removeOrganization(place);
  const { told, recorded } = await tellAll({ kind: "sent" });
  expect(told).toHaveLength(2);
  expect(recorded.map(([type]) => type)).toEqual(["logout.sent", "logout.sent"]);
});

test("what failed is tried again until it is too late, and then given up", async () => {
  const missed = { kind: "missed", problem: "nobody answers" } as const;
  expect((await tellAll(missed)).recorded).toEqual([]);
  expect(place.postponed).toHaveLength(2);
  const { timeMs } = (await place.store.readStream("logout-1", 0, 1))[0]!;
  place.clock.nowMs = timeMs + toldWithinMs - 1;
  const last = await tellAll(missed);
  expect(last.told).toHaveLength(2);
  expect(last.recorded.map(([type]) => type)).toEqual(["logout.failed", "logout.failed"]);
  expect(String(last.recorded[0]?.[1])).toContain("nobody answers");
});

test("nobody is told when it is too late already", async () => {
  place.clock.nowMs += toldWithinMs;
  const { told, recorded } = await tellAll({ kind: "sent" });
  expect([told, recorded.map(([type]) => type)]).toEqual([[], ["logout.failed", "logout.failed"]]);
});
