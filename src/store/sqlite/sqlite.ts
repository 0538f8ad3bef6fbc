import type Database from "better-sqlite3";
import type { LogKeys } from "../chain/keys.ts";
import type { Projector, Store, StoreLog } from "../store.ts";
import { StoreUnavailable } from "../store.ts";
import { createAlarm } from "./alarm.ts";
import { groupCommit, type Written } from "./commit.ts";
import { connect, retryWhileBusy, unavailable } from "./connection.ts";
import { prepareEnd } from "./end.ts";
import { openIdentity } from "./identity.ts";
import type { SqliteLimits } from "./limits.ts";
import { checkAppend, sqliteLimits } from "./limits.ts";
import { prepareMessages } from "./message.ts";
import { prepareReads } from "./read.ts";
import { bringUpToDate } from "./rebuild.ts";
import { prepareObjects } from "./row.ts";
import { prepareSameWrite } from "./schema.ts";

/** The file to open, and the projector of its objects. */
export interface SqliteOptions {
  /** The database file; its directory must exist. SQLite puts two more files next to it. */
  readonly path: string;
  readonly projector: Projector;
  readonly keys: LogKeys;
  /** For what is random in the file; `crypto.randomBytes` in the service, or a pool of it. */
  readonly random: (size: number) => Uint8Array;
  /** What operators are told; left out, nothing. */
  readonly log?: StoreLog;
  /** Replaces single values of `sqliteLimits`. */
  readonly limits?: Partial<SqliteLimits>;
}

/**
 * Opens the store in an SQLite file, which it makes when there is none; several processes may have
 * the same file open. Brings the tables and, from the log, the objects and claims up to date first.
 *
 * Rejects with `StoreUnavailable` when other processes lock the file for too long, and with an
 * `Error` when a newer program wrote the file or SQLite cannot read it. A process whose file was
 * taken over by a program with a higher projection revision can read on but no longer append.
 */
export async function openSqlite({ path, log = quiet, ...options }: SqliteOptions): Promise<Store> {
  const { projector } = options;
  const limits = { ...sqliteLimits, ...options.limits };
  const db = await connect(path, limits);
  try {
    const identity = await openIdentity(db, { ...options, limits, log });
    const prepare = db.transaction(() => bringUpToDate(db, projector, identity));
    await retryWhileBusy(limits, () => prepare.immediate());
    const end = await retryWhileBusy(limits, () => prepareEnd(db, identity.seal));
    const { revision } = projector;
    const { macOf } = identity;
    return { log: identity.id, ...serve(db, { revision, end, macOf, limits, log }) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Tells nobody anything. */
export const quiet: StoreLog = { info: () => {}, fatal: () => {} };

interface Served extends Written, Required<Pick<SqliteOptions, "log">> {
  readonly limits: SqliteLimits;
}

function serve(db: Database.Database, options: Served): Omit<Store, "log"> {
  const { revision, end, macOf, limits, log } = options;
  const reads = prepareReads(db, prepareObjects(macOf), limits.listStatements);
  const commits = groupCommit(db, options, limits);
  const alarm = createAlarm(log);
  const messages = prepareMessages(db, revision);
  const lock = db.transaction(() => end.take());
  const write = prepareSameWrite(db);
  // Whether the last append that wrote anything could: a full disk shows in nothing else.
  let writes = true;
  // Everybody who asks at the same time gets one answer: each look may block for the busy timeout.
  let probing: Promise<void> | undefined;
  const probe = async () => {
    setTimeout(() => {
      probing = undefined;
    }, limits.readyMs).unref();
    try {
      lock.immediate();
      if (!writes) write.immediate();
      writes = true;
    } catch (error) {
      throw unavailable(error);
    }
  };
  let closed: Promise<void> | undefined;

  const assertOpen = () => {
    if (closed !== undefined) throw new StoreUnavailable("The store is closed.");
  };
  const whenFree = async <T>(attempt: () => T) =>
    retryWhileBusy(limits, () => {
      assertOpen();
      return attempt();
    });
  const close = async () => {
    await commits.drain();
    db.close();
  };

  return {
    load: (streams) => alarm.watch(() => whenFree(() => reads.load(streams))),
    append: async (append) => {
      assertOpen();
      checkAppend(append);
      try {
        const result = await alarm.watch(() => commits.submit(append));
        writes ||= result.kind === "appended";
        alarm.calm();
        return result;
      } catch (error) {
        writes = false;
        throw error;
      }
    },
    find: (claim) => whenFree(() => reads.find(claim)),
    holders: (group, limit) => whenFree(() => reads.holders(group, limit)),
    list: (query) => alarm.watch(() => whenFree(() => reads.list(query))),
    readStream: (stream, after, limit) => whenFree(() => reads.readStream(stream, after, limit)),
    readAll: (after, limit) => whenFree(() => reads.readAll(after, limit)),
    search: (query) => whenFree(() => reads.search(query)),
    head: () => whenFree(() => reads.head()),
    leaseMessages: (query) => whenFree(() => messages.lease(query)),
    postponeMessage: (message, dueMs) => whenFree(() => messages.postpone(message, dueMs)),
    ready: async () => {
      assertOpen();
      probing ??= probe();
      await probing;
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
