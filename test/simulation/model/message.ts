import type { LeasedMessage, LeaseQuery } from "../../../src/store/message.ts";
import { type Database, type KeptMessage, messageKey } from "./database.ts";

/** Hands out what is due, as `Store.leaseMessages` says. */
export function leaseFrom(db: Database, query: LeaseQuery): readonly LeasedMessage[] {
  const { types, nowMs, leaseMs, pauseMaxMs = Number.POSITIVE_INFINITY, limit } = query;
  for (const message of db.messages.values()) {
    if (message.attempts > 0 && message.dueMs > nowMs + pauseMaxMs) message.dueMs = nowMs;
  }
  const due = [...db.messages.values()]
    .filter(({ dueMs }) => dueMs <= nowMs)
    .map((message) => ({ message, event: db.events[Number(message.position) - 1]! }))
    .filter(({ event }) => types?.includes(event.type) ?? true)
    .sort((one, other) => inOrder(one.message, other.message))
    .slice(0, limit);
  return due.map(({ message, event }) => {
    message.dueMs = nowMs + leaseMs;
    message.attempts += 1;
    const { field, attempts, sinceMs } = message;
    return { event, field, attempts, sinceMs };
  });
}

function inOrder(one: KeptMessage, other: KeptMessage): number {
  if (one.dueMs !== other.dueMs) return one.dueMs - other.dueMs;
  if (one.position !== other.position) return one.position < other.position ? -1 : 1;
  return one.field < other.field ? -1 : 1;
}

/** Makes a message due at another time, unless it was settled or leased anew. */
export function postponeIn(
  { messages }: Database,
  { event, field, attempts }: LeasedMessage,
  dueMs: number,
): void {
  const kept = messages.get(messageKey({ position: event.position, field }));
  if (kept?.attempts === attempts) kept.dueMs = dueMs;
}
