import type Database from "better-sqlite3";
import { isAppended } from "../after-append.ts";
import { type Alarm, createAlarm } from "../alarm.ts";
import { createAnswerName } from "../chain/answer-name.ts";
import { createArtifactSeal } from "../chain/artifact-mac.ts";
import type { Check, LogIdentity } from "../chain/chain.ts";
import type { StateMac } from "../chain/state.ts";
import { checkAppend } from "../check-append.ts";
import { hasErased } from "../erasure.ts";
import { createFailureLog, type Doing, silent } from "../failure-log.ts";
import { prepareObjects } from "../object-row.ts";
import type { Opening } from "../opening.ts";
import { createSteps, type Progress } from "../progress.ts";
import type { Projector } from "../projector.ts";
import type { ListQuery } from "../query.ts";
import type { Store } from "../store.ts";
import { StoreUnavailable } from "../store.ts";
import { prepareAnswers } from "./answers.ts";
import { prepareAppend } from "./append.ts";
import { prepareArtifacts } from "./artifacts.ts";
import { artifactsBy, type Together } from "./attempts.ts";
import { prepareLink } from "./chain.ts";
import { prepareCheckpoint } from "./checkpoints.ts";
import { groupCommit, type Written } from "./commit.ts";
import { connect, isPassing, prepareWalFill, retryWhileBusy } from "./connection.ts";
import { type LogEnd, prepareEnd } from "./end.ts";
import { prepareHead } from "./head.ts";
import { openIdentity } from "./identity.ts";
import { type SqliteLimits, sqliteLimits } from "./limits.ts";
import { prepareLooks } from "./looks.ts";
import { prepareMessages } from "./message.ts";
import { watchOpenFiles } from "./open-files.ts";
import { createTrust } from "./outcome.ts";
import { prepareReads, type Reads } from "./read.ts";
import { createReader } from "./reader.ts";
import { assertEnd, bringUpToDate, prepareTakeover } from "./rebuild.ts";
import { prepareEvents } from "./row.ts";
import { startUpkeep } from "./upkeep.ts";

/** The file to open, and the projector of its objects. */
export interface SqliteOptions extends Opening<SqliteLimits> {
  /** The database file; its directory must exist. SQLite puts two more files next to it. */
  readonly path: string;
  readonly projector: Projector;
  /** Is told how far verification and rebuild of a large log are. */
  readonly progress?: Progress;
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
export async function openSqlite({
  path,
  projector,
  log = silent,
  lost = () => {},
  fault = () => undefined,
  found = () => {},
  committed = () => {},
  admit = async () => {},
  ...options
}: SqliteOptions): Promise<Store> {
  const limits = { ...sqliteLimits, ...options.limits };
  const db = await connect(path, limits);
  try {
    const identity = await openIdentity(db, { ...options, projector, limits });
    const look = db.transaction(() => assertEnd(db, identity.check, limits.checkedEvents));
    await retryWhileBusy(limits, look);
    const [head, linkAt] = [prepareHead(db), prepareLink(db)];
    await admit(identity, {
      head: () => retryWhileBusy(limits, head),
      linkAt: (position) => retryWhileBusy(limits, () => linkAt(position)),
    });
    // A start that takes long says why.
    const steps = createSteps(limits.progressSteps, (text) => log.info({}, text));
    const prepare = db.transaction(() => bringUpToDate(db, projector, { ...identity, steps }));
    await retryWhileBusy(limits, () => prepare.immediate());
    const end = await retryWhileBusy(limits, () => prepareEnd(db, identity, limits));
    // With what others have appended meanwhile.
    await retryWhileBusy(limits, look);
    const { id, key, macOf, check } = identity;
    const written = { identity: { id, key }, revision: projector.revision, end, macOf };
    const heard = { log, lost, fault, found, committed };
    return { log: id, ...serve(db, { ...written, check, path, ...heard, limits }) };
  } catch (error) {
    db.close();
    throw error;
  }
}

interface Serving
  extends Omit<Written, "trust">,
    Required<Pick<SqliteOptions, "path" | "log" | "lost" | "fault" | "found" | "committed">> {
  readonly identity: LogIdentity;
  readonly macOf: StateMac;
  readonly check: Check;
  readonly limits: SqliteLimits;
}

/** The parts that a store is made of, all on one connection. */
function prepareParts(db: Database.Database, serving: Serving) {
  const { path, log, lost, fault, found, committed } = serving;
  const { revision, end, macOf, check, limits } = serving;
  const files = watchOpenFiles(path, prepareWalFill(db), (difference) => {
    log.fatal(
      { difference },
      "the files of the log are not those that were opened: the service no longer writes",
    );
  });
  const failures = createFailureLog(log, limits.failuresMs);
  const trust = createTrust(lost, files, fault);
  const answers = prepareAnswers(db, createAnswerName(serving.identity), limits.answersOfCaller);
  const artifacts = prepareArtifacts(db, createArtifactSeal(serving.identity), end.transactions);
  const alarm = createAlarm(log, found);
  const toEvent = prepareEvents(check);
  // What is found is told, and refuses all that is written from then on.
  const follow = () => followed(end, alarm);
  const reader = createReader({ path, identity: serving.identity, limits, files });
  const checkpointing = prepareCheckpoint(db, { trust, reader });
  return {
    ...{ files, failures, trust, answers, artifacts, alarm },
    upkeep: startUpkeep({ ...checkpointing, path, follow, files, limits, log, failures }),
    reads: prepareReads(db, { toObject: prepareObjects(macOf), toEvent, ...end }, limits),
    reader,
    commits: groupCommit(db, { revision, end, trust }, limits, committed),
    write: prepareAppend(db, end, macOf, { answers, artifacts }),
    messages: prepareMessages(db, { revision, toEvent, note: alarm.note, limits }),
    looks: prepareLooks(db, { revision, limits, trust, end }),
    assertNotTaken: prepareTakeover(db, revision),
  };
}

function serve(db: Database.Database, serving: Serving): Omit<Store, "log"> {
  const parts = prepareParts(db, serving);
  const { files, failures, trust, upkeep, reads, reader, commits, messages, looks } = parts;
  let closed: Promise<void> | undefined;

  const assertOpen = () => {
    if (closed !== undefined) throw new StoreUnavailable("The store is closed.");
  };
  // What a closed store refuses says nothing of the storage.
  const noted = createNoting(parts, () => closed === undefined);
  const whenFree = <T>(attempt: () => T, doing: Doing = "read") =>
    noted(doing, () =>
      retryWhileBusy(serving.limits, () => {
        assertOpen();
        return attempt();
      }),
    );
  const together = createTogether(parts, { assertOpen, noted });
  const writing = <T>(attempt: () => T) => {
    parts.assertNotTaken();
    return attempt();
  };
  const whenWritable = <T>(attempt: () => T) =>
    whenFree(() => trust.write(() => writing(attempt)), "look");
  const readWhole = async (query: ListQuery) => {
    assertOpen();
    // The thread has opened the file by its path, or is about to.
    files.assertSame();
    return reader.list(query);
  };
  const close = async () => {
    await commits.drain();
    upkeep.close();
    failures.close();
    await reader.close();
    db.close();
  };

  return {
    ...readsWhenFree(reads, whenFree),
    append: async (append) => {
      checkAppend(append);
      const result = await together(() => parts.write(append), isAppended);
      if (hasErased(result)) upkeep.erased();
      return result;
    },
    list: async (query) =>
      (await whenFree(() => reads.list(query))) ?? noted("read", () => readWhole(query)),
    leaseMessages: (query) => whenWritable(() => messages.lease(query)),
    postponeMessage: (message, dueMs) => whenWritable(() => messages.postpone(message, dueMs)),
    recall: (key, nowMs) => whenFree(() => parts.answers.recall(key, nowMs)),
    pendingMessages: (stream, limit) => whenFree(() => messages.pending(stream, limit)),
    rememberedOf: (caller) => whenFree(() => parts.answers.rememberedOf(caller)),
    forgetAnswers: (nowMs) => whenWritable(() => parts.answers.forget(nowMs)),
    artifacts: artifactsBy(parts.artifacts, { whenFree, whenWritable, together }),
    ready: async () => {
      assertOpen();
      await noted("look", looks.look);
    },
    condition: async (nowMs) => {
      assertOpen();
      const { figures, warnings } = await upkeep.look();
      // A figure that cannot be read is left out.
      const waiting = await whenFree(() => messages.waiting(nowMs)).catch(() => ({}));
      const waitingAppends = commits.waiting();
      return { figures: { ...figures, waitingAppends, ...waiting }, warnings };
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/**
 * Makes the function that does the work, and tells what comes of it for as long as it counts. A
 * result that is not done says nothing of the storage: what is refused is not written.
 */
function createNoting(
  { failures, alarm }: Pick<ReturnType<typeof prepareParts>, "failures" | "alarm">,
  counts: () => boolean,
): Noting {
  return async (doing, work, isDone = () => true) => {
    try {
      const result = await work();
      if (isDone(result)) failures.done(doing);
      return result;
    } catch (error) {
      if (counts()) failures.note(error, doing);
      alarm.note(error);
      throw error;
    }
  };
}

type Noting = <T>(
  doing: Doing,
  work: () => Promise<T>,
  isDone?: (result: T) => boolean,
) => Promise<T>;

/** Makes the function that writes in a batch with others. */
function createTogether(
  { commits, trust, looks, alarm, upkeep }: ReturnType<typeof prepareParts>,
  { assertOpen, noted }: { readonly assertOpen: () => void; readonly noted: Noting },
): Together {
  return async (work, hasWritten) => {
    assertOpen();
    trust.assert();
    const submit = () => commits.submit(work);
    const result = await noted("append", submit, hasWritten).catch((error) => {
      if (isPassing(error.cause)) looks.wrote(false);
      throw error;
    });
    if (hasWritten(result)) {
      looks.wrote(true);
      alarm.calm();
      upkeep.wrote();
    }
    return result;
  };
}

/** Looks at what other processes have appended; answers whether it has come to the end. */
function followed(end: LogEnd, alarm: Alarm): boolean {
  try {
    return end.follow();
  } catch (error) {
    alarm.note(error);
    return true;
  }
}

/** The reads that take one attempt each. */
function readsWhenFree(reads: Reads, whenFree: <T>(attempt: () => T) => Promise<T>) {
  return {
    load: (streams) => whenFree(() => reads.load(streams)),
    versions: (streams) => whenFree(() => reads.versions(streams)),
    find: (claim) => whenFree(() => reads.find(claim)),
    holders: (group, limit) => whenFree(() => reads.holders(group, limit)),
    readStream: (stream, after, limit) => whenFree(() => reads.readStream(stream, after, limit)),
    readAll: (after, limit) => whenFree(() => reads.readAll(after, limit)),
    search: (query) => whenFree(() => reads.search(query)),
    head: () => whenFree(() => reads.head()),
    linkAt: (position) => whenFree(() => reads.linkAt(position)),
    attachment: (digest) => whenFree(() => reads.attachment(digest)),
  } satisfies Partial<Store>;
}
