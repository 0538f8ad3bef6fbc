import { expect, it } from "@jest/globals";
import { few } from "../../harness/in-full.ts";
import { append, change, claim, eventsOf, expectGapless, readLog, timeMs } from "../fixture.ts";
import type { Open } from "./place.ts";

/** What one append does, and when it is refused. */
export function appendCases(open: Open): void {
  it("records every event with what is known about it", async () => {
    const store = await open();
    const events = [
      { type: "thing.added", payload: '{"name":"one"}' },
      { type: "thing.renamed", payload: '{"name":"two"}' },
    ];
    const result = await store.append(append([change("thing-1", 0, { events })]));
    const common = { stream: "thing-1", owner: "org-1", actor: "user-1", timeMs };
    const recorded = [
      { ...common, ...events[0], position: 1n, version: 1 },
      { ...common, ...events[1], position: 2n, version: 2 },
    ];
    expect(eventsOf(result)).toEqual(recorded);
    expect(await store.readStream("thing-1", 0, 10)).toEqual(recorded);
    expect(await store.readAll(0n, 10)).toEqual(recorded);
  });

  it("numbers positions from 1 without gaps, whatever was refused in between", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0), change("thing-2", 0)]));
    await store.append(append([change("thing-3", 0), change("thing-1", 0)]));
    await store.append(append([change("thing-3", 0, { take: [claim("name")] })]));
    await store.append(append([change("thing-4", 0, { take: [claim("name")] })]));
    await store.append(append([change("thing-1", 1)]));
    expect(await expectGapless(store)).toBe(4);
  });

  it("refuses version 0 for a stream that exists", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    const again = await store.append(append([change("thing-1", 0)]));
    expect(again).toEqual({ kind: "version-conflict", stream: "thing-1" });
    expect(await store.readAll(0n, 10)).toHaveLength(1);
  });

  few(2).each([0, 1, 3, 4])("refuses version %d for a stream at version 2", async (expected) => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    await store.append(append([change("thing-1", 1)]));
    const result = await store.append(append([change("thing-1", expected)]));
    expect(result).toEqual({ kind: "version-conflict", stream: "thing-1" });
    expect(await store.readAll(0n, 10)).toHaveLength(2);
  });

  it("refuses version 1 for a stream that does not exist", async () => {
    const store = await open();
    const result = await store.append(append([change("thing-1", 1)]));
    expect(result).toEqual({ kind: "version-conflict", stream: "thing-1" });
    expect(await store.readAll(0n, 10)).toEqual([]);
  });

  it("tells streams apart by case", async () => {
    const store = await open();
    await store.append(append([change("thing-a", 0)]));
    eventsOf(await store.append(append([change("thing-A", 0)])));
  });

  it("writes several streams or none of them", async () => {
    const store = await open();
    await store.append(append([change("thing-2", 0)]));
    const result = await store.append(
      append([
        change("thing-1", 0, { take: [claim("one")] }),
        change("thing-2", 0, { take: [claim("two")] }),
        change("thing-3", 0, { take: [claim("three")] }),
      ]),
    );
    expect(result).toEqual({ kind: "version-conflict", stream: "thing-2" });
    expect(await readLog(store)).toHaveLength(1);
    const objects = await store.load(["thing-1", "thing-2", "thing-3"]);
    expect(objects.map(({ version }) => version)).toEqual([0, 1, 0]);
    for (const value of ["one", "two", "three"]) {
      expect(await store.find(claim(value))).toBeUndefined();
    }
  });

  it("gives the events of several streams consecutive positions", async () => {
    const store = await open();
    const twice = [
      { type: "thing.added", payload: "{}" },
      { type: "thing.renamed", payload: "{}" },
    ];
    const changes = [change("thing-1", 0, { events: twice }), change("thing-2", 0)];
    const events = eventsOf(await store.append(append(changes)));
    expect(events.map(({ position, stream, version }) => [position, stream, version])).toEqual([
      [1n, "thing-1", 1],
      [2n, "thing-1", 2],
      [3n, "thing-2", 1],
    ]);
  });

  it("appends when streams that it relied on are unchanged", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    const unchanged = [
      { stream: "thing-1", version: 1 },
      { stream: "thing-9", version: 0 },
    ];
    eventsOf(await store.append(append([change("thing-2", 0)], { unchanged })));
  });

  it.each([0, 2])("refuses when a stream at version 1 was relied on at %d", async (version) => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    const unchanged = [{ stream: "thing-1", version }];
    const result = await store.append(append([change("thing-2", 0)], { unchanged }));
    expect(result).toEqual({ kind: "version-conflict", stream: "thing-1" });
    expect(await store.readAll(0n, 10)).toHaveLength(1);
  });

  it("keeps the version of a removed object", async () => {
    const store = await open();
    const removal = { state: undefined, row: undefined };
    await store.append(append([change("thing-1", 0)]));
    await store.append(append([change("thing-1", 1, removal)]));
    const [removed] = await store.load(["thing-1"]);
    expect(removed).toMatchObject({ version: 2, owner: "org-1", state: undefined });
    const created = await store.append(append([change("thing-1", 0)]));
    expect(created).toEqual({ kind: "version-conflict", stream: "thing-1" });
    const [event] = eventsOf(await store.append(append([change("thing-1", 2)])));
    expect(event).toMatchObject({ version: 3 });
  });

  it("rejects an owner other than the one of the first event", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    const moved = append([change("thing-1", 1, { owner: "org-2" })]);
    await expect(store.append(moved)).rejects.toThrow("thing-1 belongs to org-1");
    expect(await store.readAll(0n, 10)).toHaveLength(1);
  });

  it("rejects what is no append: no change, no event, a stream twice, half an object", async () => {
    const store = await open();
    const wrong = [
      append([]),
      append([change("thing-1", 0, { events: [] })]),
      append([change("thing-1", 0), change("thing-1", 1)]),
      append([change("thing-1", 0, { row: undefined })]),
      append([change("thing-1", 0, { state: undefined })]),
    ];
    for (const each of wrong) await expect(store.append(each)).rejects.toThrow(Error);
    expect(await store.readAll(0n, 10)).toEqual([]);
  });
}
