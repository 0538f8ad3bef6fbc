import type Database from "better-sqlite3";
import type { Projector, Store } from "../store.ts";
import { StoreUnavailable } from "../store.ts";
import { prepareAnswers } from "./answers.ts";
import { groupCommit } from "./commit.ts";
import { connect, retryWhileBusy, unavailable } from "./connection.ts";
import type { SqliteLimits } from "./limits.ts";
import { checkAppend, sqliteLimits } from "./limits.ts";
import { prepareMessages } from "./message.ts";
import { createTrust, type Trust } from "./outcome.ts";
import { prepareReads } from "./read.ts";
import { bringUpToDate } from "./rebuild.ts";
import { migrate, prepareSameWrite } from "./schema.ts";

/** The file to open, and the projector of its objects. */
export interface SqliteOptions {
  /** The database file; its directory must exist. SQLite puts two more files next to it. */
  readonly path: string;
  readonly projector: Projector;
  /** Replaces single values of `sqliteLimits`. */
  readonly limits?: Partial<SqliteLimits>;
  /**
   * Called once when the disk has failed in such a way that only a process which opens the file
   * anew can tell what it holds: from then on the store rejects whatever writes.
   */
  readonly lost?: (cause: Error) => void;
}

/**
 * Opens the store in an SQLite file, which it makes when there is none; several processes may have
 * the same file open. Brings the tables and, from the log, the objects and claims up to date first.
 *
 * Rejects with `StoreUnavailable` when other processes lock the file for too long, and with an
 * `Error` when a newer program wrote the file or SQLite cannot read it. A process whose file was
 * taken over by a program with a higher projection revision can read on but no longer append.
 */
export async function openSqlite({ path, projector, ...options }: SqliteOptions): Promise<Store> {
  const trust = createTrust(options.lost ?? (() => {}));
  const limits = { ...sqliteLimits, ...options.limits };
  const db = await connect(path, limits);
  try {
    const prepare = db.transaction(() => {
      migrate(db);
      bringUpToDate(db, projector);
    });
    await retryWhileBusy(limits, () => prepare.immediate());
    return serve(db, projector.revision, limits, trust);
  } catch (error) {
    db.close();
    throw error;
  }
}

function serve(db: Database.Database, revision: number, limits: SqliteLimits, trust: Trust): Store {
  const reads = prepareReads(db, limits.listStatements);
  const answers = prepareAnswers(db, limits.answersOfCaller);
  const commits = groupCommit(db, revision, limits, { trust, answers });
  const messages = prepareMessages(db, revision);
  const lock = db.transaction(() => {});
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
      trust.write(() => {
        if (writes) lock.immediate();
        else write.immediate();
      });
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
  const whenWritable = <T>(attempt: () => T) => whenFree(() => trust.write(attempt));
  const close = async () => {
    await commits.drain();
    db.close();
  };

  return {
    load: (streams) => whenFree(() => reads.load(streams)),
    append: async (append) => {
      assertOpen();
      trust.assert();
      checkAppend(append);
      try {
        const result = await commits.submit(append);
        writes ||= result.kind === "appended";
        return result;
      } catch (error) {
        writes = false;
        throw error;
      }
    },
    find: (claim) => whenFree(() => reads.find(claim)),
    holders: (group, limit) => whenFree(() => reads.holders(group, limit)),
    list: (query) => whenFree(() => reads.list(query)),
    readStream: (stream, after, limit) => whenFree(() => reads.readStream(stream, after, limit)),
    readAll: (after, limit) => whenFree(() => reads.readAll(after, limit)),
    search: (query) => whenFree(() => reads.search(query)),
    head: () => whenFree(() => reads.head()),
    leaseMessages: (query) => whenWritable(() => messages.lease(query)),
    postponeMessage: (message, dueMs) => whenWritable(() => messages.postpone(message, dueMs)),
    recall: (key, nowMs) => whenFree(() => answers.recall(key, nowMs)),
    forgetAnswers: (nowMs) => whenWritable(() => answers.forget(nowMs)),
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
