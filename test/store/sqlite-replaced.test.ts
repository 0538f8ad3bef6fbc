import { execFileSync } from "node:child_process";
import { copyFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createArtifactSeal } from "../../src/store/chain/artifact-mac.ts";
import { createCheck, createSeal } from "../../src/store/chain/chain.ts";
import { createStateMac } from "../../src/store/chain/state.ts";
import { prepareAnswers } from "../../src/store/sqlite/answers.ts";
import { prepareAppend } from "../../src/store/sqlite/append.ts";
import { prepareArtifacts } from "../../src/store/sqlite/artifacts.ts";
import { groupCommit } from "../../src/store/sqlite/commit.ts";
import { prepareEnd } from "../../src/store/sqlite/end.ts";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { createTrust } from "../../src/store/sqlite/outcome.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { OutcomeUnknown, type Store, StoreUnavailable } from "../../src/store/store.ts";
import {
  append,
  asking,
  change,
  eventsOf,
  expectGapless,
  lease,
  things,
  timeMs,
} from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { createLines, type Lines } from "./lines.ts";
import { singly } from "./singly.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
let store: Store;
let lines: Lines;
let written: number;

beforeEach(async () => {
  place = await sqlitePlace();
  lines = createLines();
  store = await openSqlite({ path: place.path, projector: things(), log: lines.log, ...sealing });
  written = 0;
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

const write = async (payload = "{}") => {
  written += 1;
  const events = [{ type: "thing.added", payload }];
  return eventsOf(await store.append(append([asking(`thing-${written}`, 0, { events })])));
};

/** What an operator may have kept: the log of before, shorter by some pages. */
async function olderCopy(): Promise<string> {
  const copy = `${place.path}.copy`;
  await write();
  const db = place.connect();
  db.pragma("wal_checkpoint(TRUNCATE)");
  copyFileSync(place.path, copy);
  await write(JSON.stringify("x".repeat(100_000)));
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  await write();
  return copy;
}

type Way = readonly [name: string, does: (path: string, copy: string) => void, what: string];

const ways: readonly Way[] = [
  ["is removed", (path) => rmSync(path), "iam.db no longer exists"],
  ["is replaced", (path, copy) => renameSync(copy, path), "iam.db is not the file"],
  ["is overwritten by an older one", (path, copy) => copyFileSync(copy, path), "is shorter"],
  ["is emptied", (path) => truncateSync(path, 0), "iam.db is shorter"],
  ["loses its WAL", (path) => rmSync(`${path}-wal`), "iam.db-wal no longer exists"],
  [
    "gets another WAL",
    (path) => {
      writeFileSync(`${path}-other`, "");
      renameSync(`${path}-other`, `${path}-wal`);
    },
    "iam.db-wal is not the file",
  ],
];

describe("a log that", () => {
  it.each(ways)("%s takes no more writes, and says so once", async (_, does, what) => {
    const copy = await olderCopy();
    does(place.path, copy);
    const refusal = { why: "file-replaced", message: expect.stringContaining(what) };
    await expect(store.append(append([change("late-1", 0)]))).rejects.toMatchObject(refusal);
    await expect(store.append(append([change("late-2", 0)]))).rejects.toMatchObject(refusal);
    await expect(store.ready()).rejects.toMatchObject(refusal);
    await expect(lease(store, timeMs)).rejects.toMatchObject(refusal);
    const difference = expect.stringContaining(what);
    expect(lines.at("fatal")).toEqual([
      [{ difference }, expect.stringContaining("the service no longer writes")],
    ]);
    expect(lines.at("error")).toEqual([]);
  });

  const cuts: readonly (readonly [string, (path: string, bytes: number) => void])[] = [
    ["emptied", (path) => truncateSync(path, 0)],
    ["cut to its header", (path) => truncateSync(path, 32)],
    ["cut to half", (path, bytes) => truncateSync(path, bytes / 2)],
    ["cut by a byte", (path, bytes) => truncateSync(path, bytes - 1)],
    ["overwritten with something shorter", (path) => writeFileSync(path, "x".repeat(4_000))],
  ];
  it.each(cuts)("has its WAL %s takes no more writes, and says so once", async (_, cut) => {
    for (let times = 0; times < 9; times += 1) await write();
    cut(`${place.path}-wal`, statSync(`${place.path}-wal`).size);
    const refusal = { why: "file-replaced", message: expect.stringContaining("is shorter") };
    await expect(write()).rejects.toMatchObject(refusal);
    await expect(write()).rejects.toMatchObject(refusal);
    await expect(store.ready()).rejects.toMatchObject(refusal);
    expect(lines.at("fatal")).toHaveLength(1);
  });

  it("has its WAL cut in the middle of a batch acknowledges nothing of it", async () => {
    for (let times = 0; times < 9; times += 1) await write();
    // What is kept is read in the batch that writes it.
    const cutting = singly(store.artifacts).put({
      key: "late",
      get payload() {
        truncateSync(`${place.path}-wal`, 0);
        return "{}";
      },
      expiresMs: timeMs,
    });
    await expect(cutting).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(write()).rejects.toMatchObject({ why: "file-replaced" });
  });

  it("is not read by a thread that opens what lies there now", async () => {
    const lists = await place.open(things(), { listRows: 0 });
    const copy = await olderCopy();
    renameSync(copy, place.path);
    const query = { kind: "thing", sortBy: "name", offset: 0, limit: 9 };
    await expect(lists.list(query)).rejects.toMatchObject({ why: "file-replaced" });
    expect(await lists.load(["thing-3"])).toMatchObject([{ version: 1 }]);
  });

  it("is found by one who asks whether it is ready", async () => {
    rmSync(place.path);
    await expect(store.ready()).rejects.toMatchObject({ why: "file-replaced" });
    expect(lines.at("fatal")).toHaveLength(1);
  });

  it("is refused for good when its directory was away: others may have written there", async () => {
    const directory = dirname(place.path);
    renameSync(directory, `${directory}-away`);
    await expect(write()).rejects.toBeInstanceOf(StoreUnavailable);
    renameSync(`${directory}-away`, directory);
    await expect(write()).rejects.toMatchObject({ why: "file-replaced" });
    await store.close();
    store = await place.open();
    expect(await expectGapless(store)).toBe(0);
  });

  it("acknowledges nothing of a batch during which that happened", async () => {
    await store.close();
    const db = place.connect();
    let looks = 0;
    const assertSame = () => {
      looks += 1;
      // Before the transaction, before its COMMIT, and after it.
      if (looks === 3) throw new StoreUnavailable("replaced", { why: "file-replaced" });
    };
    const end = prepareEnd(db, {
      seal: createSeal(identity, sealing.random),
      check: createCheck(identity),
    });
    const trust = createTrust(never, { assertSame });
    const write = prepareAppend(db, end, createStateMac(identity), {
      answers: prepareAnswers(db, (key) => key, 1),
      artifacts: prepareArtifacts(db, createArtifactSeal(identity), end.transactions),
    });
    const commits = groupCommit(db, { revision: 1, end, trust }, sqliteLimits);
    const submit = (stream: string) => commits.submit(() => write(append([change(stream, 0)])));
    const both = ["thing-1", "thing-2"].map(submit);
    const ends = await Promise.allSettled(both);
    const told = { status: "rejected", reason: expect.any(OutcomeUnknown) };
    expect(ends).toEqual([told, told]);
    expect(eventsOf(await submit("thing-3"))).toHaveLength(1);
  });
});

describe("a log is still the same", () => {
  it("when another process writes, checkpoints and leaves", async () => {
    await write();
    const script = `
      import Database from "better-sqlite3";
      const db = new Database(process.argv[1]);
      const insert = db.prepare("INSERT INTO texts VALUES (9, ?, 0, 1, 0)");
      for (let count = 0; count < 50; count += 1) insert.run(String(count).repeat(4000));
      db.pragma("wal_checkpoint(TRUNCATE)");
      db.close();`;
    for (let times = 0; times < 2; times += 1) {
      execFileSync(process.execPath, [
        "--input-type=module",
        "-e",
        script.replace("(9,", `(${9 + times},`),
        place.path,
      ]);
      await write();
      await store.ready();
    }
    expect(lines.all()).toEqual([]);
  });

  it("when another process empties the WAL while a batch waits to begin", async () => {
    let empty = () => {};
    const fault = () => void empty();
    const own = await openSqlite({
      ...{ path: place.path, projector: things(), fault },
      ...sealing,
    });
    eventsOf(await own.append(append([change("first", 0)])));
    const db = place.connect();
    empty = () => {
      empty = () => {};
      db.pragma("wal_checkpoint(TRUNCATE)");
    };
    eventsOf(await own.append(append([change("second", 0)])));
    expect(statSync(`${place.path}-wal`).size).toBeGreaterThan(0);
    eventsOf(await own.append(append([change("third", 0)])));
    await own.close();
  });

  it("when SQLite gives back what the WAL has grown too much", async () => {
    const small = await place.open(things(), { walBytesKept: 10_000, upkeepMs: 60_000 });
    const walBytes = () => statSync(`${place.path}-wal`).size;
    const payload = JSON.stringify("x".repeat(100_000));
    const add = (stream: string, events = [{ type: "thing.added", payload: "{}" }]) =>
      small.append(append([change(stream, 0, { events })]));
    await add("big-1", [{ type: "thing.added", payload }]);
    const grown = walBytes();
    const db = place.connect();
    db.pragma("wal_checkpoint(RESTART)");
    db.close();
    eventsOf(await add("small-1"));
    expect(walBytes()).toBeLessThan(grown);
    eventsOf(await add("small-2"));
    await small.ready();
    expect(lines.all()).toEqual([]);
  });

  it("when a connection of this process comes and goes, or shrinks the WAL", async () => {
    for (let times = 0; times < 3; times += 1) {
      await write();
      const db = place.connect();
      db.pragma("wal_checkpoint(RESTART)");
      db.close();
    }
    expect(await expectGapless(store)).toBe(3);
    expect(lines.all()).toEqual([]);
  });
});

function never(): never {
  throw new Error("the process is not to end");
}
