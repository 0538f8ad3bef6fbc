import { createHash } from "node:crypto";
import type { Claim, Quota } from "../event.ts";
import { claimKey } from "./claim-key.ts";
import type { NewMessage } from "./message.ts";
import { isAhead, type Usage, usageAt, useQuota } from "./quota.ts";
import type { Append, Change } from "./store.ts";

/** The part of an append that asks for messages. */
export interface Asked extends Pick<Append, "timeMs"> {
  readonly changes: readonly Pick<Change, "messages">[];
}

/** What the messages of an append come to. */
export interface QuotaPlan {
  /** What has no room for one of them, and when it will. */
  readonly refused?: { readonly quota: Quota; readonly roomMs: number };
  /** When each message is due. */
  readonly due: ReadonlyMap<NewMessage, number>;
  readonly spent: readonly Quota[];
  /** What is to be kept, even of a refusal. */
  readonly kept: readonly KeptUsage[];
}

/** What is kept of a quota. */
export interface KeptUsage {
  readonly quota: Quota;
  /** What it is found by. */
  readonly digest: Buffer;
  readonly usage: Usage;
}

/** Counts the messages of an append against their quotas, one after the other. */
export function planQuotas(
  { changes, timeMs }: Asked,
  usageOf: (digest: Buffer) => Usage | undefined,
): QuotaPlan {
  const used = new Map<string, KeptUsage & { readonly isNews: boolean }>();
  const due = new Map<NewMessage, number>();
  for (const message of changes.flatMap(({ messages }) => messages)) {
    let dueMs = timeMs;
    for (const quota of message.quotas ?? []) {
      const key = claimKey(quota);
      const earlier = used.get(key);
      const digest = earlier?.digest ?? digestOfKey(quota);
      const before = earlier?.usage ?? usageOf(digest);
      const { usage, roomMs, isNews } = useQuota(quota, before, dueMs);
      if (!quota.isPatient && roomMs > dueMs) {
        const hasToKeep = before !== undefined && isAhead(quota, before, dueMs);
        const kept = hasToKeep ? [{ quota, digest, usage: usageAt(quota, before, dueMs) }] : [];
        return { refused: { quota, roomMs }, due, spent: [], kept };
      }
      used.set(key, { quota, digest, usage, isNews: isNews || (earlier?.isNews ?? false) });
      dueMs = roomMs;
    }
    due.set(message, dueMs);
  }
  const kept = [...used.values()];
  return { due, spent: kept.filter(({ isNews }) => isNews).map(({ quota }) => quota), kept };
}

/** What a quota is found by: its texts must not be seen. */
export function digestOfKey(claim: Claim): Buffer {
  return createHash("sha256").update(claimKey(claim)).digest();
}
