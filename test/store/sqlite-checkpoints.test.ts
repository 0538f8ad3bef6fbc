import { beforeEach, describe, expect, it } from "@jest/globals";
import { createFailureLog } from "../../src/store/failure-log.ts";
import { createCheckpoints, prepareCheckpoint } from "../../src/store/sqlite/checkpoints.ts";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { createTrust } from "../../src/store/sqlite/outcome.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { append, change, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { createLines } from "./lines.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const { checkpointBytes, checkpointBytesHere } = sqliteLimits;

describe("a WAL is checkpointed", () => {
  let fill: number;
  let here: number;
  let aside: number;
  let emptied: number;
  let isRead: boolean;
  let work: () => void | Promise<void>;
  let checkpoints: ReturnType<typeof createCheckpoints>;

  beforeEach(() => {
    [fill, here, aside, emptied, isRead] = [0, 0, 0, 0, false];
    work = () => {};
    checkpoints = createCheckpoints({
      checkpoint: () => {
        here += 1;
      },
      empty: () => {
        emptied += 1;
        return !isRead;
      },
      checkpointAside: async () => {
        aside += 1;
        await work();
      },
      walFill: () => ({ end: fill, pending: here === 0 ? fill : 0 }),
      limits: sqliteLimits,
      failures: createFailureLog(createLines().log, 1),
    });
  });

  const settled = () => new Promise((resolve) => setImmediate(resolve));
  /** Writes so often that it is looked how much the WAL holds. */
  const writeMuch = async () => {
    for (let count = 0; count < 16; count += 1) checkpoints.wrote();
    await settled();
  };

  it("once nobody has written between two looks, and not again", async () => {
    for (fill of [0, 0, 10_000, 20_000, 30_000]) {
      await writeMuch();
      await checkpoints.tend();
    }
    expect(here).toBe(0);
    await checkpoints.tend();
    await checkpoints.tend();
    expect([here, aside]).toEqual([1, 0]);
  });

  it("while others write, once it holds much: most of it in a thread", async () => {
    fill = checkpointBytes - 1;
    await writeMuch();
    expect([aside, here]).toEqual([0, 0]);
    const { promise, resolve } = Promise.withResolvers<void>();
    work = () => promise;
    fill = checkpointBytes;
    await writeMuch();
    await writeMuch();
    expect([aside, here]).toEqual([1, 0]);
    resolve();
    await settled();
    expect([aside, here]).toEqual([1, 1]);
  });

  it.each([
    [checkpointBytesHere, 0],
    [checkpointBytesHere + 1, 1],
  ])("of %d bytes with the help of %d threads", async (bytes, threads) => {
    fill = bytes;
    await checkpoints.tend();
    await checkpoints.tend();
    expect([aside, here]).toEqual([threads, 1]);
  });

  it("and emptied at once behind an erasure, again until no reader is in the way", async () => {
    isRead = true;
    checkpoints.erased();
    await settled();
    expect([emptied, here]).toEqual([1, 0]);
    expect(checkpoints.warning()).toBe("the WAL has what was erased: a reader is in the way");
    await checkpoints.tend();
    isRead = false;
    await checkpoints.tend();
    await checkpoints.tend();
    expect([emptied, here, checkpoints.warning()]).toEqual([3, 0, undefined]);
  });

  it("and emptied once at the beginning, of which nobody is warned", async () => {
    checkpoints.begun();
    expect(checkpoints.warning()).toBeUndefined();
    await checkpoints.tend();
    await checkpoints.tend();
    expect(emptied).toBe(1);
  });

  it("again after a checkpoint that failed", async () => {
    fill = checkpointBytes;
    work = () => {
      throw Object.assign(new Error("told by SQLite"), { code: "SQLITE_IOERR_WRITE" });
    };
    await checkpoints.tend();
    expect(checkpoints.warning()).toBe("checkpoints fail: SQLITE_IOERR_WRITE");
    work = () => {};
    await checkpoints.tend();
    expect([checkpoints.warning(), here]).toEqual([undefined, 1]);
  });

  it("and no more warned of once another process has made the one that failed", async () => {
    fill = checkpointBytes;
    work = () => {
      throw Object.assign(new Error("told by SQLite"), { code: "SQLITE_IOERR_WRITE" });
    };
    await checkpoints.tend();
    fill = 0;
    await checkpoints.tend();
    await checkpoints.tend();
    expect([checkpoints.warning(), here]).toEqual([undefined, 0]);
  });
});

it("begins anew when a thread has brought it into the file, and nothing is lost", async () => {
  const place = await sqlitePlace();
  const limits = { checkpointBytes: 400_000, checkpointBytesHere: 0, walBytesKept: 0 };
  const options = { path: place.path, projector: things(), limits, ...sealing };
  const store = await openSqlite(options);
  let written = 0;
  let [before, now] = [0, 0];
  while (now >= before && written < 2_000) {
    written += 1;
    await store.append(append([change(`thing-${written}`, 0)]));
    before = now;
    now = (await store.condition(0)).figures.walBytes ?? 0;
  }
  expect(before).toBeGreaterThan(400_000);
  expect(now).toBeLessThan(400_000);
  await store.close();
  const again = await openSqlite(options);
  expect((await again.head()).position).toBe(BigInt(written));
  await again.close();
  await place.remove();
});

it("ends the trust in the disk where the sync of a thread failed", async () => {
  const place = await sqlitePlace();
  const lost: unknown[] = [];
  const trust = createTrust((cause) => lost.push(cause), { assertSame() {} });
  const failure = Object.assign(new Error("told"), { code: "SQLITE_IOERR_FSYNC" });
  const reader = { checkpoint: () => Promise.reject(failure) };
  const { checkpointAside } = prepareCheckpoint(place.connect(), { trust, reader });
  await expect(checkpointAside()).rejects.toBe(failure);
  expect(lost).toHaveLength(1);
  await place.remove();
});
