import type Database from "better-sqlite3";
import type { LogCounts } from "../log-counts.ts";
import type { Asking } from "../message.ts";
import { connect, connectToRead, retryWhileBusy } from "./connection.ts";
import { openIdentity } from "./identity.ts";
import { sqliteLimits } from "./limits.ts";
import { createSteps } from "./progress.ts";
import { assertNotNewer, assertWhole, rebuild } from "./rebuild.ts";
import { type SqliteOptions, silent } from "./sqlite.ts";

/**
 * Brings the tables of a file that exists up to date and makes everything that follows from the log
 * anew, in one transaction. Others may have the file open: they see the rows of before until they
 * see the new ones; what they write waits, and fails past their deadline. Messages stay due when
 * they were, and of quotas stays used what was; or, by what the log asked to be sent, both are
 * counted anew.
 *
 * Rejects and changes nothing when there is no file, it is no event log, SQLite cannot read it,
 * others lock it for too long, a newer program wrote it, or a stream cannot be folded, which the
 * message names.
 */
export async function rebuildSqlite({
  path,
  projector,
  asking,
  log = silent,
  ...options
}: SqliteOptions & { readonly asking?: Asking }): Promise<LogCounts> {
  const limits = { ...sqliteLimits, ...options.limits };
  const steps = createSteps(limits.progressSteps, options.progress);
  assertEventLog(path);
  const db = await connect(path, limits);
  try {
    const identity = await openIdentity(db, { ...options, projector, limits, log });
    const remake = db.transaction(() => {
      assertNotNewer(db, projector);
      assertWhole(db, identity.check, { steps });
      rebuild(db, projector, identity.macOf, { steps, asking });
      return countAll(db);
    });
    return await retryWhileBusy(limits, () => remake.immediate());
  } finally {
    db.close();
  }
}

/** To connect would make the file, and an event log of any other. */
function assertEventLog(path: string): void {
  const db = connectToRead(path, sqliteLimits);
  try {
    const events = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get();
    if (events === undefined) throw new Error(`${path} is no event log of this service.`);
  } finally {
    db.close();
  }
}

function countAll(db: Database.Database): LogCounts {
  const count = (what: string, table: string) =>
    db.prepare<[], number>(`SELECT count(${what}) FROM ${table}`).pluck().get() ?? 0;
  return {
    events: count("*", "events"),
    streams: count("DISTINCT stream", "events"),
    objects: count("*", "objects"),
    claims: count("*", "claims"),
    fields: count("*", "fields"),
    messages: count("*", "messages"),
  };
}
