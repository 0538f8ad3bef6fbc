import { createHmac, createSecretKey } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { answerLimits } from "../../src/store/answer.ts";
import { createAnswerName } from "../../src/store/chain/answer-name.ts";
import { subkeyOf } from "../../src/store/chain/subkeys.ts";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { expectCounted } from "./counted.ts";
import { append, change, eventsOf, things, timeMs } from "./fixture.ts";
import { identity } from "./keys.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

const none = new Uint8Array();

function keyed(key: string, actor: string) {
  const remember = { key, request: none, answer: none, secret: undefined };
  return append([change(`thing-${key}`, 0)], { actor, remember });
}

describe("answers of one caller", () => {
  it("are remembered up to the limit, and of one more the oldest is forgotten", async () => {
    const store = await place.open(things(), { answersOfCaller: 3 });
    for (const key of ["a", "b", "c"]) eventsOf(await store.append(keyed(key, "user-1")));
    eventsOf(await store.append(keyed("other", "user-2")));
    const known = async (...keys: readonly string[]) => {
      const found = await Promise.all(keys.map((key) => store.recall(key, timeMs)));
      return keys.filter((_, i) => found[i] !== undefined);
    };
    expect(await known("a", "b", "c", "other")).toEqual(["a", "b", "c", "other"]);
    eventsOf(await store.append(keyed("d", "user-1")));
    expect(await known("a", "b", "c", "d", "other")).toEqual(["b", "c", "d", "other"]);
    eventsOf(await store.append(keyed("e", "user-1")));
    expect(await known("a", "b", "c", "d", "e", "other")).toEqual(["c", "d", "e", "other"]);
  });

  it("large stored answers count once for each 4 KiB of theirs", async () => {
    await expectCounted(await place.open(things(), { answersOfCaller: 5 }));
  });

  it("that are over are removed in pieces, so that others have their turn", async () => {
    const store = await place.open();
    const many = Array.from({ length: 1_001 }, (_, i) => store.append(keyed(`${i}`, "user-1")));
    for (const each of many) eventsOf(await each);
    const left = place.connect().prepare("SELECT count(*) FROM answers").pluck();
    const overMs = timeMs + answerLimits.keptMs;
    expect([await store.forgetAnswers(overMs), left.get()]).toEqual([true, 1]);
    expect([await store.forgetAnswers(overMs), left.get()]).toEqual([false, 0]);
  });

  it("follow from no event: another projection drops them", async () => {
    const store = await place.open(things(1));
    eventsOf(await store.append(keyed("a", "user-1")));
    await store.close();
    const same = await place.open(things(1));
    expect(await same.recall("a", timeMs)).toBeDefined();
    await same.close();
    const rebuilt = await place.open(things(2));
    expect(await rebuilt.recall("a", timeMs)).toBeUndefined();
  });

  it("have names from which nobody finds out a key by trying", async () => {
    const store = await place.open();
    eventsOf(await store.append(keyed("a", "user-1")));
    const named = place.connect().prepare<[], string>("SELECT key FROM answers").pluck().all();
    const purpose = subkeyOf(identity.key, "iam answer");
    expect(named).toEqual([createHmac("sha256", purpose).update("a").digest("base64url")]);
    const known = createSecretKey(Buffer.alloc(32));
    expect(named).not.toEqual([createAnswerName({ key: known })("a")]);
  });

  it("need no lock as long as none is over", async () => {
    const store = await place.open(things(), { busyDeadlineMs: 0 });
    eventsOf(await store.append(keyed("a", "user-1")));
    place.connect().exec("BEGIN IMMEDIATE");
    expect(await store.forgetAnswers(timeMs)).toBe(false);
  });

  it("are as many as the contract says", () => {
    expect(sqliteLimits.answersOfCaller).toBe(answerLimits.ofCaller);
  });
});
