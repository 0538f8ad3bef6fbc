import { answerLimits } from "../answer.ts";
import { listLimits } from "../query.ts";

/** The limits of the PostgreSQL store and its waiting times; each can be set when opening. */
export const postgresLimits = {
  /** Connections that one process has open, that of the appends included. */
  connections: 10,
  /** Milliseconds for which a connection is waited for, be it a new one or one that is in use. */
  connectMs: 5_000,
  /** Milliseconds for which no further connection is tried once the database has refused one. */
  fewerMs: 1_000,
  /** Milliseconds after which the database cancels a statement, and its connection is given up. */
  statementMs: 20_000,
  /** Milliseconds after which the database ends a transaction in which nothing is asked of it. */
  transactionIdleMs: 60_000,
  /** Milliseconds for which others count as writing at the same time, once they were found to. */
  besideMs: 1_000,
  /** Milliseconds for which one look at whether the database can be written answers all who ask. */
  readyMs: 500,
  /** Milliseconds between two tries of the looks to write, after something had no room. */
  roomMs: 2_000,
  /** Bytes that such a try writes and takes away again, as dozens of appends do together. */
  roomBytes: 256 * 1024,
  /** Milliseconds between two lines about failures of one kind. */
  failuresMs: 10_000,
  /** Events at the end of the log that are checked whenever it is opened. */
  checkedEvents: 1_000,
  /** Events that are read or written in one statement where all of a log is. */
  eventsAtOnce: 1_000,
  /** Events or objects that the check of a log looks at in one piece, while it is served. */
  checkedAtOnce: 200,
  /** Streams of which rows are made in one go, where those of some are. */
  streamsAtOnce: 100,
  /** Events that tables lack when writes wait for them to be added, and rounds until then. */
  catchUpEvents: 1_000,
  catchUpRounds: 20,
  /** Milliseconds for which a node that takes over keeps writes waiting for a lock of others. */
  switchLockMs: 500,
  /** Milliseconds that it may be silent meanwhile, and how often it tries. */
  switchIdleMs: 5_000,
  switchTries: 600,
  /** Milliseconds for which tables of a lower revision are waited for that somebody still reads. */
  discardMs: 200,
  /** UTF-8 bytes of payloads that one of them reads, besides the last. */
  bytesAtOnce: 8 * 1024 * 1024,
  /** Events or streams after each of which verification and rebuild tell how far they are. */
  progressSteps: 100_000,
  /** Appends that share one transaction, and their events and about their UTF-8 bytes. */
  batchAppends: 512,
  batchEvents: 2_000,
  batchBytes: 8 * 1024 * 1024,
  /** Appends that wait for a transaction; one more is refused with `StoreUnavailable`. */
  waitingAppends: 10_000,
  /** Messages that wait for their quota, past which no more are counted for operators. */
  messagesCounted: 10_000,
  /** Times that the change of an artifact is tried, because others change the same. */
  artifactTries: 50,
  /** Answers that are remembered of one caller. */
  answersOfCaller: answerLimits.ofCaller,
  /** Lists that are looked for at once, one of them for the service itself. */
  lists: 5,
  /** Of these, those for one organization. */
  listsOfAsker: 3,
  /** Lists that wait; of more, one of the organization with most of them is refused. */
  waitingLists: 100,
  /** Milliseconds that one of them has, its waiting included. */
  searchMs: listLimits.searchMs,
  /** Milliseconds for which one append waits for those of other processes. */
  lockMs: 5_000,
  /** Milliseconds in which what became of a commit has to be known. */
  outcomeMs: 30_000,
  /** The first pause between two tries, and the longest; each further one is twice as long. */
  retryMinMs: 5,
  retryMaxMs: 500,
} as const;

/** Milliseconds for a statement where it may write, or remove, all rows of a table. */
export const longMs = 3_600_000;

/** The numbers of `postgresLimits`. */
export type PostgresLimits = { readonly [name in keyof typeof postgresLimits]: number };
