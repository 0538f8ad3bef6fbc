import type { KeyObject } from "node:crypto";
import { ConfigError } from "../config/config.ts";
import { idOf } from "../domain/noun.ts";
import { user } from "../domain/user/state/user.ts";
import type { RecordedEvent } from "../event.ts";
import type { Execute } from "../execute/execute.ts";
import { isAppended } from "../store/after-append.ts";
import type { ErasureEntry } from "../store/chain/erasure-entry.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";
import { keepList } from "./erasure-list.ts";
import { type ErasurePlace, erasingPeople } from "./erasure-places.ts";
import { missingErasures, repeatErasure } from "./repeat-erasure.ts";

/** How lists of erasures go with the log. */
export const erasureLimits = {
  /** Milliseconds until a list that failed is tried again, and the log of others is looked at. */
  everyMs: 10_000,
  /** Erasures that are looked up at once in the log. */
  atOnce: 500,
} as const;

interface ErasuresOptions {
  readonly log: Store;
  /** The key of the log. */
  readonly key: KeyObject;
  readonly places: readonly ErasurePlace[];
  /** Whether other nodes write the log, and keep lists of their own. */
  readonly isShared: boolean;
  readonly newId: () => string;
  readonly lines: Record<"error" | "warn" | "info", (members: object, line: string) => void>;
  readonly everyMs?: number;
}

/**
 * Keeps lists of who was erased. An append that erases somebody resolves once each list that is a
 * file has it, or has failed: that refuses nothing, and is told. Lists are merged, and no entry is
 * ever taken out of one.
 */
export function keepErasures({ places, ...options }: ErasuresOptions) {
  const { log, isShared, lines, everyMs = erasureLimits.everyMs } = options;
  const lists = places.map((place) => keepList(place, { ...options, log: log.log }));
  /** Those whose entries are not known yet. */
  let unread = lists;
  let cursor = 0n;
  let isFollowing = false;
  /** Whether all that the log has had at the start is listed. */
  let isListed = false;
  let execute: Execute | undefined;
  let heard: () => void = () => {};
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => run(look), everyMs).unref();

  function run(work: () => Promise<void>): void {
    // Readers of the log hear of what fails there.
    running = running.then(work).catch(() => {});
  }

  async function repeat(repeats: Execute): Promise<void> {
    const read = await Promise.all(unread.map(async (list) => ({ list, got: await list.read() })));
    const entries = read.flatMap(({ got = [] }) => got);
    for (const entry of await missingErasures(log, entries, erasureLimits.atOnce)) {
      if (!(await repeatErasure(repeats, options.newId, entry).catch(refuseStart))) continue;
      const { position, user: userId } = entry;
      const line = "a person was erased again: the log was put back to a time before";
      lines.warn({ position: String(position), userId }, line);
    }
    unread = read.flatMap(({ list, got }) => (got === undefined ? [list] : []));
    await Promise.all(lists.map((list) => list.add(entries)));
  }

  async function look(): Promise<void> {
    if (execute !== undefined && unread.length > 0) await repeat(execute);
    await Promise.all(lists.map((list) => list.retry()));
    if (isFollowing && (isShared || !isListed)) await scan();
  }

  async function scan(): Promise<void> {
    for (let isEnd = false; !isEnd; ) {
      const { entries, ...page } = await erasuresBehind(log, cursor);
      ({ through: cursor, isEnd } = page);
      if (entries.length > 0) heard();
      if (entries.length > 0) await Promise.all(lists.map((list) => list.merge(entries)));
    }
    isListed = true;
  }

  return {
    /** The log, whose erasures are listed, and whose condition tells of the lists. */
    log: {
      ...log,
      append: async (append) => {
        const result = await log.append(append);
        const entries = isAppended(result) ? entriesOf(log.log, result.events) : [];
        if (entries.length > 0) {
          heard();
          const added = lists.map((list) => ({ list, isDone: list.add(entries) }));
          await Promise.all(added.flatMap(({ list, isDone }) => (list.isFile ? [isDone] : [])));
        }
        return result;
      },
      condition: async (nowMs) => {
        const { warnings, ...condition } = await log.condition(nowMs);
        const ofLists = lists.flatMap((list) => list.warnings());
        return { ...condition, warnings: [...warnings, ...ofLists] };
      },
    } satisfies Store,
    /** Repeats what lists have and the log has not: a backup was put back. Called once, first. */
    begin: async (repeats: Execute) => {
      execute = repeats;
      await repeat(repeats);
    },
    /** Lists what the log has and lists have not, from then on: one process of a machine does. */
    follow: () => {
      isFollowing = true;
      run(scan);
    },
    /**
     * Has the function called whenever somebody was erased: by this process after the commit, and
     * by others once `follow` finds it in the log.
     */
    listen: (hears: () => void) => {
      heard = hears;
    },
    /** Writes what waits, and no more. */
    close: async () => {
      clearInterval(timer);
      await running;
      await Promise.all(lists.map((list) => list.retry()));
    },
  };
}

/** Where the log cannot be written, the person would be there again: that is no start. */
function refuseStart(cause: unknown): never {
  if (!(cause instanceof StoreUnavailable)) throw cause;
  throw new ConfigError(
    `The log has a person who was erased before it was put back, and cannot be written: ` +
      `${cause.message}`,
    { cause },
  );
}

/** The next of who was erased behind a position, as far as one search looks. */
async function erasuresBehind(log: Store, after: bigint) {
  const query = { after, types: [erasingPeople], limit: erasureLimits.atOnce };
  const { events, through, isEnd } = await log.search(query);
  return { entries: entriesOf(log.log, events), through, isEnd };
}

function entriesOf(log: string, events: readonly RecordedEvent[]): readonly ErasureEntry[] {
  return events.flatMap(({ type, stream, position, timeMs }) =>
    type === erasingPeople ? [{ log, user: idOf(user, stream), position, timeMs }] : [],
  );
}
