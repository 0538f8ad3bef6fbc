import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConfigError } from "../config/config.ts";
import { statIfThere } from "../file.ts";
import { readEnd, readOwn } from "../store/sqlite/chain-file.ts";
import { sqliteLimits } from "../store/sqlite/limits.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { startSealsThread } from "../store/sqlite/verify/thread.ts";
import { auditLimits } from "./audit.ts";
import type { LogPlace } from "./place.ts";
import { projector } from "./projector.ts";

/** The log in the file of a data directory. */
export function logInFile(dataDir: string): LogPlace {
  const path = logIn(dataDir);
  return {
    name: path,
    isShared: false,
    bringBack: "Restore the newest copy into an empty directory (restore).",
    // Never opened: to close any descriptor of a log would drop the locks that this process has.
    isThere: async () => {
      const isThere = ((await statIfThere(path))?.size ?? 0) > 0;
      const draft = draftIn(dataDir);
      if (isThere || (await statIfThere(draft)) === undefined) return isThere;
      throw new ConfigError(
        `${draft} is an incomplete copy: run the copying command again, or remove the file.`,
      );
    },
    readOwn: () => readOwn({ path }),
    isAt: (other) => isSameFile(other, path),
    open: (opening) => openSqlite({ path, projector, ...opening }),
    checkSeals: (identity, hear) => {
      const { corePercent, pieceMs } = auditLimits;
      const limits = { ...sqliteLimits, pieceMs };
      const data = { path, identity, heads: [], limits, share: corePercent / 100 };
      const { checked, stop } = startSealsThread(data, hear);
      const told = checked.catch((error: NodeJS.ErrnoException) => {
        const isDamage = error.code?.startsWith("SQLITE_CORRUPT") ?? false;
        if (isDamage) hear.report("file: SQLite cannot read it to its end");
        throw error;
      });
      return { checked: told, stop };
    },
    readEnd: (keys) => readEnd({ path, keys }),
    readEvents: async () => {
      const { readLog } = await import("../store/sqlite/export-file.ts");
      return await readLog(path);
    },
    verify: async (proofs, report) => {
      const { verifySqlite } = await import("../store/sqlite/verify/verify.ts");
      return await verifySqlite({ path, projector, ...proofs }, report);
    },
    rebuild: async (rebuilding) => {
      const { rebuildSqlite } = await import("../store/sqlite/rebuild-file.ts");
      return await rebuildSqlite({ path, projector, ...rebuilding });
    },
    vacuum: async () => {
      const { vacuumSqlite } = await import("../store/sqlite/vacuum-file.ts");
      await vacuumSqlite(path);
    },
  };
}

/** The file of the event log in the data directory. */
export function logIn(dataDir: string): string {
  return join(resolve(dataDir), "iam.db");
}

/** Where a copy of a log lies that is not done. */
export function draftIn(dataDir: string): string {
  return `${logIn(dataDir)}.copying`;
}

/** Whether two paths lead to one file; not where nothing is there. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all(
    [one, other].map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  );
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}
