import type { Asker } from "./query.ts";
import type { Store } from "./store.ts";

/**
 * The store as it is, but that it reads one page of a list in each turn of the event loop, and
 * those of several askers in turn. A page has up to 16 MiB, and what answers hold is counted when
 * they are made: by the next turn that is done. Without it all that arrive together are read before
 * one of them is counted, and whoever asks for much lets others wait. A page that nobody waits for
 * any more is not read: then it rejects with the reason of the asker's signal.
 */
export function inTurns(store: Store): Store {
  const turn = createTurns();
  return {
    ...store,
    list: async ({ asker, ...query }) => {
      await turn(asker);
      return await store.list(query);
    },
    search: async ({ asker, ...query }) => {
      // Who says how much a page may have takes no more than that.
      if (query.payloadBytes === undefined) await turn(asker);
      return await store.search(query);
    },
  };
}

/**
 * How many of one asker wait in the order in which they came. Of more, who came last is next: most
 * of them are then of somebody who asks and does not read, and others must not wait behind all of
 * those.
 */
export const inOrderMax = 100;

/** Resolves for one who waits in each turn of the event loop; for who is alone, at once. */
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
