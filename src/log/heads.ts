import type { KeyObject } from "node:crypto";
import { afterAppend } from "../store/after-append.ts";
import { isSame } from "../store/chain/chain.ts";
import { isSealed, type LogHead, parseHead, sealHead } from "../store/chain/head.ts";
import type { Condition } from "../store/condition.ts";
import type { FileLock } from "../store/sqlite/file-lock.ts";
import type { Store } from "../store/store.ts";
import { type HeadPlace, problemOf } from "./head-places.ts";

/** How far the heads outside of the log may be behind it. */
export const headLimits = {
  /** Milliseconds after an append until the head is written. */
  everyMs: 1_000,
  /** Events after which it is written at once. */
  events: 1_000,
  /** Milliseconds between two looks whether others have appended. */
  followMs: 10_000,
  /** Milliseconds until a place that has failed is tried again. */
  retryMs: 10_000,
} as const;

export type HeadLimits = { readonly [name in keyof typeof headLimits]: number };

interface HeadsOptions {
  readonly log: Store;
  /** The key of the log. */
  readonly key: KeyObject;
  readonly places: readonly HeadPlace[];
  /** What only one of the processes on the log has at a time. */
  readonly lock: Pick<FileLock, "alone">;
  readonly now: () => number;
  readonly lines: {
    error(members: object, line: string): void;
    info(members: object, line: string): void;
  };
  readonly limits?: Partial<HeadLimits>;
}

/**
 * Follows the log with its heads: they are written after the commit, and no append waits for them
 * or fails with them. Of several processes that write one file, none puts an older one over it; and
 * none puts another past over one that the log does not go on from, unless that is decided.
 */
export function keepHeads({ limits: given, ...options }: HeadsOptions) {
  const limits = { ...headLimits, ...given };
  const kept = options.places.map((place) => keepPlace(place, { ...options, limits }));
  const { log } = options;
  const follow = setInterval(() => {
    log.head().then(
      ({ position }) => {
        for (const one of kept) one.follow(position);
      },
      // Readers of the log hear of that.
      () => {},
    );
  }, limits.followMs).unref();
  return {
    /** The log, whose appends are followed by heads, and whose condition tells of them. */
    log: {
      ...afterAppend(log, (_append, { events }) => {
        for (const one of kept) one.heard(events.length);
      }),
      condition: async (nowMs) => {
        const [condition, head] = await Promise.all([log.condition(nowMs), log.head()]);
        return kept.reduce((all, one) => one.tell(all, head.position), condition);
      },
    } satisfies Store,
    /**
     * Writes the heads of now, and waits for those that are files. Decided, it does so over ones
     * that the log does not go on from.
     */
    begin: async (isDecided: boolean) => {
      const all = kept.map((one) => ({ one, isDone: one.write(isDecided) }));
      // A webhook may take long to answer, and nothing depends on it.
      await Promise.all(all.flatMap(({ one, isDone }) => (one.isFile ? [isDone] : [])));
    },
    /** Writes the last heads, and no more. */
    close: async () => {
      clearInterval(follow);
      await Promise.all(kept.map((one) => one.close()));
    },
  };
}

function keepPlace(
  place: HeadPlace,
  { limits, ...options }: HeadsOptions & { readonly limits: HeadLimits },
) {
  const { lock, lines } = options;
  const putHead = preparePut(place, options);
  let waiting = 0;
  let written = 0n;
  let problem: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  function writeAfter(ms: number): void {
    if (isClosed) return;
    timer ??= setTimeout(() => void write(), ms).unref();
  }

  /** One at a time: what comes meanwhile is followed by another. */
  async function write(isDecided = false): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (writing !== undefined) {
      await writing;
      if (!isDecided) return writeAfter(limits.everyMs);
    }
    writing = writeOnce(isDecided);
    await writing;
    writing = undefined;
  }

  async function writeOnce(isDecided: boolean): Promise<void> {
    waiting = 0;
    try {
      const put = () => putHead(isDecided);
      written = await (place.isShared ? lock.alone(put) : put());
      if (problem !== undefined) lines.info({ place: place.name }, "the head is stored again");
      problem = undefined;
    } catch (error) {
      const why = problemOf(error);
      if (why !== problem) {
        const line = "the head cannot be stored outside of the log";
        lines.error({ place: place.name, why }, line);
      }
      problem = why;
      writeAfter(limits.retryMs);
    }
  }

  return {
    isFile: place.isShared,
    write,
    heard(events: number) {
      waiting += events;
      if (waiting < limits.events) return writeAfter(limits.everyMs);
      if (writing === undefined) void write();
      else writeAfter(limits.everyMs);
    },
    /** Says where the log ends, also where others have appended. */
    follow(end: bigint) {
      if (end > written && problem === undefined) writeAfter(0);
    },
    tell({ figures, warnings }: Condition, end: bigint): Condition {
      const name = place.isShared ? "headLagEvents" : "anchorLagEvents";
      const lag = Number(end - written);
      const warning = `The head of the log cannot be stored in ${place.name}: ${problem}.`;
      return {
        figures: { ...figures, [name]: Math.max(figures[name] ?? 0, lag, 0) },
        warnings: problem === undefined ? warnings : [...warnings, warning],
      };
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await writing;
      if (waiting > 0) await writeOnce(false);
    },
  };
}

/**
 * Makes the function that writes the head of now, unless a newer one lies there. Undecided, it
 * rejects where the log does not go on from that. Answers the position of the one that lies there.
 */
function preparePut(
  place: HeadPlace,
  { log, key, now }: Pick<HeadsOptions, "log" | "key" | "now">,
): (isDecided: boolean) => Promise<bigint> {
  /** What was written last, where nobody is asked what lies there. */
  let last: LogHead | undefined;
  return async (isDecided) => {
    const { position } = await log.head();
    const link = await log.linkAt(position);
    const there = place.isShared ? await headIn(place, log, key) : last;
    if (there !== undefined && !isDecided) {
      if (there.position >= position) return there.position;
      const past = await log.linkAt(there.position);
      const isPast = there.position === 0n || (past && isSame(past, there.link));
      if (!isPast) throw new Error("the log does not continue it");
    }
    if (link === undefined) return 0n;
    const head = { log: log.log, position, link, timeMs: now() };
    await place.write(sealHead(head, key));
    last = head;
    return position;
  };
}

/** The head that lies there, if it is of this log and sealed with its key. */
async function headIn(
  place: HeadPlace,
  { log }: Store,
  key: KeyObject,
): Promise<LogHead | undefined> {
  const head = parseHead((await place.read()) ?? "");
  return head?.log === log && isSealed(head, key) ? head : undefined;
}
