import { expect, it } from "@jest/globals";
import { StoreUnavailable } from "../../../src/store/store.ts";
import {
  append,
  asking,
  change,
  claim,
  eventsOf,
  keysOf,
  lease,
  readLog,
  timeMs,
} from "../fixture.ts";
import type { Open } from "./place.ts";

/** What outlives a store, and what a closed one still does. */
export function lifeCases(open: Open): void {
  it("is ready when it is open", async () => {
    const store = await open();
    await expect(store.ready()).resolves.toBeUndefined();
  });

  it("finds everything again when it is opened again", async () => {
    const store = await open();
    const take = [claim("name")];
    await store.append(append([asking("thing-1", 0, { take }), change("thing-2", 0)]));
    await store.append(append([change("thing-2", 1, { state: undefined, row: undefined })]));
    const before = [
      await readLog(store),
      await store.load(["thing-1", "thing-2"]),
      await store.list({ kind: "thing", offset: 0, limit: 10 }),
    ];
    await store.close();
    const again = await open();
    expect(await readLog(again)).toEqual(before[0]);
    expect(await again.load(["thing-1", "thing-2"])).toEqual(before[1]);
    expect(await again.list({ kind: "thing", offset: 0, limit: 10 })).toEqual(before[2]);
    expect(await again.find(claim("name"))).toBe("thing-1");
    expect(keysOf(await lease(again, timeMs))).toEqual(["1 code"]);
  });

  it("goes on counting positions and versions where it stopped", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    await store.close();
    const again = await open();
    const stale = await again.append(append([change("thing-1", 0)]));
    expect(stale).toEqual({ kind: "version-conflict", stream: "thing-1" });
    const [event] = eventsOf(await again.append(append([change("thing-1", 1)])));
    expect(event).toMatchObject({ position: 2n, version: 2 });
  });

  it("finishes the appends that it accepted before it closes", async () => {
    const store = await open();
    const accepted = Array.from({ length: 20 }, (_, i) =>
      store.append(append([change(`thing-${i}`, 0)])),
    );
    await store.close();
    expect((await Promise.all(accepted)).flatMap(eventsOf)).toHaveLength(20);
    expect(await readLog(await open())).toHaveLength(20);
  });

  it("rejects everything from the moment it is told to close", async () => {
    const store = await open();
    await store.append(append([asking("thing-0", 0)]));
    const [message] = await lease(store, timeMs);
    const closing = store.close();
    const uses = () => [
      store.load(["thing-1"]),
      store.append(append([change("thing-1", 0)])),
      store.find(claim("name")),
      store.holders({ kind: "name", scope: "org-1" }, 1),
      store.list({ kind: "thing", offset: 0, limit: 1 }),
      store.readStream("thing-1", 0, 1),
      store.readAll(0n, 1),
      store.search({ after: 0n, limit: 1 }),
      store.head(),
      store.recall("key", timeMs),
      store.rememberedOf("user-1"),
      store.pendingMessages("thing-1", 1),
      store.forgetAnswers(timeMs),
      store.artifacts.write([{ kind: "remove", key: "key" }], timeMs),
      store.artifacts.find("key", timeMs),
      store.artifacts.findAlias("key", timeMs),
      store.artifacts.forget(timeMs),
      lease(store, timeMs),
      store.postponeMessage(message!, timeMs),
      store.ready(),
    ];
    const early = uses();
    for (const use of early) await expect(use).rejects.toThrow(StoreUnavailable);
    await closing;
    for (const use of uses()) await expect(use).rejects.toThrow(StoreUnavailable);
    expect(await readLog(await open())).toHaveLength(1);
  });

  it("closes as often as it is told to", async () => {
    const store = await open();
    await Promise.all([store.close(), store.close()]);
    await expect(store.close()).resolves.toBeUndefined();
  });
}
