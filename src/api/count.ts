import { hash } from "node:crypto";
import type { Reason } from "../reason.ts";
import { Refused } from "./call.ts";
import type { Service } from "./service.ts";

const dayMs = 24 * 60 * 60_000;

/** What is counted in a day. */
export interface Counted {
  readonly name: string;
  readonly usesMax: number;
}

/**
 * Counts one use of each by somebody, in all processes together. Throws `Refused` with the time to
 * wait where there were enough in a day: the sentence is behind what was done too often.
 */
export async function countInDay(
  { store, now }: Pick<Service, "store" | "now">,
  who: string,
  counted: readonly Counted[],
  { reason, done }: { readonly reason: Reason; readonly done: string },
): Promise<void> {
  const nowMs = now();
  const whose = hash("sha256", who, "base64url");
  const counts = counted.map(({ name, usesMax }) => {
    return { kind: "count", key: `${name}:${whose}`, expiresMs: nowMs + dayMs, usesMax } as const;
  });
  const uses = await store.artifacts.write(counts, nowMs);
  const past = counts.find(({ usesMax }, i) => (uses[i] ?? 0) > usesMax);
  if (past === undefined) return;
  const { expiresMs = nowMs + dayMs } = (await store.artifacts.find(past.key, nowMs)) ?? {};
  const retryMs = expiresMs - nowMs;
  const minutes = Math.ceil(retryMs / 60_000);
  const message = `${done} too often in a day: ask again in ${minutes} minutes.`;
  throw new Refused({ reason, message, retryMs });
}
