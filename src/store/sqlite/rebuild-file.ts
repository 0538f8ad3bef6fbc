import type Database from "better-sqlite3";
import type { LogCounts } from "../log-counts.ts";
import type { Asking } from "../message.ts";
import { createSteps } from "../progress.ts";
import { connect, connectToRead, keepInMemory, retryWhileBusy } from "./connection.ts";
import { prepareHead } from "./head.ts";
import { openIdentity } from "./identity.ts";
import { sqliteLimits } from "./limits.ts";
import { assertNotNewer, assertWhole, damagedIn, rebuild } from "./rebuild.ts";
import { migrate, schemasOf } from "./schema.ts";
import type { SqliteOptions } from "./sqlite.ts";
import type { SealsData } from "./verify/seals-thread.ts";
import { startSealsThread } from "./verify/thread.ts";

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
  ...options
}: SqliteOptions & { readonly asking?: Asking }): Promise<LogCounts> {
  const limits = { ...sqliteLimits, ...options.limits };
  const steps = createSteps(limits.progressSteps, options.progress);
  assertEventLog(path);
  const db = await connect(path, limits);
  try {
    keepInMemory(db, limits);
    const identity = await openIdentity(db, { ...options, projector, limits });
    await retryWhileBusy(limits, () => db.exec("BEGIN IMMEDIATE"));
    assertNotNewer(db, projector);
    const { found, made } = schemasOf(db);
    migrate(db);
    // A large log is checked by another thread, which sees what this transaction began on.
    const isLarge = found === made && prepareHead(db)().position >= limits.threadEvents;
    if (!isLarge) assertWhole(db, identity.check, { steps });
    const whole = isLarge ? assertWholeInThread({ path, identity, limits }) : undefined;
    try {
      rebuild(db, projector, identity.macOf, { steps, asking });
    } catch (error) {
      // It may follow from damage of the log, which says more.
      await whole;
      throw error;
    }
    await whole;
    const counts = countAll(db);
    db.exec("COMMIT");
    return counts;
  } finally {
    db.close();
  }
}

/** Rejects as `assertWhole` throws. */
async function assertWholeInThread({
  path,
  identity: { id, key },
  limits,
}: Pick<SealsData, "path" | "identity" | "limits">): Promise<void> {
  const { promise: damage, resolve: report } = Promise.withResolvers<string>();
  const what = { identity: { id, ...(key && { key }) }, heads: [], limits, isOfChain: true };
  const thread = startSealsThread({ path, ...what }, { report });
  const found = await Promise.race([damage, thread.checked]);
  await thread.stop();
  if (typeof found === "string") throw damagedIn(path, found);
}

/** To connect would make the file, and an event log of any other. */
export function assertEventLog(path: string): void {
  const db = connectToRead(path, sqliteLimits);
  try {
    const events = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get();
    if (events === undefined) throw new Error(`${path} is not an event log of this service.`);
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
    claims: count("*", "texts WHERE tie = 0"),
    fields: count("*", "texts WHERE listed"),
    messages: count("*", "messages"),
  };
}
