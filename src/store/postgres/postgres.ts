import { createSlots } from "../../slots.ts";
import { createAnswerName } from "../chain/answer-name.ts";
import { createCheck, createStamp, type End } from "../chain/chain.ts";
import { Forged } from "../chain/forged.ts";
import type { LogKeys } from "../chain/keys.ts";
import { firstLink } from "../chain/link.ts";
import { createRowMac } from "../chain/row-mac.ts";
import { createStateMac } from "../chain/state.ts";
import { checkAppend } from "../check-append.ts";
import type { Projector } from "../projector.ts";
import type { ListQuery } from "../query.ts";
import { type ObjectPage, type Store, StoreUnavailable } from "../store.ts";
import { createAnswers } from "./answers.ts";
import type { Sealing } from "./batch.ts";
import { groupCommit } from "./commit.ts";
import { failureOf, isOurs, sqlStateOf, unavailable } from "./errors.ts";
import { readHead } from "./head.ts";
import { openIdentity } from "./identity.ts";
import { type PostgresLimits, postgresLimits } from "./limits.ts";
import { list } from "./list.ts";
import { createMessages } from "./message.ts";
import { createPool, type Pool } from "./pool.ts";
import { createReads } from "./read.ts";
import { assertChain, bringUpToDate } from "./rebuild.ts";
import { prepareEvents, prepareObjects, type ToEvent, type ToObject } from "./row.ts";
import { migrate } from "./schema.ts";
import { search } from "./search.ts";

/** The database to open, and the projector of its objects. */
export interface PostgresOptions {
  /** As libpq takes it: `postgres://user:password@host:port/database?sslmode=verify-full`. */
  readonly url: string;
  readonly projector: Projector;
  readonly keys: LogKeys;
  /** For what is random in the log; `crypto.randomBytes` in the service, or a pool of it. */
  readonly random: (size: number) => Uint8Array;
  /** Replaces single values of `postgresLimits`. */
  readonly limits?: Partial<PostgresLimits>;
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
export async function openPostgres({ url, projector, keys, random, ...options }: PostgresOptions) {
  const limits = { ...postgresLimits, ...options.limits };
  const pool = createPool(url, limits);
  try {
    await migrate(pool);
    const identity = await openIdentity(pool, { keys, random });
    const check = createCheck(identity);
    const rowMac = createRowMac(identity);
    const rebuilding = { log: identity.id, projector, check, rowMac, limits };
    await bringUpToDate(pool, rebuilding);
    const { position } = await readHead(pool);
    const end = { position, link: await linkAt(pool, position) };
    const after = position - BigInt(limits.checkedEvents);
    await pool.using((connection) => assertChain(connection, rebuilding, after > 0n ? after : 0n));
    const sealing = {
      ...{ rowMac, stamp: createStamp(identity, random), nameOf: createAnswerName(identity) },
      toObject: prepareObjects(createStateMac(identity)),
      toEvent: prepareEvents(check),
    };
    const { revision } = projector;
    const serving = { log: identity.id, revision, end, limits, ...sealing };
    const store: Store = { log: identity.id, ...serve(pool, serving) };
    return store;
  } catch (error) {
    await pool.close();
    throw isOurs(error) ? error : unavailable(error);
  }
}

async function linkAt(pool: Pool, position: bigint): Promise<Uint8Array> {
  const [row] = await pool.query<{ link: Uint8Array }>(
    "SELECT link FROM iam.events WHERE position = $1",
    [position],
  );
  return row?.link ?? firstLink;
}

/** What is known of a log that is open. */
interface Serving extends Sealing {
  readonly log: string;
  readonly revision: number;
  readonly end: End;
  readonly limits: PostgresLimits;
  readonly toObject: ToObject;
  readonly toEvent: ToEvent;
}

/** The parts that a store is made of. */
function createParts(pool: Pool, { log, revision, end, limits, ...sealing }: Serving) {
  const { toObject, toEvent, nameOf } = sealing;
  const answers = createAnswers(pool, { nameOf, ofCaller: limits.answersOfCaller });
  const target = { pool, limits, answers, log, revision };
  return {
    answers,
    reads: createReads(pool, { toObject, toEvent }),
    messages: createMessages(pool, { revision, toEvent, limits }),
    commits: groupCommit(target, sealing, end),
    lists: createLists(pool, toObject, limits),
  };
}

function serve(pool: Pool, serving: Serving): Omit<Store, "log"> {
  const { reads, answers, messages, commits, lists } = createParts(pool, serving);
  let closed: Promise<void> | undefined;

  const whenOpen = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed !== undefined) throw new StoreUnavailable("The store is closed.");
    return await work();
  };
  return {
    load: (streams) => whenOpen(() => reads.load(streams)),
    append: (append) =>
      whenOpen(async () => {
        checkAppend(append);
        return await commits.submit(append);
      }),
    find: (claim) => whenOpen(() => reads.find(claim)),
    holders: (group, limit) => whenOpen(() => reads.holders(group, limit)),
    list: (query) => whenOpen(() => lists(query)),
    readStream: (...asked) => whenOpen(() => reads.readStream(...asked)),
    readAll: (after, limit) => whenOpen(() => reads.readAll(after, limit)),
    search: (query) => whenOpen(() => search(pool, serving.toEvent, query)),
    head: () => whenOpen(() => reads.head()),
    linkAt: (position) => whenOpen(() => reads.linkAt(position)),
    leaseMessages: (query) => whenOpen(() => messages.lease(query)),
    postponeMessage: (message, dueMs) => whenOpen(() => messages.postpone(message, dueMs)),
    recall: (key, nowMs) => whenOpen(() => answers.recall(key, nowMs)),
    forgetAnswers: (nowMs) => whenOpen(() => answers.forget(nowMs)),
    ready: () => whenOpen(() => assertWritable(pool)),
    condition: (nowMs) =>
      whenOpen(async () => {
        const figures = pool.figures();
        const postponed = await messages.postponed(nowMs).catch(() => undefined);
        const more = postponed === undefined ? {} : { postponedMessages: postponed };
        return { figures: { ...figures, ...more }, warnings: [] };
      }),
    close: () => {
      closed ??= commits.drain().then(() => pool.close());
      return closed;
    },
  };
}

/** Makes the lists: what is not done in its time is given up, by the database itself. */
function createLists(pool: Pool, toObject: ToObject, limits: PostgresLimits) {
  const slots = createSlots({
    concurrentMax: limits.lists,
    waitingMax: limits.waitingLists,
    overloaded: () => new StoreUnavailable(`${limits.waitingLists} lists are waiting already.`),
  });
  return async (query: ListQuery): Promise<ObjectPage | undefined> => {
    const untilMs = performance.now() + limits.searchMs;
    return await slots.run(async () => {
      const leftMs = Math.floor(untilMs - performance.now());
      if (leftMs <= 0) return undefined;
      const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
        SET LOCAL statement_timeout = ${leftMs}; SET LOCAL jit = off`;
      try {
        return await pool.transaction(begin, (connection) => list(connection, toObject, query));
      } catch (error) {
        if (sqlStateOf(error) === "57014") return undefined;
        throw error instanceof Forged || failureOf(error) === "wrong" ? error : unavailable(error);
      }
    });
  };
}

/** Rejects with `StoreUnavailable` where the database takes no writes. */
async function assertWritable(pool: Pool): Promise<void> {
  const [row] = await pool.query<{ readonly: boolean }>(
    `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS readonly`,
  );
  if (row?.readonly !== false) throw unavailable({ code: "25006", severity: "ERROR" });
}
