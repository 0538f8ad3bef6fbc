import { expect, it } from "@jest/globals";
import type { RecordedEvent } from "../../../src/event.ts";
import type { Remember } from "../../../src/store/answer.ts";
import { ofUser } from "../../../src/store/artifact.ts";
import { isErased } from "../../../src/store/erasure.ts";
import type { Change, Store } from "../../../src/store/store.ts";
import { append, change, eventsOf, readLog, things, timeMs } from "../fixture.ts";
import { singly } from "../singly.ts";
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

const answerTo = (key: string): Remember => {
  return { key, request: new Uint8Array(1), answer: new Uint8Array(1), secret: undefined };
};

/** What is kept of a user: a session, a grant with a token of it, and an answer. */
const all = ["session", "grant", "token", "answer"];

/** Keeps all of it. */
async function keepOf(store: Store, userId: string): Promise<void> {
  const { put } = singly(store.artifacts);
  const rest = { payload: "", expiresMs: timeMs + 1 };
  await put({ key: `session of ${userId}`, family: ofUser(userId), ...rest });
  const family = `login of ${userId}`;
  await put({ key: `grant of ${userId}`, family, alias: ofUser(userId), ...rest });
  await put({ key: `token of ${userId}`, family, ...rest });
  const answered = { actor: userId, remember: answerTo(`answer of ${userId}`) };
  eventsOf(await store.append(append([change(`thing-of-${userId}`, 0)], answered)));
}

/** What of it is there. */
async function leftOf(store: Store, userId: string): Promise<readonly string[]> {
  const found = all.map(async (what) => {
    const key = `${what} of ${userId}`;
    const kept = await (what === "answer"
      ? store.recall(key, timeMs)
      : store.artifacts.find(key, timeMs));
    return kept === undefined ? [] : [what];
  });
  return (await Promise.all(found)).flat();
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

  it("takes away what is kept of the users that it names beside the log", async () => {
    const store = await open();
    await write(store);
    for (const user of ["ada", "grace"]) await keepOf(store, user);
    const stale = append([erasure("thing-1", 2)], { users: ["ada"] });
    expect(await store.append(stale)).toMatchObject({ kind: "version-conflict" });
    expect(await leftOf(store, "ada")).toEqual(all);
    eventsOf(await store.append(append([erasure("thing-1", 3)], { users: ["ada", "nobody"] })));
    for (const reader of [store, await open()]) {
      expect(await leftOf(reader, "ada")).toEqual([]);
      expect(await leftOf(reader, "grace")).toEqual(all);
    }
  });

  it("keeps no answer of a caller whom it names, its own included", async () => {
    const store = await open();
    await write(store);
    const last = { actor: "ada", users: ["ada"], remember: answerTo("last") };
    eventsOf(await store.append(append([erasure("thing-1", 3)], last)));
    expect(await store.recall("last", timeMs)).toBeUndefined();
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

  it("rejects a change with an event behind the one that erases", async () => {
    const store = await open();
    await write(store);
    const erasing = { type: "thing.forgotten", payload: '{"through":1,"types":["thing.added"]}' };
    const behind = change("thing-1", 3, { events: [erasing, ...events(secret)] });
    await expect(store.append(append([behind]))).rejects.toThrow("behind one that erases");
    expect(await readLog(store)).toHaveLength(4);
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

  it("erases one long stream that goes on after it was erased, and forgets in it", async () => {
    const store = await open();
    const long = Array<string>(250).fill(secret);
    const types = ["thing.added"];
    const forgotten = { type: "thing.forgotten", payload: JSON.stringify({ through: 250, types }) };
    const texts = async () => textsOf(await readLog(store));
    const add = (version: number) => change("thing-1", version, { events: events(...long) });
    await store.append(append([add(0)]));
    await store.append(append([change("thing-1", 250, { events: [forgotten] })]));
    expect(await texts()).toEqual([...long.map(() => ""), forgotten.payload]);
    await store.append(append([erasure("thing-1", 251)]));
    await store.append(append([add(252)]));
    await store.append(append([erasure("thing-1", 502)]));
    expect((await texts()).filter((text) => text !== "")).toEqual(['{"reason":"asked"}']);
  });
}
