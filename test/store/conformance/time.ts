import { expect, it } from "@jest/globals";
import type { Append } from "../../../src/store/store.ts";
import { append, asking, change, claim, eventsOf, readLog, timeMs } from "../fixture.ts";
import type { Open } from "./place.ts";

const behindMs = 5_000;
const behind = { kind: "time-behind" };

/** An append of one event so long after the time of the fixture, which bears what is later. */
function at(stream: string, laterMs: number, rest: Partial<Append> = {}): Append {
  return append([change(stream, 0)], { timeMs: timeMs + laterMs, behindMs, ...rest });
}

/** By how much an append may be dated before the event that it comes behind. */
export function timeCases(open: Open): void {
  it("takes an append that is behind by as much as it bears, and none by more", async () => {
    const store = await open();
    eventsOf(await store.append(at("thing-1", 0)));
    eventsOf(await store.append(at("thing-2", -behindMs)));
    eventsOf(await store.append(at("thing-3", 0)));
    expect(await store.append(at("thing-4", -behindMs - 1))).toEqual(behind);
    expect(await store.append(at("thing-4", -1, { behindMs: 0 }))).toEqual(behind);
    eventsOf(await store.append(at("thing-4", 0, { behindMs: 0 })));
    expect((await readLog(store)).map((event) => event.timeMs - timeMs)).toEqual([
      ...[0, -behindMs, 0, 0],
    ]);
  });

  it("takes one that says nothing of it at any time", async () => {
    const store = await open();
    eventsOf(await store.append(at("thing-1", 0)));
    eventsOf(await store.append(append([change("thing-2", 0)], { timeMs: 1 })));
  });

  it("compares it with what others wrote, and what was there before it was opened", async () => {
    const [store, other] = [await open(), await open()];
    eventsOf(await other.append(at("thing-1", 0)));
    expect(await store.append(at("thing-2", -behindMs - 1))).toEqual(behind);
    const anew = await open();
    expect(await anew.append(at("thing-2", -behindMs - 1))).toEqual(behind);
    eventsOf(await anew.append(at("thing-2", -behindMs)));
  });

  it("compares it with what was appended in the same turn", async () => {
    const store = await open();
    const results = await Promise.all([
      store.append(at("thing-1", 0)),
      store.append(at("thing-2", -behindMs - 1)),
      store.append(at("thing-3", -behindMs)),
      store.append(at("thing-4", 1)),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual([
      ...["appended", "time-behind", "appended", "appended"],
    ]);
  });

  it("leaves nothing behind of what it refuses", async () => {
    const store = await open();
    eventsOf(await store.append(at("thing-1", 0)));
    const quota = { ...claim("+41"), most: 1, perMs: 1_000, isPatient: false };
    const message = { event: 0, field: "code", quotas: [quota] };
    const changes = [asking("thing-2", 0, { take: [claim("name")], messages: [message] })];
    const late = append(changes, { timeMs: timeMs - behindMs - 1, behindMs });
    expect(await store.append(late)).toEqual(behind);
    expect(await store.find(claim("name"))).toBeUndefined();
    expect((await store.load(["thing-2"]))[0]?.version).toBe(0);
    expect(await readLog(store)).toHaveLength(1);
    eventsOf(await store.append({ ...late, timeMs }));
  });

  it("answers what is remembered, and what else stands against it, all the same", async () => {
    const store = await open();
    const [request, answer] = [Buffer.from("r"), Buffer.from("a")];
    const remember = { key: "key", request, answer, secret: undefined };
    eventsOf(await store.append(at("thing-1", 0, { remember })));
    expect(await store.append(at("thing-2", -behindMs - 1, { remember }))).toEqual({
      kind: "key-taken",
    });
    expect(await store.append(at("thing-1", -behindMs - 1))).toEqual({
      ...{ kind: "version-conflict", stream: "thing-1" },
    });
  });
}
