import { describe, expect, it } from "@jest/globals";
import { createTrust } from "../../src/store/sqlite/outcome.ts";
import { OutcomeUnknown, StoreUnavailable } from "../../src/store/store.ts";

/** What SQLite throws. */
const thrown = (code: string) => Object.assign(new Error("disk I/O error"), { code });

/** The trust after a transaction has failed so, with what is to be told and who was called. */
function failing(code: string, isOfCommit: boolean) {
  const causes: unknown[] = [];
  const trust = createTrust(({ cause }) => causes.push(cause), { assertSame: () => {} });
  const error = thrown(code);
  const told = trust.judge(error, isOfCommit);
  return { trust, causes, error, told };
}

const undone = [
  "SQLITE_BUSY",
  "SQLITE_BUSY_SNAPSHOT",
  "SQLITE_CONSTRAINT_FOREIGNKEY",
  "SQLITE_FULL",
  "SQLITE_IOERR_WRITE",
  "SQLITE_LOCKED",
  "SQLITE_PERM",
  "SQLITE_READONLY_DBMOVED",
];
const unsynced = ["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC"];
const unclear = [
  "SQLITE_IOERR_SHMSIZE",
  "SQLITE_IOERR",
  "SQLITE_NOMEM",
  "SQLITE_CORRUPT",
  "ERR",
  "",
];

describe("a COMMIT that fails", () => {
  it.each(undone)("with %s did not happen, and writing goes on", (code) => {
    const { trust, causes, error, told } = failing(code, true);
    expect(told).toBe(error);
    expect(causes).toEqual([]);
    expect(trust.write(() => "written")).toBe("written");
  });

  it.each([...unsynced, ...unclear])("with %s may appear, and nothing is written", (code) => {
    const { trust, causes, error, told } = failing(code, true);
    expect(told).toBeInstanceOf(OutcomeUnknown);
    expect(told).toMatchObject({ cause: error });
    expect(causes).toEqual([error]);
    expect(() => trust.write(() => "written")).toThrow(StoreUnavailable);
    expect(trust.judge(thrown(code), true)).toBeInstanceOf(OutcomeUnknown);
    expect(causes).toHaveLength(1);
  });
});

describe("a transaction that fails before its COMMIT", () => {
  it.each([...undone, ...unclear])("with %s did not happen, and writing goes on", (code) => {
    const { trust, causes, error, told } = failing(code, false);
    expect(told).toBe(error);
    expect(causes).toEqual([]);
    trust.assert();
  });

  it.each(unsynced)("with %s did not happen, and nothing is written", (code) => {
    const { trust, causes, error, told } = failing(code, false);
    expect(told).toBe(error);
    expect(causes).toEqual([error]);
    expect(() => trust.assert()).toThrow(StoreUnavailable);
  });

  it("ends the trust where it is written outside of batches, too", () => {
    const causes: unknown[] = [];
    const trust = createTrust(({ cause }) => causes.push(cause), { assertSame: () => {} });
    const fail = (code: string) => () =>
      trust.write(() => {
        throw thrown(code);
      });
    expect(fail("SQLITE_IOERR_SHMMAP")).toThrow("disk I/O error");
    expect(causes).toEqual([]);
    expect(fail("SQLITE_IOERR_FSYNC")).toThrow("disk I/O error");
    expect(fail("SQLITE_IOERR_FSYNC")).toThrow(StoreUnavailable);
    expect(causes).toHaveLength(1);
  });
});
