import type { Append, AppendResult, Store } from "./store.ts";

/** What became of an append that was written. */
export type Appended = Extract<AppendResult, { readonly kind: "appended" }>;

/** Whether an append was written, rather than refused. */
export function isAppended(result: AppendResult): result is Appended {
  return result.kind === "appended";
}

/** The store as it is; tells of each append of this process that was written. */
export function afterAppend(
  store: Store,
  heard: (append: Append, result: Appended) => void,
): Store {
  return {
    ...store,
    append: async (append) => {
      const result = await store.append(append);
      if (isAppended(result)) heard(append, result);
      return result;
    },
  };
}
