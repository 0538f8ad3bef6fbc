import { expect, it } from "@jest/globals";
import { appendLimits } from "../../../src/store/store.ts";
import { append, change, eventsOf, expectGapless } from "../fixture.ts";
import type { Open } from "./place.ts";

/** `appendLimits`, each at the limit and one past it. */
export function limitCases(open: Open): void {
  const event = { type: "thing.added", payload: "{}" };

  it("takes as many events as the limit says, and not one more", async () => {
    const store = await open();
    const half = appendLimits.events / 2;
    const changes = (extra: number) => [
      change("thing-1", 0, { events: Array(half).fill(event) }),
      change("thing-2", 0, { events: Array(half + extra).fill(event) }),
    ];
    await expect(store.append(append(changes(1)))).rejects.toThrow(RangeError);
    expect(await store.readAll(0n, 1)).toEqual([]);
    const events = eventsOf(await store.append(append(changes(0))));
    expect(events).toHaveLength(appendLimits.events);
    expect(await expectGapless(store)).toBe(appendLimits.events);
  });

  // A letter of two bytes shows whether bytes or characters are counted.
  const largest = `"${"ä".repeat(appendLimits.textBytes / 2 - 1)}"`;
  const tooLarge = `${largest} `;

  it("takes a payload of as many bytes as the limit says, and not one more", async () => {
    const store = await open();
    const made = (payload: string) =>
      append([change("thing-1", 0, { events: [event, { type: "thing.renamed", payload }] })]);
    await expect(store.append(made(tooLarge))).rejects.toThrow(RangeError);
    expect(await store.readAll(0n, 1)).toEqual([]);
    eventsOf(await store.append(made(largest)));
    expect((await store.readAll(1n, 1))[0]?.payload).toBe(largest);
  });

  it("takes a state of as many bytes as the limit says, and not one more", async () => {
    const store = await open();
    const made = (state: string) => append([change("thing-1", 0, { state })]);
    await expect(store.append(made(tooLarge))).rejects.toThrow(RangeError);
    expect(await store.readAll(0n, 1)).toEqual([]);
    eventsOf(await store.append(made(largest)));
    expect((await store.load(["thing-1"]))[0]?.state).toBe(largest);
  });

  it("does not let an append past a limit disturb the others of its turn", async () => {
    const store = await open();
    const made = [change("thing-1", 0), change("thing-2", 0, { state: tooLarge })];
    const settled = await Promise.allSettled(made.map((each) => store.append(append([each]))));
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await expectGapless(store)).toBe(1);
  });
}
