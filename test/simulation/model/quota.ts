import type { Quota } from "../../../src/event.ts";
import { claimKey } from "../../../src/store/claim-key.ts";
import type { NewMessage } from "../../../src/store/message.ts";
import { isAhead, type Usage, usageAt, useQuota } from "../../../src/store/quota.ts";
import type { Append } from "../../../src/store/store.ts";
import type { Database } from "./database.ts";

/** What the messages of an append come to. */
export type Plan =
  | { readonly refused: { readonly quota: Quota; readonly roomMs: number } }
  | {
      readonly due: ReadonlyMap<NewMessage, number>;
      readonly spent: readonly Quota[];
      write(): void;
    };

/** Counts the messages of an append, one after the other, and keeps nothing of that yet. */
export function planQuotas({ quotas }: Database, { changes, timeMs }: Append): Plan {
  const used = new Map<string, Usage>();
  const spent = new Map<string, Quota>();
  const due = new Map<NewMessage, number>();
  for (const message of changes.flatMap(({ messages }) => messages)) {
    let dueMs = timeMs;
    for (const quota of message.quotas ?? []) {
      const key = claimKey(quota);
      const before = used.get(key) ?? quotas.get(key);
      const { usage, roomMs, isNews } = useQuota(quota, before, dueMs);
      if (!quota.isPatient && roomMs > dueMs) {
        // That a clock was set back has to be kept, or all of it would be there again.
        if (before !== undefined && isAhead(quota, before, dueMs)) {
          quotas.set(key, usageAt(quota, before, dueMs));
        }
        return { refused: { quota, roomMs } };
      }
      used.set(key, usage);
      if (isNews) spent.set(key, quota);
      dueMs = roomMs;
    }
    due.set(message, dueMs);
  }
  return {
    due,
    spent: [...spent.values()],
    write: () => {
      for (const [key, usage] of used) quotas.set(key, usage);
    },
  };
}
