import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import Database from "better-sqlite3";
import { type SqliteLimits, sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { prepareLooks } from "../../src/store/sqlite/looks.ts";
import { createTrust } from "../../src/store/sqlite/outcome.ts";
import { schema } from "../../src/store/sqlite/schema.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { canMount, mount, unmount } from "../harness/mount.ts";
import { append, change, expectGapless, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { createLines, type Lines } from "./lines.ts";

/** Where no disk can be mounted, they are skipped, and `test/runner/missing.ts` says so. */
const describeOnSmallDisk = canMount() ? describe : describe.skip;

const diskMegabytes = 5;

describeOnSmallDisk("a file whose disk is full", () => {
  let disk: string;
  let store: Store;
  let written: number;
  let lines: Lines;

  const open = (limits: Partial<SqliteLimits>) => {
    const projector = things();
    return openSqlite({
      ...{ path: join(disk, "iam.db"), projector, limits, log: lines.log, ...sealing },
    });
  };
  const ballast = () => join(disk, "ballast");
  const add = (payload = "{}") => {
    written += 1;
    const events = [{ type: "thing.added", payload }];
    return store.append(append([change(`thing-${written}`, 0, { events })]));
  };
  /** Fills the disk but for so many bytes. */
  const leave = (bytes: number) => {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast(), Buffer.alloc(bavail * bsize - bytes));
  };
  const isReady = () =>
    store.ready().then(
      () => true,
      () => false,
    );
  /** Appends so many at a time until one is refused. */
  const fill = async (together: number, payload = "{}") => {
    for (;;) {
      const appends = Array.from({ length: together }, () => add(payload));
      const ends = await Promise.allSettled(appends);
      if (ends.some(({ status }) => status === "rejected")) return;
    }
  };

  beforeEach(async () => {
    disk = mkdtempSync(join(tmpdir(), "iam-full-"));
    expect(mount(disk, diskMegabytes)).toBe(true);
    written = 0;
    lines = createLines();
    // One who asks is answered by a look of their own, which tries to write.
    store = await open({ readyMs: 0, roomMs: 0 });
    await add();
  });
  afterEach(async () => {
    await store.close();
    unmount(disk);
    rmSync(disk, { recursive: true });
  });

  it.each([
    ["one append of several pages after the other", 1, 20_000],
    ["many at once", 32, 0],
    ["one of a few pages after the other", 1, 0],
  ])("is not ready for as long as no append can write, after %s", async (_, together, bytes) => {
    leave(64 * 1024);
    await fill(together, JSON.stringify("x".repeat(bytes)));
    expect(await isReady()).toBe(false);
    // Where a large one finds no room, a small one may.
    await fill(1);
    for (let looks = 0; looks < 5; looks += 1) {
      await expect(store.ready()).rejects.toThrow(StoreUnavailable);
      await turn();
    }
    await expect(add()).rejects.toThrow(StoreUnavailable);
  });

  it("is ready again when there is room, though nobody calls, and nothing is left", async () => {
    leave(64 * 1024);
    await fill(8);
    expect(await isReady()).toBe(false);
    rmSync(ballast());
    while (!(await isReady())) await turn();
    const db = new Database(join(disk, "iam.db"));
    expect(db.prepare("SELECT count(*) FROM answers").pluck().get()).toBe(0);
    db.close();
    await add();
    await expectGapless(store);
  });

  it("is not said to work again by what is refused, for which nothing is written", async () => {
    leave(64 * 1024);
    await fill(8);
    expect(await store.append(append([change("thing-1", 0)]))).toMatchObject({
      kind: "version-conflict",
    });
    const worksAgain = [expect.anything(), "the storage of the log works again"];
    expect(lines.at("info")).not.toContainEqual(worksAgain);
    rmSync(ballast());
    await add();
    expect(lines.at("info")).toContainEqual(worksAgain);
  });

  it("is ready with room for twice `roomBytes`, and not with a page less than it", async () => {
    leave(64 * 1024);
    await fill(8);
    expect(await isReady()).toBe(false);
    rmSync(ballast());
    leave(2 * sqliteLimits.roomBytes);
    while (!(await isReady())) await turn();
    const { bavail, bsize } = statfsSync(disk);
    leave(bavail * bsize < sqliteLimits.roomBytes ? 0 : sqliteLimits.roomBytes - bsize);
    await fill(8);
    expect(await isReady()).toBe(false);
  });
});

describe("looks after an append that could not write", () => {
  it("try to write every `roomMs`, at the first of them at once", async () => {
    const db = new Database(":memory:");
    db.exec("CREATE TABLE answers (key PRIMARY KEY, caller, number, time, request, answer)");
    db.exec("CREATE TABLE projection (revision); INSERT INTO projection VALUES (1)");
    db.pragma(`user_version = ${schema}`);
    let tries = 0;
    let isFull = true;
    db.function("try", () => {
      tries += 1;
      if (isFull) throw Object.assign(new Error("full"), { code: "SQLITE_FULL" });
      return 0;
    });
    db.exec("CREATE TEMP TRIGGER tried BEFORE INSERT ON answers BEGIN SELECT try(); END");
    let nowMs = 0;
    const looks = prepareLooks(db, {
      revision: 1,
      limits: { ...sqliteLimits, readyMs: 0 },
      trust: createTrust(() => {}, { assertSame: () => {} }),
      end: { follow: () => true, take: () => true },
      nowMs: () => nowMs,
    });
    const look = async () => {
      const ready = await looks.look().then(
        () => true,
        () => false,
      );
      // The answer is kept for a moment.
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { ready, tries };
    };
    expect(await look()).toEqual({ ready: true, tries: 0 });
    looks.wrote(false);
    expect(await look()).toEqual({ ready: false, tries: 1 });
    nowMs = sqliteLimits.roomMs - 1;
    isFull = false;
    expect(await look()).toEqual({ ready: false, tries: 1 });
    nowMs = sqliteLimits.roomMs;
    expect(await look()).toEqual({ ready: true, tries: 2 });
    expect(await look()).toEqual({ ready: true, tries: 2 });
    db.close();
  });
});
