import type { Append, Store } from "./store.ts";

/** The store as it is; tells of each append of this process that was written. */
export function afterAppend(store: Store, heard: (append: Append) => void): Store {
  return {
    ...store,
    append: async (append) => {
      const result = await store.append(append);
      if (result.kind === "appended") heard(append);
      return result;
    },
  };
}
