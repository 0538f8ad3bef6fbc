import { OutcomeUnknown, StoreUnavailable } from "../store.ts";
import { codeOf } from "./connection.ts";
import type { OpenFiles } from "./open-files.ts";

/*
 * What SQLite's error codes say of a transaction that was to be written, in WAL mode on Unix.
 * COMMIT writes the frames, the last of which makes them a commit, then forces them to the disk,
 * then enters them in the shared memory from which all processes read. Who opens the file alone
 * reads the WAL instead, and finds every commit whose last frame is whole.
 *
 * | Code | What happened | The commit |
 * |---|---|---|
 * | any, before COMMIT | no last frame was written | did not happen |
 * | BUSY, LOCKED, READONLY, PERM, CONSTRAINT | refused before the first frame | did not happen |
 * | FULL | no room: a frame was not written whole | did not happen |
 * | IOERR_WRITE | the same, with EIO, EDQUOT, EFBIG or EROFS | did not happen |
 * | IOERR_FSYNC, IOERR_DIR_FSYNC | the frames may be on the disk, or not | may appear |
 * | IOERR_SHM…, NOMEM | they are, and were not entered in the shared memory | may appear |
 * | any other, in COMMIT | nobody can say | may appear |
 *
 * After a failed fsync the system takes the pages for written: another one that succeeds proves
 * nothing. So the process does not go on, whatever it was that was to be forced to the disk.
 */

/** Codes with which COMMIT fails before its last frame is whole; their kin are of the same kind. */
const undone = [
  "SQLITE_BUSY",
  "SQLITE_CONSTRAINT",
  "SQLITE_FULL",
  "SQLITE_IOERR_WRITE",
  "SQLITE_LOCKED",
  "SQLITE_PERM",
  "SQLITE_READONLY",
];

/** Whether the process may still rely on what it writes to the file. */
export interface Trust {
  /** Does the work, which writes outside of batches. Throws what it throws. */
  write<T>(work: () => T): T;
  /**
   * What to tell of a transaction that failed, in its COMMIT or before: the error, or
   * `OutcomeUnknown` where it may still appear. That ends the trust, as any failed fsync does.
   */
  judge(error: unknown, isOfCommit: boolean): unknown;
  /** Throws `StoreUnavailable` once the trust has ended. */
  assert(): void;
  /**
   * Does so as well where the files at the paths are not those that are open, or the log was found
   * not to be what was written.
   */
  assertWritable(): void;
}

/**
 * Makes the trust of a connection; `lost` is called once, with the error that ended it, and `fault`
 * says what is known to be wrong with the log. That files
 * are not those that are open does not end it: somebody may want to save what the process has open.
 */
export function createTrust(
  lost: (cause: OutcomeUnknown) => void,
  files: Pick<OpenFiles, "assertSame">,
  fault: () => string | undefined = () => undefined,
): Trust {
  let isLost = false;

  function judge(cause: unknown, isOfCommit: boolean): unknown {
    if (cause instanceof StoreUnavailable) {
      return isOfCommit ? new OutcomeUnknown(cause.message, { cause }) : cause;
    }
    const mayAppear = isOfCommit && !isUndone(cause);
    if (!mayAppear && !isUnsynced(cause)) return cause;
    const error = new OutcomeUnknown(`The disk failed in a commit (${codeOf(cause)}).`, { cause });
    if (!isLost) lost(error);
    isLost = true;
    return mayAppear ? error : cause;
  }

  function assert(): void {
    if (!isLost) return;
    throw new StoreUnavailable("The disk has failed: the service no longer writes.");
  }

  function assertWritable(): void {
    assert();
    files.assertSame();
    const found = fault();
    if (found === undefined) return;
    throw new StoreUnavailable(`The event log is not what was written: ${found}.`, {
      why: "history-changed",
    });
  }

  return {
    judge,
    assert,
    assertWritable,
    write: (work) => {
      assertWritable();
      try {
        return work();
      } catch (error) {
        throw judge(error, false);
      }
    },
  };
}

function isUndone(error: unknown): boolean {
  const code = codeOf(error);
  return undone.some((one) => code === one || code.startsWith(`${one}_`));
}

function isUnsynced(error: unknown): boolean {
  return ["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC"].includes(codeOf(error));
}
