import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, test } from "@jest/globals";
import { ofUser } from "../../src/store/artifact.ts";
import { createArtifactSeal } from "../../src/store/chain/artifact-mac.ts";
import { prepareArtifacts } from "../../src/store/sqlite/artifacts.ts";
import { createTransactions } from "../../src/store/sqlite/known.ts";
import type { SqliteLimits } from "../../src/store/sqlite/limits.ts";
import type { Store } from "../../src/store/store.ts";
import { append, change, eventsOf, timeMs } from "./fixture.ts";
import { identity } from "./keys.ts";
import { singly } from "./singly.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
let store: Store;
beforeEach(async () => {
  place = await sqlitePlace();
  store = await place.open();
});
afterEach(() => place.remove());

const [family, payload, expiresMs] = ["login", "four", timeMs + 1_000];

/** Puts artifacts, and finds each. */
async function found({ artifacts: kept }: Store, ...keys: readonly string[]) {
  const artifacts = singly(kept);
  for (const key of keys) await artifacts.put({ key, family, payload, expiresMs });
  for (const key of keys) expect(await artifacts.find(key, timeMs)).toMatchObject({ payload });
  return artifacts;
}

/** Spoils all rows, past the store. */
const spoil = "UPDATE artifacts SET mac = x'00'";

describe("an artifact that was found", () => {
  it("is found as it was written since, by this process", async () => {
    const artifacts = await found(store, "code");
    expect(await artifacts.use("code", timeMs)).toBe(1);
    expect(await artifacts.find("code", timeMs)).toMatchObject({ uses: 1 });
    await artifacts.put({ key: "code", family, payload: "five", expiresMs });
    expect(await artifacts.find("code", timeMs)).toMatchObject({ payload: "five" });
    await artifacts.remove("code");
    expect(await artifacts.find("code", timeMs)).toBeUndefined();
  });

  it("is found as it was written since, by another process", async () => {
    await found(store, "code");
    place.connect().exec(spoil);
    // In the same turn of the event loop the file is not looked at again.
    expect(await store.artifacts.find("code", timeMs)).toMatchObject({ payload });
    await turn();
    expect(await store.artifacts.find("code", timeMs)).toBeUndefined();
  });

  it("is gone with its family", async () => {
    const artifacts = await found(store, "code", "token");
    await artifacts.removeFamily(family);
    expect(await artifacts.find("code", timeMs)).toBeUndefined();
    await found(store, "code");
    eventsOf(await store.append({ ...append([change("thing-1", 0)]), families: [family] }));
    expect(await artifacts.find("code", timeMs)).toBeUndefined();
  });

  it("is gone with its user", async () => {
    const artifacts = singly(store.artifacts);
    await artifacts.put({ key: "session", family: ofUser("1"), payload, expiresMs });
    expect(await artifacts.find("session", timeMs)).toMatchObject({ payload });
    eventsOf(await store.append({ ...append([change("thing-1", 0)]), users: ["1"] }));
    expect(await artifacts.find("session", timeMs)).toBeUndefined();
  });

  it("is gone where its family has too many of its kind", async () => {
    const artifacts = await found(store, "code:1");
    const late = { key: "code:2", family, payload, expiresMs: expiresMs + 1 };
    await store.artifacts.write([{ kind: "put", artifact: late, ofKindMax: 1 }], timeMs);
    expect(await artifacts.find("code:1", timeMs)).toBeUndefined();
  });

  it("is made anew once it was forgotten", async () => {
    const artifacts = await found(store, "code");
    await artifacts.use("code", timeMs);
    expect(await artifacts.find("code", timeMs)).toMatchObject({ uses: 1 });
    await artifacts.forget(expiresMs);
    await artifacts.put({ key: "code", family, payload, expiresMs: expiresMs + 1 });
    expect(await artifacts.find("code", expiresMs)).toMatchObject({ uses: 0 });
  });

  it("is gone at its time", async () => {
    const artifacts = await found(store, "code");
    expect(await artifacts.find("code", expiresMs)).toBeUndefined();
  });
});

/** Artifacts of a connection, and what does something in a transaction of it. */
function prepared(limits?: Pick<SqliteLimits, "knownArtifactCharacters">) {
  const db = place.connect();
  const transactions = createTransactions(db);
  const artifacts = prepareArtifacts(db, createArtifactSeal(identity), transactions, limits);
  const within = (isCommitted: boolean, work: () => void) => {
    db.exec("BEGIN IMMEDIATE");
    transactions.begin();
    work();
    db.exec(isCommitted ? "COMMIT" : "ROLLBACK");
    transactions.end(isCommitted);
  };
  return { db, artifacts, within };
}

describe("what a transaction writes", () => {
  const put = (key: string, lastsMs = 1_000) => {
    const artifact = { key, family, payload, expiresMs: timeMs + lastsMs };
    return { kind: "put", artifact, ofKindMax: 2 } as const;
  };

  it("is found in it, and remembered once it is committed", () => {
    const { db, artifacts, within } = prepared();
    const find = () => artifacts.find("code:1", timeMs);
    for (const isCommitted of [false, true]) {
      within(isCommitted, () => {
        artifacts.write([put("code:1"), { kind: "use", key: "code:1" }], timeMs);
        expect(find()).toMatchObject({ payload, uses: 1 });
      });
      db.exec(spoil);
      expect(find()?.uses).toBe(isCommitted ? 1 : undefined);
    }
  });

  it("counts for its family once it is committed, and with what others have written", async () => {
    const { artifacts, within } = prepared();
    const keys = ["code:1", "code:2", "code:3", "code:4", "code:5"];
    const there = () => keys.filter((key) => artifacts.find(key, timeMs) !== undefined);
    within(true, () => void artifacts.write([put("code:1"), put("code:2")], timeMs));
    const anew = [{ kind: "removeFamily", family }, put("code:3")] as const;
    within(false, () => void artifacts.write(anew, timeMs));
    within(true, () => void artifacts.write([put("code:3", 2_000)], timeMs));
    expect(there()).toEqual(["code:1", "code:3"]);
    within(true, () => void artifacts.write(anew, timeMs));
    await store.artifacts.write([put("code:4", 2_000)], timeMs);
    within(true, () => void artifacts.write([put("code:5")], timeMs));
    expect(there()).toEqual(["code:4", "code:5"]);
    // One without a bound is added to what there is by then.
    within(true, () => void artifacts.write([anew[0], put("code:1")], timeMs));
    await store.artifacts.write([put("code:2")], timeMs);
    const { artifact } = put("code:3");
    const both = [
      { kind: "put", artifact },
      { ...put("code:4"), ofKindMax: 3 },
    ] as const;
    within(true, () => void artifacts.write(both, timeMs));
    expect(there()).toHaveLength(3);
  });
});

test("`knownArtifactCharacters` are remembered, and with one more they are read again", () => {
  for (const [knownArtifactCharacters, remembered] of [
    [14, ["one", "two"]],
    [13, ["two"]],
    [6, []],
  ] as const) {
    const { db, artifacts } = prepared({ knownArtifactCharacters });
    const find = () => ["one", "two"].filter((key) => artifacts.find(key, timeMs) !== undefined);
    const put = (key: string) => ({ kind: "put", artifact: { key, payload, expiresMs } }) as const;
    artifacts.write(["one", "two"].map(put), timeMs);
    expect(find()).toEqual(["one", "two"]);
    // What this connection writes past the store is not noticed; no other row is one of this log.
    db.exec(spoil);
    expect(find()).toEqual(remembered);
  }
});

test("counts, which have no payload, are remembered within `knownArtifactCharacters`, too", () => {
  const { db, artifacts } = prepared({ knownArtifactCharacters: 10 });
  const keys = ["try:1", "try:2", "try:3"];
  const count = (key: string) => ({ kind: "count", key, expiresMs }) as const;
  artifacts.write(keys.map(count), timeMs);
  db.exec(spoil);
  expect(keys.map((key) => artifacts.find(key, timeMs)?.uses)).toEqual([undefined, undefined, 1]);
});
