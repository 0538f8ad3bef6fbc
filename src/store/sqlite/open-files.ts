import { type BigIntStats, statSync } from "node:fs";
import { StoreUnavailable } from "../store.ts";
import type { WalFill } from "./connection.ts";

/** The files of an open database, compared with what lies at their paths. */
export interface OpenFiles {
  /**
   * Throws a `StoreUnavailable` where the log or its WAL has been removed, replaced or overwritten
   * by something shorter since it was opened, and from then on whatever lies there: what other
   * programs made of the files meanwhile cannot be known.
   */
  assertSame(): void;
  /** Bytes of the WAL when it was last looked at. */
  walBytes(): number;
}

/**
 * Remembers the files of a connection that has just written. They are looked at by their paths
 * alone: to open and close one would drop the locks that this process has on it. SQLite itself
 * never removes the WAL while a connection is open, and never truncates it before the end of its
 * content, of which `walFill` tells the end. Calls `lost` once, with what is different.
 */
export function watchOpenFiles(
  path: string,
  walFill: () => Pick<WalFill, "end">,
  lost: (difference: string) => void,
): OpenFiles {
  const [log, wal] = [path, `${path}-wal`];
  const [openLog, openWal] = [lookAt(log), lookAt(wal)];
  let logBytes = openLog?.size ?? 0n;
  let walBytes = openWal?.size ?? 0n;
  let difference: string | undefined;

  function find(): string | undefined {
    const [foundLog, foundWal] = [lookAt(log), lookAt(wal)];
    const change = changeOf(log, openLog, foundLog) ?? changeOf(wal, openWal, foundWal);
    if (foundLog === undefined || foundWal === undefined || change !== undefined) return change;
    // The log only grows, and so does its file: SQLite itself makes it shorter in a VACUUM alone.
    if (foundLog.size < logBytes) {
      return `${log} is shorter than it was: it was overwritten`;
    }
    // It is asked for what it holds only then: that takes longer.
    if (foundWal.size < walBytes && foundWal.size < walFill().end) {
      return `${wal} is shorter than its content: it was overwritten`;
    }
    logBytes = foundLog.size;
    walBytes = foundWal.size;
    return undefined;
  }

  return {
    assertSame() {
      if (difference === undefined) {
        difference = find();
        if (difference !== undefined) lost(difference);
      }
      if (difference !== undefined)
        throw new StoreUnavailable(difference, { why: "file-replaced" });
    },
    walBytes: () => Number(walBytes),
  };
}

type Seen = Pick<BigIntStats, "dev" | "ino" | "size"> | undefined;

/** The file at a path; undefined where there is none. */
function lookAt(path: string): Seen {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // It may be there still, for somebody with the right to look.
    throw new StoreUnavailable(`${path} cannot be looked at: ${code}`, { cause });
  }
}

function changeOf(path: string, open: Seen, found: Seen): string | undefined {
  if (found === undefined) return `${path} no longer exists`;
  const isSame = found.dev === open?.dev && found.ino === open.ino;
  return isSame ? undefined : `${path} is not the file that was opened`;
}
