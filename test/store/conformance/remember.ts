import { expect, it } from "@jest/globals";
import { answerLimits, type Remember, type RememberedAnswer } from "../../../src/store/answer.ts";
import type { Append } from "../../../src/store/store.ts";
import { inFull } from "../../harness/in-full.ts";
import { append, change, claim, eventsOf, timeMs } from "../fixture.ts";
import type { Open } from "./place.ts";

const { keptMs, secretMs } = answerLimits;
const bytes = (text: string) => new TextEncoder().encode(text);

/** What is remembered of an append that asked for `what`. */
function remember(key: string, what: string, { secret = "" } = {}): Remember {
  return {
    key,
    request: bytes(what),
    answer: bytes(`answer to ${what}`),
    secret: secret === "" ? undefined : bytes(secret),
  };
}

/** An append of one event that is remembered. */
function keyed(stream: string, key: string, rest: Partial<Append> = {}): Append {
  return append([change(stream, 0)], { remember: remember(key, stream), ...rest });
}

/** The texts of what is remembered. */
function read(found: RememberedAnswer | undefined) {
  const text = (one: Uint8Array | undefined) => one && Buffer.from(one).toString();
  return found && [text(found.request), text(found.answer), text(found.secret)];
}

/** What is remembered with an append, for how long, and what makes it be forgotten. */
export function rememberCases(open: Open): void {
  it("are there with the events, for every store", async () => {
    const [store, other] = [await open(), await open()];
    await store.append(append([change("thing-1", 0)]));
    const secret = remember("key", "asked", { secret: "told once" });
    eventsOf(await store.append(keyed("thing-2", "key", { remember: secret })));
    for (const each of [store, other]) {
      expect(read(await each.recall("key", timeMs))).toEqual([
        "asked",
        "answer to asked",
        "told once",
      ]);
      expect(await each.recall("KEY", timeMs)).toBeUndefined();
      expect(await each.recall("", timeMs)).toBeUndefined();
    }
  });

  it("refuse another append with their key, whatever else is wrong with it", async () => {
    const store = await open();
    eventsOf(await store.append(keyed("thing-1", "key")));
    const taken = { kind: "key-taken" };
    expect(await store.append(keyed("thing-2", "key"))).toEqual(taken);
    expect(await store.append(keyed("thing-1", "key"))).toEqual(taken);
    expect(await store.append(keyed("thing-3", "key", { actor: "user-2" }))).toEqual(taken);
    expect(await store.readAll(0n, 10)).toHaveLength(1);
    expect(read(await store.recall("key", timeMs))).toEqual([
      "thing-1",
      "answer to thing-1",
      undefined,
    ]);
    eventsOf(await store.append(append([change("thing-2", 0)])));
  });

  it("are those of the first of two at once, in one store or in two", async () => {
    const [store, other] = [await open(), await open()];
    const made = [
      store.append(keyed("thing-1", "one")),
      store.append(keyed("thing-2", "one")),
      store.append(keyed("thing-3", "two")),
      other.append(keyed("thing-4", "two")),
    ];
    const kinds = (await Promise.all(made)).map(({ kind }) => kind);
    expect(kinds.slice(0, 2)).toEqual(["appended", "key-taken"]);
    expect(kinds.slice(2).toSorted()).toEqual(["appended", "key-taken"]);
    expect(await store.readAll(0n, 10)).toHaveLength(2);
  });

  it("are not those of an append that was refused", async () => {
    const store = await open();
    const take = [claim("name")];
    const takes = { changes: [change("thing-2", 0, { take })] };
    eventsOf(await store.append(append([change("thing-1", 0, { take })])));
    for (const refused of [
      keyed("thing-1", "key"),
      keyed("thing-2", "key", takes),
      keyed("thing-2", "key", { unchanged: [{ stream: "thing-1", version: 0 }] }),
      keyed("thing-2", "key", { tallies: [{ kind: "name", scope: "org-1", total: 9 }] }),
    ]) {
      expect((await store.append(refused)).kind).not.toBe("appended");
      expect(await store.recall("key", timeMs)).toBeUndefined();
    }
    eventsOf(await store.append(keyed("thing-2", "key")));
  });

  it("are over a day later, and their secrets ten minutes later", async () => {
    const store = await open();
    const secret = remember("key", "asked", { secret: "told once" });
    eventsOf(await store.append(keyed("thing-1", "key", { remember: secret })));
    const whole = ["asked", "answer to asked", "told once"];
    const rest = ["asked", "answer to asked", undefined];
    expect(read(await store.recall("key", timeMs + secretMs - 1))).toEqual(whole);
    expect(read(await store.recall("key", timeMs + secretMs))).toEqual(rest);
    expect(read(await store.recall("key", timeMs + keptMs - 1))).toEqual(rest);
    expect(await store.recall("key", timeMs + keptMs)).toBeUndefined();
    const later = (ms: number) => keyed("thing-2", "key", { timeMs: timeMs + ms });
    expect(await store.append(later(keptMs - 1))).toEqual({ kind: "key-taken" });
    eventsOf(await store.append(later(keptMs)));
    expect(read(await store.recall("key", timeMs + keptMs))?.[0]).toBe("thing-2");
  });

  it("are removed when they are over, and not before", async () => {
    const store = await open();
    const secret = remember("key", "asked", { secret: "told once" });
    eventsOf(await store.append(keyed("thing-1", "key", { remember: secret })));
    expect(await store.forgetAnswers(timeMs + secretMs - 1)).toBe(false);
    expect(read(await store.recall("key", timeMs))).toContain("told once");
    expect(await store.forgetAnswers(timeMs + secretMs)).toBe(false);
    expect(read(await store.recall("key", timeMs))).toEqual([
      "asked",
      "answer to asked",
      undefined,
    ]);
    expect(await store.forgetAnswers(timeMs + keptMs - 1)).toBe(false);
    expect(read(await store.recall("key", timeMs))?.[0]).toBe("asked");
    expect(await store.forgetAnswers(timeMs + keptMs)).toBe(false);
    expect(await store.recall("key", timeMs)).toBeUndefined();
  });

  inFull("are removed by and by where there are many", async () => {
    const store = await open();
    const made = Array.from({ length: 1_001 }, (_, i) => store.append(keyed(`thing-${i}`, `${i}`)));
    await Promise.all(made);
    let rounds = 1;
    while (await store.forgetAnswers(timeMs + keptMs)) rounds += 1;
    expect(rounds).toBeGreaterThan(1);
    expect(await store.recall("1000", timeMs)).toBeUndefined();
  });
}
