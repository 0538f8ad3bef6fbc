import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createFailureLog } from "../../src/store/failure-log.ts";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { startUpkeep } from "../../src/store/sqlite/upkeep.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { append, change, things, timeMs } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { createLines, type Lines } from "./lines.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

const failed = (code: string) => Object.assign(new Error("told by SQLite"), { code });
const unavailable = (code: string) => new StoreUnavailable("now", { cause: failed(code) });

let lines: Lines;
beforeEach(() => {
  lines = createLines();
});
afterEach(() => {
  jest.useRealTimers();
});

describe("failures of the storage", () => {
  const { failuresMs: everyMs } = sqliteLimits;
  const told = () => lines.at("error").map(([members]) => members);

  it("are told once of each kind, and then how many there were", () => {
    jest.useFakeTimers();
    const failures = createFailureLog(lines.log, everyMs);
    for (let count = 0; count < 221; count += 1)
      failures.note(unavailable("SQLITE_FULL"), "append");
    failures.note(failed("SQLITE_IOERR_FSYNC"), "append");
    const first = [
      { kind: "SQLITE_FULL", failures: 1 },
      { kind: "SQLITE_IOERR_FSYNC", failures: 1 },
    ];
    expect(told()).toEqual(first);
    jest.advanceTimersByTime(everyMs - 1);
    expect(told()).toEqual(first);
    jest.advanceTimersByTime(1);
    expect(told()).toEqual([...first, { kind: "SQLITE_FULL", failures: 220 }]);
    // Of those that were over by then nothing is kept.
    jest.advanceTimersByTime(everyMs);
    failures.note(failed("SQLITE_FULL"), "append");
    expect(told().slice(3)).toEqual([{ kind: "SQLITE_FULL", failures: 1 }]);
    failures.close();
  });

  it("are over when all that failed has succeeded, which one line says", () => {
    jest.useFakeTimers();
    const failures = createFailureLog(lines.log, everyMs);
    const over = () => lines.at("info");
    failures.done("append");
    for (const doing of ["append", "read", "append"] as const) {
      failures.note(unavailable("ECONNREFUSED"), doing);
    }
    failures.done("read");
    failures.done("look");
    expect(over()).toEqual([]);
    failures.done("append");
    failures.done("append");
    const says = "the storage of the log works again";
    expect(over()).toEqual([[{ failures: 2 }, says]]);
    jest.advanceTimersByTime(everyMs - 1);
    // What comes and goes is told no more often than what stays.
    for (let count = 0; count < 5; count += 1) {
      failures.note(unavailable("ECONNREFUSED"), "append");
      failures.done("append");
    }
    expect([told().length, over().length]).toEqual([1, 1]);
    jest.advanceTimersByTime(1);
    expect(told()[1]).toEqual({ kind: "ECONNREFUSED", failures: 5 });
    expect(over()[1]).toEqual([{ failures: 0 }, says]);
    jest.advanceTimersByTime(2 * everyMs);
    expect(lines.all()).toHaveLength(4);
    failures.close();
  });

  it("are told at the end, however soon that is", () => {
    const failures = createFailureLog(lines.log, everyMs);
    for (let count = 0; count < 3; count += 1) failures.note(failed("SQLITE_FULL"), "append");
    failures.close();
    expect(told()).toEqual([
      { kind: "SQLITE_FULL", failures: 1 },
      { kind: "SQLITE_FULL", failures: 2 },
    ]);
  });

  it("are those of SQLite and of a store that has no room, and no others", () => {
    const failures = createFailureLog(lines.log, everyMs);
    failures.note(new StoreUnavailable("10000 appends are waiting already."), "append");
    failures.note(new StoreUnavailable("gone", { why: "file-replaced" }), "append");
    failures.note(new RangeError("too large"), "append");
    failures.close();
    expect(told()).toEqual([{ kind: "10000 appends are waiting already.", failures: 1 }]);
  });
});

describe("what is looked after", () => {
  let walBytes: number;
  let lost: boolean;
  let checkpoint: () => void;
  let checkpoints: number;
  const { upkeepMs } = sqliteLimits;

  const start = (limits = {}) =>
    startUpkeep({
      path: import.meta.filename,
      files: {
        walBytes: () => walBytes,
        assertSame: () => {
          if (lost) throw new StoreUnavailable("gone", { why: "file-replaced" });
        },
      },
      checkpoint: () => {
        checkpoints += 1;
        checkpoint();
      },
      empty: () => {
        checkpoints += 1;
        checkpoint();
        return true;
      },
      checkpointAside: async () => {},
      walFill: () => ({ end: 10_000, pending: 10_000 }),
      follow: () => true,
      limits: { ...sqliteLimits, freeBytesMin: 0, ...limits },
      log: lines.log,
      failures: createFailureLog(lines.log, 1),
    });
  beforeEach(() => {
    jest.useFakeTimers();
    walBytes = 0;
    lost = false;
    checkpoint = () => {};
    checkpoints = 0;
  });

  it("is the WAL, which is told when it passes its bound and when it is back", async () => {
    const upkeep = start();
    walBytes = sqliteLimits.walBytesMax;
    upkeep.wrote();
    expect(lines.all()).toEqual([]);
    walBytes += 1;
    upkeep.wrote();
    upkeep.wrote();
    const warning = expect.stringContaining("the WAL is long");
    expect(lines.at("warn")).toEqual([[{ walBytes }, warning]]);
    expect((await upkeep.look()).warnings).toEqual([warning]);
    walBytes -= 1;
    upkeep.wrote();
    expect(lines.at("info")).toEqual([[{ walBytes }, expect.stringContaining("recovered")]]);
    expect((await upkeep.look()).warnings).toEqual([]);
    upkeep.close();
  });

  it("is the disk, where it has less than its bound", async () => {
    const { figures } = await start().look();
    const { freeBytes = 0 } = figures;
    expect(freeBytes).toBeGreaterThan(0);
    const nearly = start({ freeBytesMin: 2 * freeBytes });
    expect((await nearly.look()).warnings).toEqual(["the disk is nearly full"]);
    expect(lines.at("warn")).toHaveLength(1);
    jest.clearAllTimers();
  });

  it("is what was written: a checkpoint that fails is told with its code", async () => {
    const upkeep = start();
    checkpoint = () => {
      throw failed("SQLITE_IOERR_WRITE");
    };
    await jest.advanceTimersByTimeAsync(upkeepMs);
    expect(lines.at("error")).toEqual([
      [{ kind: "SQLITE_IOERR_WRITE", failures: 1 }, expect.any(String)],
    ]);
    expect((await upkeep.look()).warnings).toEqual(["checkpoints fail: SQLITE_IOERR_WRITE"]);
    checkpoint = () => {};
    await jest.advanceTimersByTimeAsync(upkeepMs);
    expect((await upkeep.look()).warnings).toEqual([]);
    upkeep.close();
  });

  it("is no file that was put in the place of the log", () => {
    const upkeep = start();
    lost = true;
    jest.advanceTimersByTime(2 * upkeepMs);
    expect(checkpoints).toBe(0);
    upkeep.close();
  });
});

describe("a store", () => {
  let place: SqlitePlace;
  let store: Store;
  const limits = { walBytesMax: 200_000, walBytesKept: 50_000, freeBytesMin: 0 };
  const write = (stream: string) => {
    const events = [{ type: "thing.added", payload: JSON.stringify("x".repeat(300_000)) }];
    return store.append(append([change(stream, 0, { events })]));
  };

  beforeEach(async () => {
    place = await sqlitePlace();
    store = await openSqlite({
      path: place.path,
      projector: things(),
      limits,
      log: lines.log,
      ...sealing,
    });
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  it("tells of a WAL that grows while somebody reads, and gives back what it took", async () => {
    const reader = place.connect();
    reader.exec("BEGIN; SELECT count(*) FROM events;");
    await write("thing-1");
    await write("thing-2");
    expect(lines.at("warn")).toEqual([
      [{ walBytes: expect.any(Number) }, expect.stringContaining("a reader takes long")],
    ]);
    expect((await store.condition(timeMs)).figures.walBytes).toBeGreaterThan(limits.walBytesMax);
    reader.exec("COMMIT");
    reader.pragma("wal_checkpoint(PASSIVE)");
    await store.append(append([change("thing-3", 0)]));
    expect(lines.at("info")).toHaveLength(1);
    const { figures, warnings } = await store.condition(timeMs);
    expect(figures.walBytes).toBeLessThanOrEqual(limits.walBytesKept);
    expect(warnings).toEqual([]);
  });

  it("tells why it could not write, once for all whom it refused", async () => {
    const trap = place.connect();
    trap.exec(`CREATE TRIGGER trap BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const all = [1, 2, 3].map((id) => store.append(append([change(`thing-${id}`, 0)])));
    await Promise.allSettled(all);
    await store.close();
    expect(lines.at("error").map(([members]) => members)).toEqual([
      { kind: "SQLITE_CONSTRAINT_TRIGGER", failures: 1 },
      { kind: "SQLITE_CONSTRAINT_TRIGGER", failures: 2 },
    ]);
  });
});
