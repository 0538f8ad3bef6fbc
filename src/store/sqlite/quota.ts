import { createHash } from "node:crypto";
import type Database from "better-sqlite3";
import type { Quota } from "../../event.ts";
import { claimKey } from "../claim-key.ts";
import type { NewMessage } from "../message.ts";
import { clearMs, isAhead, type Usage, type Used, usageAt, useQuota } from "../quota.ts";
import type { Append, Change } from "../store.ts";

/** What the messages of an append come to. */
export type Plan =
  | { readonly refused: { readonly quota: Quota; readonly roomMs: number } }
  | {
      /** When each message is due. */
      readonly due: ReadonlyMap<NewMessage, number>;
      readonly spent: readonly Quota[];
      /** Keeps what was used. */
      write(): void;
    };

/** The part of an append that asks for messages. */
export interface Asked extends Pick<Append, "timeMs"> {
  readonly changes: readonly Pick<Change, "messages">[];
}

/**
 * Makes the function that counts the messages of an append, inside the transaction of its batch.
 */
export function prepareQuotas(db: Database.Database): (append: Asked) => Plan {
  const usage = db.prepare<[Buffer], Usage>(
    "SELECT used AS usedMs, debt, told AS toldMs FROM quotas WHERE digest = ?",
  );
  const keep = db.prepare(
    `INSERT INTO quotas (digest, used, debt, told, clear) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (digest) DO UPDATE SET used = excluded.used, debt = excluded.debt,
       told = excluded.told, clear = excluded.clear`,
  );
  // Two for each that is kept, so that those of no use are never many.
  const sweep = db.prepare(
    `DELETE FROM quotas WHERE digest IN
       (SELECT digest FROM quotas WHERE clear <= ? ORDER BY clear LIMIT 2)`,
  );
  const write = (digest: Buffer, quota: Quota, { usedMs, debt, toldMs }: Usage) =>
    keep.run(digest, usedMs, debt, toldMs, clearMs(quota, { usedMs, debt, toldMs }));
  return ({ changes, timeMs }) => {
    const used = new Map<string, Used & { readonly quota: Quota; readonly digest: Buffer }>();
    const due = new Map<NewMessage, number>();
    for (const message of changes.flatMap(({ messages }) => messages)) {
      let dueMs = timeMs;
      for (const quota of message.quotas ?? []) {
        const key = claimKey(quota);
        const earlier = used.get(key);
        const digest = earlier?.digest ?? digestOf(key);
        const before = earlier?.usage ?? usage.get(digest);
        const one = useQuota(quota, before, dueMs);
        const { roomMs } = one;
        if (!quota.isPatient && roomMs > dueMs) {
          if (before !== undefined && isAhead(quota, before, dueMs)) {
            write(digest, quota, usageAt(quota, before, dueMs));
          }
          return { refused: { quota, roomMs } };
        }
        const isNews = one.isNews || (earlier?.isNews ?? false);
        used.set(key, { ...one, isNews, quota, digest });
        dueMs = roomMs;
      }
      due.set(message, dueMs);
    }
    const counted = [...used.values()];
    return {
      due,
      spent: counted.filter(({ isNews }) => isNews).map(({ quota }) => quota),
      write: () => {
        for (const one of counted) {
          sweep.run(timeMs);
          write(one.digest, one.quota, one.usage);
        }
      },
    };
  };
}

/** What a quota is found by: nothing in the table names a number or an address. */
function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
