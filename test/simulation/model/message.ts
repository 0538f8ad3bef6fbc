import type { RecordedEvent } from "../../../src/event.ts";
import type { PendingMessage } from "../../../src/store/kept.ts";
import type { LeasedMessage, LeaseQuery } from "../../../src/store/message.ts";
import { type Database, type KeptMessage, messageKey } from "./database.ts";

/** Hands out what is due, as `Store.leaseMessages` says. */
export function leaseFrom(db: Database, query: LeaseQuery): readonly LeasedMessage[] {
  const { types, nowMs, leaseMs, pauseMaxMs = Number.POSITIVE_INFINITY, limit } = query;
  for (const message of db.messages.values()) {
    if (message.attempts > 0 && message.dueMs > nowMs + pauseMaxMs) message.dueMs = nowMs;
  }
  const leased: LeasedMessage[] = [];
  while (leased.length < limit) {
    const next = firstLine(db, nowMs, types);
    if (next === undefined) break;
    const { line, message, event } = next;
    message.dueMs = nowMs + leaseMs;
    message.attempts += 1;
    const { field, attempts, sinceMs } = message;
    leased.push({ event, field, attempts, sinceMs });
    standBehind(db, line, nowMs);
  }
  return leased;
}

/** Whose turn it is, with what has been due there for longest; undefined where nothing is due. */
function firstLine(db: Database, nowMs: number, types: readonly string[] | undefined) {
  const lines = new Map<string, { message: KeptMessage; event: RecordedEvent }>();
  for (const message of db.messages.values()) {
    const event = db.events[Number(message.position) - 1]!;
    const line = JSON.stringify([event.type, event.owner]);
    if (!db.turns.has(line)) standBehind(db, line, 0);
    const first = lines.get(line);
    if (first === undefined || inOrder(message, first.message) < 0) {
      lines.set(line, { message, event });
    }
  }
  for (const line of db.turns.keys()) if (!lines.has(line)) db.turns.delete(line);
  return [...lines]
    .map(([line, first]) => {
      const { sinceMs = 0, number = 0 } = db.turns.get(line) ?? {};
      // A turn that was given by a clock which was ahead keeps nothing waiting that is due.
      const behindMs = Math.min(sinceMs, nowMs);
      return { line, number, ...first, turnMs: Math.max(first.message.dueMs, behindMs) };
    })
    .filter(({ turnMs, event }) => turnMs <= nowMs && (types?.includes(event.type) ?? true))
    .sort((one, other) => one.turnMs - other.turnMs || one.number - other.number)[0];
}

function standBehind(db: Database, line: string, sinceMs: number): void {
  db.turnsGiven += 1;
  db.turns.set(line, { sinceMs, number: db.turnsGiven });
}

function inOrder(one: KeptMessage, other: KeptMessage): number {
  if (one.dueMs !== other.dueMs) return one.dueMs - other.dueMs;
  if (one.position !== other.position) return one.position < other.position ? -1 : 1;
  return one.field < other.field ? -1 : 1;
}

/** What waits of a stream, as `Store.pendingMessages` says. */
export function pendingIn(db: Database, stream: string, limit: number): readonly PendingMessage[] {
  return [...db.messages.values()]
    .filter(({ position }) => db.events[Number(position) - 1]?.stream === stream)
    .sort(inOrder)
    .slice(0, limit)
    .map(({ position, field, dueMs }) => ({ position, field, dueMs }));
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
