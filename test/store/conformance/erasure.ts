import { expect, it } from "@jest/globals";
import type { RecordedEvent } from "../../../src/event.ts";
import { isErased } from "../../../src/store/erasure.ts";
import type { Change, Store } from "../../../src/store/store.ts";
import { append, change, eventsOf, readLog, things } from "../fixture.ts";
import type { Open } from "./place.ts";

const events = (...payloads: readonly string[]) =>
  payloads.map((payload) => ({ type: "thing.added", payload }));
const [secret, other] = ['{"name":"Ada 😀"}', '{"name":"Grace"}'];

/** The change that erases a stream. */
const erasure = (stream: string, expected: number): Change =>
  change(stream, expected, {
    events: [{ type: "thing.erased", payload: '{"reason":"asked"}' }],
    ...{ state: undefined, row: undefined },
  });

/** Writes two streams, one after the other, the first twice. */
async function write(store: Store): Promise<void> {
  await store.append(append([change("thing-1", 0, { events: events(secret, secret) })]));
  await store.append(append([change("thing-2", 0, { events: events(other) })]));
  await store.append(append([change("thing-1", 2, { events: events(secret) })]));
}

const textsOf = (read: readonly RecordedEvent[]) => read.map(({ payload }) => payload);

/** What an append does whose event erases its stream. */
export function erasureCases(open: Open): void {
  it("takes the payloads before it in its stream, and nothing else", async () => {
    const store = await open();
    await write(store);
    const before = await readLog(store);
    const link = await store.linkAt(4n);
    const [erased] = eventsOf(await store.append(append([erasure("thing-1", 3)])));
    for (const reader of [store, await open()]) {
      const after = await readLog(reader);
      expect(textsOf(after)).toEqual(["", "", other, "", '{"reason":"asked"}']);
      expect(after.map(isErased)).toEqual([true, true, false, true, false]);
      const withTheirs = after.map((event, i) => ({ ...event, payload: before[i]?.payload }));
      expect(withTheirs.slice(0, 4)).toEqual(before);
      expect(await reader.linkAt(4n)).toEqual(link);
      expect(await reader.readStream("thing-1", 3, 9)).toEqual([erased]);
      expect(
        textsOf((await reader.search({ streams: ["thing-1"], after: 0n, limit: 9 })).events),
      ).toEqual(textsOf([...after.slice(0, 2), ...after.slice(3)]));
    }
  });

  it("erases several streams of one append, with the events that it has before", async () => {
    const store = await open();
    await write(store);
    const last = erasure("thing-1", 3);
    const removal = { type: "thing.removed", payload: '{"by":"Ada"}' };
    const both = [{ ...last, events: [removal, ...last.events] }, erasure("thing-2", 1)];
    await store.append(append(both));
    expect(textsOf(await readLog(await open())).filter((text) => text !== "")).toEqual([
      '{"reason":"asked"}',
      '{"reason":"asked"}',
    ]);
  });

  it("does nothing where the append is refused", async () => {
    const store = await open();
    await write(store);
    const refused = await store.append(append([erasure("thing-1", 2), erasure("thing-2", 1)]));
    expect(refused).toMatchObject({ kind: "version-conflict" });
    expect(textsOf(await readLog(store))).toEqual([secret, secret, other, secret]);
  });

  it("is the same when everything is made anew from the log", async () => {
    const store = await open();
    await write(store);
    await store.append(append([erasure("thing-1", 3)]));
    const again = await open(things(2));
    expect(await again.load(["thing-1", "thing-2"])).toMatchObject([
      { version: 4, state: undefined },
      { version: 1, state: expect.stringContaining("Grace") },
    ]);
  });

  it("forgets events of some types up to a version, and what was forgotten before", async () => {
    const store = await open();
    const named = (type: string) => [{ type, payload: secret }];
    const write = async (version: number, type: string) =>
      eventsOf(await store.append(append([change("thing-1", version, { events: named(type) })])));
    const forget = async (version: number, through: number) => {
      const payload = JSON.stringify({ through, types: ["thing.changed"] });
      const forgotten = [{ type: "thing.forgotten", payload }];
      await store.append(append([change("thing-1", version, { events: forgotten })]));
      return payload;
    };
    await store.append(append([change("thing-2", 0, { events: named("thing.changed") })]));
    const types = ["thing.added", "thing.changed", "thing.changed", "thing.changed"];
    for (const [version, type] of types.entries()) await write(version, type);
    const first = await forget(4, 3);
    const link = await store.linkAt(4n);
    const texts = async () => textsOf(await readLog(await open()));
    expect(await texts()).toEqual([secret, secret, "", "", secret, first]);
    await write(5, "thing.changed");
    const second = await forget(6, 4);
    expect(await texts()).toEqual([secret, secret, "", "", "", "", secret, second]);
    expect(await (await open()).linkAt(4n)).toEqual(link);
  });

  it("erases again what was erased", async () => {
    const store = await open();
    await write(store);
    await store.append(append([erasure("thing-1", 3)]));
    await store.append(append([erasure("thing-1", 4)]));
    expect(textsOf(await readLog(await open()))).toEqual([
      ...["", "", other, "", ""],
      '{"reason":"asked"}',
    ]);
  });
}
