import { isAppended } from "../after-append.ts";
import { createAlarm } from "../alarm.ts";
import type { Artifacts } from "../artifact.ts";
import { createAnswerName } from "../chain/answer-name.ts";
import { type ArtifactSeal, createArtifactSeal } from "../chain/artifact-mac.ts";
import { createCheck, createStamp, type LogIdentity } from "../chain/chain.ts";
import { firstLink } from "../chain/link.ts";
import { createRowMac } from "../chain/row-mac.ts";
import { createStateMac } from "../chain/state.ts";
import { checkAppend } from "../check-append.ts";
import { createFailureLog, type Doing, type StoreLog, silent } from "../failure-log.ts";
import { prepareObjects, type ToObject } from "../object-row.ts";
import type { Opening } from "../opening.ts";
import { createSteps } from "../progress.ts";
import type { Projector } from "../projector.ts";
import { type Append, type Store, StoreUnavailable } from "../store.ts";
import { createAnswers } from "./answers.ts";
import { createArtifacts } from "./artifacts.ts";
import { findAttachment } from "./attachments.ts";
import type { Sealing } from "./batch.ts";
import { type Checked, createChecked } from "./checked.ts";
import { groupCommit } from "./commit.ts";
import { isForRoom, isOurs, unavailable } from "./errors.ts";
import { linkAt, readHead } from "./head.ts";
import { knownIdentity, openIdentity } from "./identity.ts";
import { type PostgresLimits, postgresLimits } from "./limits.ts";
import { createLists } from "./list.ts";
import { createLooks } from "./looks.ts";
import { createMessages } from "./message.ts";
import { createPool, type Pool } from "./pool.ts";
import { createReads } from "./read.ts";
import { assertChain } from "./rebuild.ts";
import { prepareEvents, type SealedColumns, type ToEvent } from "./row.ts";
import { hasKnownTables, migrate } from "./schema.ts";
import { search } from "./search.ts";
import { type Compared, createSeen, lookingBack, type Seen } from "./seen.ts";
import { bringUpToDate } from "./upgrade.ts";
import { assertOwn } from "./verify/tables.ts";

/** The database to open, and the projector of its objects. */
export interface PostgresOptions extends Opening<PostgresLimits> {
  /** As libpq takes it: `postgres://user:password@host:port/database?sslmode=verify-full`. */
  readonly url: string;
  readonly projector: Projector;
}

/**
 * Opens the store in a PostgreSQL database, which any number of processes may share. Brings the
 * tables and, from the log, the objects and claims up to date first.
 *
 * Rejects with `StoreUnavailable` when the database cannot be used now, and with an `Error` when a
 * newer program wrote it, when it is too old, or when the role may not make the tables. No message
 * names the URL. A process whose log was taken over by a program with a higher projection revision
 * can read on but no longer append.
 */
export async function openPostgres({
  url,
  projector,
  keys,
  random,
  log = silent,
  fault = () => undefined,
  found = () => {},
  committed = () => {},
  admit = async () => {},
  ...options
}: PostgresOptions): Promise<Store> {
  const limits = { ...postgresLimits, ...options.limits };
  const pool = createPool(url, limits, projector.revision);
  try {
    const known = (await hasKnownTables(pool)) ? await knownIdentity(pool, keys) : undefined;
    const ends = { head: () => readHead(pool), linkAt: (at: bigint) => linkAt(pool, at) };
    if (known !== undefined) {
      await assertEnd(pool, known, limits);
      await admit(known, ends);
    }
    await migrate(pool, projector);
    await assertOwn(pool, projector);
    const identity = known ?? (await openIdentity(pool, { keys, random }));
    if (known === undefined) await admit(identity, ends);
    const check = createCheck(identity);
    const rowMac = createRowMac(identity);
    const rebuilding = { log: identity.id, projector, check, rowMac, limits };
    // A start that takes long says why.
    const steps = createSteps(limits.progressSteps, (text) => log.info({}, text));
    await bringUpToDate(pool, url, { ...rebuilding, steps });
    await discard(pool, limits, log);
    const { position } = await readHead(pool);
    const begin = { position, link: (await linkAt(pool, position)) ?? firstLink };
    const seen = createSeen(begin);
    const checked = createChecked(pool, { check, limits }, seen);
    await assertEnd(pool, identity, limits);
    const sealing = {
      ...{ rowMac, stamp: createStamp(identity, random), nameOf: createAnswerName(identity) },
      toObject: prepareObjects(createStateMac(identity)),
      toEvent: seeing(prepareEvents(checked.look), seen),
    };
    const { revision } = projector;
    const artifactSeal = createArtifactSeal(identity);
    const told = { limits, random, fault, found, log, committed };
    const serving = { id: identity.id, revision, seen, checked, artifactSeal, ...told, ...sealing };
    return { log: identity.id, ...serve(pool, serving) };
  } catch (error) {
    await pool.close();
    throw isOurs(error) ? error : unavailable(error);
  }
}

/** Checks the last events of a log, up to the end that it has then. */
async function assertEnd(pool: Pool, identity: LogIdentity, limits: PostgresLimits): Promise<void> {
  const { position } = await readHead(pool);
  const after = position - BigInt(limits.checkedEvents);
  const chain = { log: identity.id, check: createCheck(identity), limits, steps: undefined };
  await pool.using((connection) => assertChain(connection, chain, after > 0n ? after : 0n));
}

/** Drops what lower revisions have left. The next start tries again where that fails. */
async function discard(pool: Pool, { discardMs }: PostgresLimits, log: StoreLog): Promise<void> {
  try {
    await pool.query("SELECT derived.discard($1)", [discardMs]);
  } catch (err) {
    log.warn({ err }, "the tables of an older version could not be dropped");
  }
}

/** Takes up each event that is read: the log has to continue it, whichever process wrote it. */
function seeing(toEvent: ToEvent, seen: Seen): ToEvent {
  return (columns: SealedColumns & Partial<Compared>) => {
    const event = toEvent(columns);
    seen.note(columns, columns.asked);
    return event;
  };
}

/** What is known of a log that is open. */
interface Serving
  extends Sealing,
    Required<Pick<PostgresOptions, "random" | "log" | "fault" | "found">> {
  readonly id: string;
  readonly revision: number;
  readonly seen: Seen;
  readonly checked: Checked;
  readonly artifactSeal: ArtifactSeal;
  readonly committed: (writes: number) => void;
  readonly limits: PostgresLimits;
  readonly toObject: ToObject;
  readonly toEvent: ToEvent;
}

/** The parts that a store is made of. */
function createParts(pool: Pool, serving: Serving) {
  const { id, log, found, committed, revision, seen, checked, limits, random, ...rest } = serving;
  const { artifactSeal, ...sealing } = rest;
  const { follow } = checked;
  const fault = () => serving.fault() ?? checked.fault();
  const { toObject, toEvent, nameOf } = sealing;
  const answers = createAnswers(pool, nameOf);
  const target = { pool, limits, checked, log: id, revision, committed };
  const alarm = createAlarm(log, found);
  const note = (error: unknown) => void checked.judge(error).then(alarm.note);
  return {
    ...{ answers, alarm, back: lookingBack(pool, seen) },
    artifacts: createArtifacts(pool, { ...artifactSeal, limits }),
    failures: createFailureLog(log, limits.failuresMs),
    looks: createLooks(pool, { log: id, revision, seen, limits, fault, random, follow, note }),
    reads: createReads(pool, { toObject, toEvent, seen }),
    messages: createMessages(pool, { revision, toEvent, seen, note, limits }),
    commits: groupCommit(target, sealing, seen),
    lists: createLists(pool, toObject, limits),
  };
}

function serve(pool: Pool, serving: Serving): Omit<Store, "log"> {
  const parts = createParts(pool, serving);
  const { reads, answers, messages, commits, lists, looks, failures, alarm } = parts;
  let closed: Promise<void> | undefined;

  const whenOpen = createNoting(parts, serving.checked, () => closed === undefined);
  const whenSound = <T>(work: () => Promise<T>) =>
    whenOpen(async () => {
      await looks.look();
      return await work();
    }, "look");
  const write = async (append: Append) => {
    looks.assertSound();
    checkAppend(append);
    const result = await commits.submit(append);
    if (isAppended(result)) {
      alarm.calm();
      looks.wrote(true);
    }
    return result;
  };
  const close = async () => {
    await commits.drain();
    failures.close();
    await pool.close();
  };
  return {
    load: (streams) => whenOpen(() => reads.load(streams)),
    versions: (streams) => whenOpen(() => reads.versions(streams)),
    append: (append) => whenOpen(() => write(append), "append", isAppended),
    find: (claim) => whenOpen(() => reads.find(claim)),
    holders: (group, limit) => whenOpen(() => reads.holders(group, limit)),
    list: (query) => whenOpen(() => lists(query)),
    readStream: (...asked) => whenOpen(() => reads.readStream(...asked)),
    readAll: (after, limit) => whenOpen(() => reads.readAll(after, limit)),
    search: (query) => whenOpen(() => search(parts.back, serving.toEvent, query)),
    head: () => whenOpen(() => reads.head()),
    linkAt: (position) => whenOpen(() => reads.linkAt(position)),
    attachment: (digest) => whenOpen(() => findAttachment(pool, digest)),
    leaseMessages: (query) => whenSound(() => messages.lease(query)),
    postponeMessage: (message, dueMs) => whenSound(() => messages.postpone(message, dueMs)),
    recall: (key, nowMs) => whenOpen(() => answers.recall(key, nowMs)),
    pendingMessages: (stream, limit) => whenOpen(() => messages.pending(stream, limit)),
    rememberedOf: (caller) => whenOpen(() => answers.rememberedOf(caller)),
    forgetAnswers: (nowMs) => whenOpen(() => answers.forget(nowMs)),
    artifacts: artifactsBy(parts.artifacts, { whenOpen, whenSound }),
    ready: () => whenOpen(looks.look, "look"),
    condition: (nowMs) =>
      whenOpen(async () => {
        // A figure that cannot be read is left out.
        const waiting = await messages.waiting(nowMs).catch(() => ({}));
        const own = { ...pool.figures(), waitingAppends: commits.waiting() };
        return { figures: { ...own, ...waiting }, warnings: [] };
      }),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

type Noting = <T>(
  work: () => Promise<T>,
  doing?: Doing,
  isDone?: (result: T) => boolean,
) => Promise<T>;

/**
 * Makes the function that does the work while the store is open, and tells what comes of it. A
 * result that is not done says nothing of the database: what is refused is not written.
 */
function createNoting(
  { failures, alarm, looks }: ReturnType<typeof createParts>,
  checked: Pick<Checked, "judge">,
  isOpen: () => boolean,
): Noting {
  return async (work, doing = "read", isDone = () => true) => {
    if (!isOpen()) throw new StoreUnavailable("The store is closed.");
    try {
      const result = await work();
      if (isDone(result)) failures.done(doing);
      return result;
    } catch (thrown) {
      const error = await checked.judge(thrown);
      // What a closed store refuses says nothing of the database.
      if (isOpen()) failures.note(error, doing);
      alarm.note(error);
      if (isForRoom(error)) looks.wrote(false);
      looks.doubt();
      throw error;
    }
  };
}

type Working = <T>(work: () => Promise<T>) => Promise<T>;

function artifactsBy(
  artifacts: Artifacts,
  { whenOpen, whenSound }: { readonly whenOpen: Working; readonly whenSound: Working },
): Artifacts {
  return {
    write: (changes, nowMs) => whenSound(() => artifacts.write(changes, nowMs)),
    find: (key, nowMs) => whenOpen(() => artifacts.find(key, nowMs)),
    findAlias: (alias, nowMs) => whenOpen(() => artifacts.findAlias(alias, nowMs)),
    forget: (nowMs) => whenOpen(() => artifacts.forget(nowMs)),
  };
}
