import { expect, it } from "@jest/globals";
import type { Quota } from "../../../src/event.ts";
import type { Append, AppendResult, Store } from "../../../src/store/store.ts";
import {
  append,
  asking,
  change,
  claim,
  eventsOf,
  keysOf,
  lease,
  things,
  timeMs,
} from "../fixture.ts";
import type { Open } from "./place.ts";

const dayMs = 86_400_000;
const number: Quota = {
  ...{ kind: "sms.number", scope: "", value: "+49 30" },
  ...{ most: 3, perMs: dayMs, isPatient: false },
};
const patient: Quota = { ...number, kind: "mail.org", isPatient: true };

let made = 0;
/** An append of a new thing that asks for a message within quotas. */
function asks(quotas: readonly Quota[], rest: Partial<Append> = {}): Append {
  made += 1;
  const messages = [{ event: 0, field: "code", quotas }];
  const events = [{ type: "thing.added", payload: JSON.stringify({ name: `name ${made}` }) }];
  return append([asking(`thing-${made}`, 0, { messages, events })], rest);
}

async function ask(store: Store, quotas: readonly Quota[], atMs = timeMs): Promise<AppendResult> {
  return store.append(asks(quotas, { timeMs: atMs }));
}

/** Milliseconds from now on after which what was asked for last is due. */
async function waitOf(store: Store, quotas: readonly Quota[], atMs = timeMs): Promise<number> {
  const [event] = eventsOf(await ask(store, quotas, atMs));
  const leased = await lease(store, Number.MAX_SAFE_INTEGER / 2);
  const one = leased.find(({ event: { position } }) => position === event!.position);
  return one!.sinceMs - atMs;
}

/** Messages that count against quotas. */
export function quotaCases(open: Open): void {
  it("has room for as many as it says, and refuses one past them with the time", async () => {
    const store = await open();
    for (let count = 0; count < number.most; count += 1) eventsOf(await ask(store, [number]));
    const log = await store.readAll(0n, 9);
    const roomMs = timeMs + dayMs / 3;
    const spent = { kind: "quota-spent", quota: number, roomMs };
    expect(await ask(store, [number])).toEqual(spent);
    expect(await ask(store, [number], roomMs - 1)).toEqual(spent);
    expect(await store.readAll(0n, 9)).toEqual(log);
    eventsOf(await ask(store, [number], roomMs));
    expect(await ask(store, [number], roomMs)).toMatchObject({ kind: "quota-spent" });
  });

  it("has all of it again when its time has passed, and no more than that", async () => {
    const store = await open();
    const fill = async (atMs: number) => {
      for (let count = 0; count < number.most; count += 1)
        eventsOf(await ask(store, [number], atMs));
      expect((await ask(store, [number], atMs)).kind).toBe("quota-spent");
    };
    await fill(timeMs);
    await fill(timeMs + dayMs);
    await fill(timeMs + 400 * dayMs);
  });

  it("puts off what is past a patient one, in order and evenly", async () => {
    const store = await open();
    const waits: number[] = [];
    for (let count = 0; count < 7; count += 1) waits.push(await waitOf(store, [patient]));
    expect(waits).toEqual([0, 0, 0, dayMs / 3, (2 * dayMs) / 3, dayMs, (4 * dayMs) / 3]);
  });

  it("leases what was put off when it is due, and not before", async () => {
    const store = await open();
    const one = { ...patient, most: 1 };
    eventsOf(await ask(store, [one]));
    eventsOf(await ask(store, [one]));
    expect(keysOf(await lease(store, timeMs))).toEqual(["1 code"]);
    expect(keysOf(await lease(store, timeMs + dayMs - 1))).toEqual(["1 code"]);
    expect(keysOf(await lease(store, timeMs + dayMs))).toEqual(["2 code"]);
  });

  it("leases what waits for its quota no earlier where no pause is as long", async () => {
    const store = await open();
    const one = { ...patient, most: 1 };
    for (let count = 0; count < 2; count += 1) eventsOf(await ask(store, [one]));
    const query = { nowMs: timeMs, leaseMs: dayMs, limit: 9, pauseMaxMs: 1_000 };
    expect(keysOf(await store.leaseMessages(query))).toEqual(["1 code"]);
    // The first may have been put off by a clock that was ahead, the second was by none.
    expect(keysOf(await store.leaseMessages(query))).toEqual(["1 code"]);
  });

  it("counts against each of several, later ones when those before have room", async () => {
    const store = await open();
    const [one, two] = [
      { ...patient, most: 1 },
      { ...patient, most: 2, kind: "mail.address" },
    ];
    const waits: number[] = [];
    for (let count = 0; count < 3; count += 1) waits.push(await waitOf(store, [one, two]));
    expect(waits).toEqual([0, dayMs, 2 * dayMs]);
    // The second was free all the time: it counts what leaves, when it leaves.
    expect(await waitOf(store, [two], timeMs + 2 * dayMs)).toBe(0);
    expect(await waitOf(store, [two], timeMs + 2 * dayMs)).toBe(dayMs / 2);
  });

  it("uses none of any where one refuses", async () => {
    const store = await open();
    const other = { ...number, value: "other", most: 1 };
    eventsOf(await ask(store, [other]));
    for (let count = 0; count < 5; count += 1) {
      expect(await ask(store, [number, other])).toMatchObject({ quota: other });
    }
    for (let count = 0; count < number.most; count += 1) eventsOf(await ask(store, [number]));
  });

  it("counts the messages of one append one after the other", async () => {
    const store = await open();
    const messages = [{ event: 0, field: "code", quotas: [{ ...number, most: 2 }] }];
    const changes = (names: readonly string[]) =>
      names.map((name) => asking(name, 0, { messages }));
    const three = append(changes(["thing-x", "thing-y", "thing-z"]));
    expect(await store.append(three)).toMatchObject({ kind: "quota-spent" });
    eventsOf(await store.append(append(changes(["thing-x", "thing-y"]))));
    expect(await store.append(append(changes(["thing-z"])))).toMatchObject({ kind: "quota-spent" });
  });

  it.each([
    ["kind", { kind: "x" }],
    ["scope", { scope: "x" }],
    ["value", { value: "x" }],
  ])("is another one with another %s", async (_, other) => {
    const store = await open();
    const one = { ...number, most: 1 };
    eventsOf(await ask(store, [one]));
    eventsOf(await ask(store, [{ ...one, ...other }]));
    expect((await ask(store, [one])).kind).toBe("quota-spent");
  });

  it("says once in its time that it is spent, with the message that used the last", async () => {
    const store = await open();
    const spentAt = async (atMs: number) => {
      const result = await ask(store, [patient], atMs);
      return result.kind === "appended" && result.spent;
    };
    const steps = [0, 0, 0, 0, dayMs / 3, dayMs - 1, dayMs, 3 * dayMs, 3 * dayMs, 3 * dayMs];
    const said: unknown[] = [];
    for (const step of steps) said.push(await spentAt(timeMs + step));
    const told = [patient];
    expect(said).toEqual([[], [], told, [], [], [], told, [], [], told]);
  });

  it("answers with the version and the claim first", async () => {
    const store = await open();
    const one = { ...number, most: 1 };
    const messages = [{ event: 0, field: "code", quotas: [one] }];
    const take = [claim("taken")];
    eventsOf(await store.append(append([asking("thing-v", 0, { messages, take })])));
    const again = (stream: string, expected: number) =>
      store.append(append([asking(stream, expected, { messages, take })]));
    expect((await again("thing-v", 0)).kind).toBe("version-conflict");
    expect((await again("thing-w", 0)).kind).toBe("claim-taken");
    expect((await again("thing-v", 1)).kind).toBe("quota-spent");
  });

  it("counts what was used before the store was opened anew, or rebuilt", async () => {
    let store = await open(things(1));
    for (const revision of [1, 2, 3]) {
      eventsOf(await ask(store, [number]));
      await store.close();
      store = await open(things(revision));
    }
    expect((await ask(store, [number])).kind).toBe("quota-spent");
  });

  it("is shared by all who have the same data open, however they hurry", async () => {
    const stores = [await open(), await open()];
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask(stores[i % 2]!, [{ ...number, most: 7 }])),
    );
    expect(results.filter(({ kind }) => kind === "appended")).toHaveLength(7);
  });

  it.each([
    ["a second", 1_000],
    ["a day", dayMs],
    ["a year", 365 * dayMs],
  ])("has no room for more when the clock is set back by %s", async (_, backMs) => {
    const store = await open();
    for (let count = 0; count < number.most; count += 1) eventsOf(await ask(store, [number]));
    expect((await ask(store, [number], timeMs - backMs)).kind).toBe("quota-spent");
    // Nobody has to wait until the clock has caught up.
    eventsOf(await ask(store, [number], timeMs - backMs + 2 * dayMs));
  });

  it("has no room for more when the clock runs ahead and is set back", async () => {
    const store = await open();
    for (const aheadMs of [0, 400 * dayMs, 0]) {
      for (let count = 0; count < 9; count += 1) await ask(store, [number], timeMs + aheadMs);
    }
    // Those of now, and those of the time that seemed to have passed.
    expect(await store.readAll(0n, 99)).toHaveLength(2 * number.most);
  });

  it("counts a message without a quota against none", async () => {
    const store = await open();
    const appended = await store.append(append([change("thing-n", 0), asking("thing-m", 0)]));
    expect(appended).toMatchObject({ kind: "appended", spent: [] });
    expect(keysOf(await lease(store, timeMs))).toEqual(["2 code"]);
  });
}
