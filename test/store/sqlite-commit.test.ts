import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import Database from "better-sqlite3";
import type { SqliteLimits } from "../../src/store/sqlite/limits.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { append, change, claim, eventsOf, expectGapless, things, timeMs } from "./fixture.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

const create = (stream: string, rest = {}) => append([change(stream, 0, rest)]);
const typed = (type: string) => ({ events: [{ type, payload: "{}" }] });

describe("a commit waits for appends", () => {
  /** How many appends each commit has, and in which turn it was, where each turn brings one. */
  async function commitsOf(count: number, limits: Partial<SqliteLimits>) {
    const commits: (readonly [appends: number, turn: number])[] = [];
    const appended: Promise<unknown>[] = [];
    let turn = 0;
    const store = await place.open(things(), limits, (appends) => commits.push([appends, turn]));
    const bring = () => {
      turn += 1;
      // Before the commit goes on in that turn.
      if (commits.length === 0 || appended.length + 1 < count) setImmediate(bring);
      if (appended.length < count) appended.push(store.append(create(`thing-${appended.length}`)));
    };
    bring();
    while (appended.length < count) await new Promise(setImmediate);
    await Promise.all(appended);
    return commits;
  }

  it("for so many turns: at the bound", async () => {
    expect(await commitsOf(4, { gatherTurns: 3 })).toEqual([[4, 4]]);
  });

  it("for so many turns: one past the bound", async () => {
    expect(await commitsOf(5, { gatherTurns: 3 })).toEqual([
      [4, 4],
      [1, 5],
    ]);
  });

  it("no longer than each turn brings one, and a batch has room", async () => {
    expect(await commitsOf(1, {})).toEqual([[1, 2]]);
    expect((await commitsOf(4, { batchAppends: 2 }))[0]).toEqual([2, 3]);
  });
});

describe("a commit that fails", () => {
  const { pragma } = Database.prototype;

  /** Opens a store that heeds foreign keys, as no other does: only so COMMIT alone can fail. */
  async function open(limits: Partial<SqliteLimits> = {}) {
    const spy = jest.spyOn(Database.prototype, "pragma").mockImplementation(function (
      this: Database.Database,
      source,
      options,
    ) {
      return pragma.call(this, source.replace("foreign_keys = OFF", "foreign_keys = ON"), options);
    });
    try {
      return await place.open(things(), limits);
    } finally {
      spy.mockRestore();
    }
  }

  /** Makes COMMIT fail, and nothing before it, when there is an event of the type `fatal`. */
  function breakCommits() {
    const db = place.connect();
    db.exec(`
      CREATE TABLE parents (id INTEGER PRIMARY KEY);
      CREATE TABLE children (id REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER fatal AFTER INSERT ON events WHEN new.type = 'fatal'
        BEGIN INSERT INTO children VALUES (1); END;
    `);
  }

  it("rejects the whole batch, refusals too, and writes nothing", async () => {
    const store = await open();
    breakCommits();
    await store.append(create("thing-0", { take: [claim("held")] }));
    const take = [claim("name")];
    const release = [claim("held")];
    const made = [
      create("thing-1", { take }),
      create("thing-1"),
      create("thing-2", { take }),
      append([change("thing-0", 1, { release, state: undefined, row: undefined })]),
      create("thing-3", typed("fatal")),
      create("thing-4"),
    ].map((each) => store.append(each));
    for (const each of made) await expect(each).rejects.toThrow(StoreUnavailable);
    expect(await store.readAll(0n, 10)).toHaveLength(1);
    expect(await store.find(claim("name"))).toBeUndefined();
    expect(await store.find(claim("held"))).toBe("thing-0");
    expect(await store.load(["thing-0", "thing-1"])).toMatchObject([
      { version: 1 },
      { version: 0 },
    ]);
  });

  it("leaves nothing that is remembered, with the next commit either", async () => {
    const store = await open();
    breakCommits();
    const artifact = { key: "code:1", payload: "four", expiresMs: timeMs + 1 };
    const made = [
      store.artifacts.write([{ kind: "put", artifact }], timeMs),
      store.append(create("thing-1", typed("fatal"))),
    ];
    for (const each of made) await expect(each).rejects.toThrow(StoreUnavailable);
    eventsOf(await store.append(create("thing-2")));
    expect(await store.artifacts.find("code:1", timeMs)).toBeUndefined();
    expect(await store.versions(["thing-1", "thing-2"])).toEqual([0, 1]);
  });

  it("leaves no gap and lets later appends succeed", async () => {
    const store = await open();
    breakCommits();
    await expect(store.append(create("thing-1", typed("fatal")))).rejects.toThrow(StoreUnavailable);
    const [event] = eventsOf(await store.append(create("thing-1")));
    expect(event).toMatchObject({ position: 1n, version: 1 });
  });

  it("touches only the appends of its own batch: at the cap", async () => {
    const store = await open({ batchAppends: 4 });
    breakCommits();
    expect(await outcomes(store, [0, 0, 0, 1, 0])).toEqual(["no", "no", "no", "no", "yes"]);
    expect(await expectGapless(store)).toBe(1);
  });

  it("touches only the appends of its own batch: one past the cap", async () => {
    const store = await open({ batchAppends: 4 });
    breakCommits();
    expect(await outcomes(store, [0, 0, 0, 0, 1])).toEqual(["yes", "yes", "yes", "yes", "no"]);
    expect(await expectGapless(store)).toBe(4);
  });

  async function outcomes(
    store: Awaited<ReturnType<SqlitePlace["open"]>>,
    fatal: readonly number[],
  ): Promise<string[]> {
    const made = fatal.map((bad, i) =>
      store.append(create(`thing-${i}`, typed(bad ? "fatal" : "thing.added"))),
    );
    const settled = await Promise.allSettled(made);
    return settled.map(({ status }) => (status === "fulfilled" ? "yes" : "no"));
  }
});
