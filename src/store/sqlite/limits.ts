import { answerLimits } from "../answer.ts";
import { listLimits } from "../query.ts";

/** How the files of a log are looked after, and past what its operators are told. */
export const storageLimits = {
  /** Milliseconds between two looks at the files; one in which nothing was written checkpoints. */
  upkeepMs: 10_000,
  /** Milliseconds for which failures of a kind are counted before they are told once more. */
  failuresMs: 10_000,
  /**
   * Bytes of the WAL from which on it is checkpointed while others write. A page that is written
   * often until then is brought into the file once.
   */
  checkpointBytes: 128 * 1024 * 1024,
  /** Bytes of the WAL up to which the event loop checkpoints it itself, which takes no thread. */
  checkpointBytesHere: 4 * 1024 * 1024,
  /** Bytes that the WAL keeps when it begins anew. */
  walBytesKept: 128 * 1024 * 1024,
  /** Bytes of the WAL past which operators are told. */
  walBytesMax: 256 * 1024 * 1024,
  /** Bytes of free disk below which operators are told. */
  freeBytesMin: 256 * 1024 * 1024,
  /** Messages that wait for their quota, past which no more are counted for operators. */
  messagesCounted: 10_000,
} as const;

/** The limits of the SQLite store and its waiting times; each can be set when opening. */
export const sqliteLimits = {
  /** Milliseconds for which one look at whether the file can be written answers all who ask. */
  readyMs: 500,
  /** Milliseconds between two tries of the looks to write, after an append that could not. */
  roomMs: 2_000,
  /** Bytes that such a try writes in one commit, as dozens of appends do together. */
  roomBytes: 256 * 1024,
  /** Events at the end of the log that are checked whenever it is opened. */
  checkedEvents: 1_000,
  /** Events of other processes that are checked at once before this one writes behind them. */
  followedEvents: 1_000,
  /** Characters of the names of streams whose versions are remembered; with more, all are read. */
  knownVersionCharacters: 1_000_000,
  /**
   * Characters of artifacts that are remembered, and of the names by which they are counted; with
   * more of either, they are read again.
   */
  knownArtifactCharacters: 8_000_000,
  /** Appends, and writes of what logins leave behind, that share one transaction. */
  batchAppends: 512,
  /** Turns of the event loop that such a transaction waits for more, while each brings some. */
  gatherTurns: 4,
  /** Of both, how many wait for one; one more is refused with `StoreUnavailable`. */
  waitingAppends: 10_000,
  /** Answers that are remembered of one caller. */
  answersOfCaller: answerLimits.ofCaller,
  /** Statements for lists that are kept ready; each kind of question has its own. */
  listStatements: 100,
  /** Rows that a list looks at on the event loop, about; one that needs more goes to a thread. */
  listRows: 4_000,
  /** Lists that wait for that thread; of more, one of who has most of them is refused. */
  waitingLists: 100,
  /** Milliseconds that one of them has, its waiting included. */
  searchMs: listLimits.searchMs,
  /** Milliseconds that a verification reads one moment of the file, for which the WAL is kept. */
  pieceMs: 100,
  /** Rows that it looks at in that time at most: memory that is soon free again is fast. */
  pieceRows: 1_000,
  /**
   * Bytes of the file that a verification or a rebuild keeps in memory: both go through it in the
   * order of streams, which is not the order in which it lies there.
   */
  cacheBytes: 256 * 1024 * 1024,
  /** Events from which on a second thread checks the chain while the first does the rest. */
  threadEvents: 50_000,
  /** Events or streams after each of which verification and rebuild tell how far they are. */
  progressSteps: 100_000,
  /** How long SQLite itself may wait for a lock, which blocks the event loop. At most 50. */
  busyTimeoutMs: 20,
  /** How long an append, a read or the opening waits for other processes in all. */
  busyDeadlineMs: 5_000,
  /** The first pause between two tries; each further one is twice as long. */
  retryMinMs: 2,
  /** The longest pause between two tries. */
  retryMaxMs: 50,
  ...storageLimits,
} as const;

/** The numbers of `sqliteLimits`. */
export type SqliteLimits = { readonly [name in keyof typeof sqliteLimits]: number };
