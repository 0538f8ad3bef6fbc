import type { Asker } from "./query.ts";
import { type Store, StoreUnavailable } from "./store.ts";

/**
 * The store as it is, but that it reads one page of a list in each turn of the event loop, and
 * those of several askers in turn. A page has up to 16 MiB, and what answers hold is counted when
 * they are made: by the next turn that is done. Without it, requests that arrive together are all
 * read before one of them is counted, and a large one delays the others. A page that nobody waits
 * for any more is not read: then it rejects with the reason of the asker's signal.
 */
export function inTurns(store: Store): Store {
  const turn = createTurns();
  return {
    ...store,
    list: async (query) => {
      await turn(query.asker);
      return await store.list(query);
    },
    search: async ({ asker, ...query }) => {
      // A caller that bounds a page takes no more than that.
      if (query.payloadBytes === undefined) await turn(asker);
      return await store.search(query);
    },
  };
}

/**
 * How many of one asker wait in the order in which they came. Of more, the newest is next: most of
 * them then belong to a caller who asks without reading, and others must not wait behind those.
 */
export const inOrderMax = 100;

/** Resolves one waiting caller in each turn of the event loop; a single one at once. */
function createTurns(): (asker: Asker | undefined) => Promise<void> {
  /** Who waits, by asker; the asker that was not served for the longest time comes first. */
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;
  const takeNext = () => {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const [name, queue] = first;
    const next = queue.length > inOrderMax ? queue.pop() : queue.shift();
    waiting.delete(name);
    if (queue.length > 0) waiting.set(name, queue);
    return next;
  };
  const pass = () => {
    const next = takeNext();
    isTaken = next !== undefined;
    if (next === undefined) return;
    setImmediate(pass);
    next();
  };
  return async (asker) => {
    if (!isTaken) {
      isTaken = true;
      setImmediate(pass);
      return;
    }
    const name = asker?.name ?? "";
    const queue = waiting.get(name) ?? [];
    waiting.set(name, queue);
    await new Promise<void>((resolve) => void queue.push(resolve));
    asker?.signal.throwIfAborted();
  };
}

/** What a list is refused with of which too many wait. */
export function listsOverloaded(): StoreUnavailable {
  return new StoreUnavailable("Too many lists are waiting.", { why: "lists-overloaded" });
}
