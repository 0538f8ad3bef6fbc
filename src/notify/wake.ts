import type { Store } from "../store/store.ts";

/** The store as it is; calls back after each append that left messages to deliver. */
export function afterMessages(store: Store, wake: () => void): Store {
  return {
    ...store,
    append: async (append) => {
      const result = await store.append(append);
      const asked = append.changes.some(({ messages }) => messages.length > 0);
      if (asked && result.kind === "appended") wake();
      return result;
    },
  };
}
