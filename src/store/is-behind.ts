import type { Append } from "./store.ts";

/** Whether an event at a time is later than an append that is to come behind it may bear. */
export function isBehind({ timeMs, behindMs }: Append, lastMs: number): boolean {
  return behindMs !== undefined && timeMs + behindMs < lastMs;
}
