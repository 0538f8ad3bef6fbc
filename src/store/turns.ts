import type { Store } from "./store.ts";

/**
 * The store as it is, but that it reads one page of a list in each turn of the event loop. A page
 * has up to 16 MiB, and what answers hold is counted when they are made: by the next turn that is
 * done. Without it all that arrive together are read before one of them is counted.
 */
export function inTurns(store: Store): Store {
  const turn = createTurns();
  return {
    ...store,
    list: async (query) => {
      await turn();
      return await store.list(query);
    },
    search: async (query) => {
      // Who says how much a page may have takes no more than that.
      if (query.payloadBytes === undefined) await turn();
      return await store.search(query);
    },
  };
}

/**
 * How many wait in the order in which they came. Of more, who came last is next: most of them are
 * then of somebody who asks and does not read, and others must not wait behind all of those.
 */
export const inOrderMax = 100;

/** Resolves for one who waits in each turn of the event loop; for who is alone, at once. */
function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const pass = () => {
    const next = waiting.length > inOrderMax ? waiting.pop() : waiting.shift();
    isTaken = next !== undefined;
    if (next === undefined) return;
    setImmediate(pass);
    next();
  };
  return async () => {
    if (isTaken) return await new Promise<void>((resolve) => void waiting.push(resolve));
    isTaken = true;
    setImmediate(pass);
  };
}
