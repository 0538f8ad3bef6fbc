import { bringsAttachments } from "./attachment.ts";
import { isErasing } from "./erasure.ts";
import type { Append, Change } from "./store.ts";
import { appendLimits } from "./store.ts";

/**
 * Throws a `RangeError` when the append is past a limit of `appendLimits`, and an `Error` when it
 * is none that a correct caller would make.
 */
export function checkAppend({ changes, attachments = [] }: Append): void {
  if (changes.length === 0) throw new Error("An append must change a stream.");
  if (new Set(changes.map(({ stream }) => stream)).size < changes.length) {
    throw new Error("An append must not change a stream twice.");
  }
  const events = changes.reduce((sum, change) => sum + change.events.length, 0);
  if (events > appendLimits.events) {
    throw new RangeError(`An append holds at most ${appendLimits.events} events, not ${events}.`);
  }
  changes.forEach(checkChange);
  if (!bringsAttachments({ changes, attachments })) {
    throw new Error("An append must bring the attachments that its events name, and no others.");
  }
  for (const { byteLength } of attachments) {
    if (byteLength <= appendLimits.textBytes) continue;
    throw new RangeError(
      `An attachment has ${byteLength} bytes; ${appendLimits.textBytes} are allowed.`,
    );
  }
}

/** Whether an event at a time is later than an append that is to come behind it may bear. */
export function isBehind({ timeMs, behindMs }: Append, lastMs: number): boolean {
  return behindMs !== undefined && timeMs + behindMs < lastMs;
}

function checkChange({ stream, events, state, row, messages }: Change): void {
  if (events.length === 0) throw new Error(`The change of ${stream} has no event.`);
  if ((state === undefined) !== (row === undefined)) {
    throw new Error(`The change of ${stream} has a state without a row, or a row without a state.`);
  }
  if (events.slice(0, -1).some(({ type }) => isErasing(type))) {
    throw new Error(`The change of ${stream} has an event behind one that erases.`);
  }
  for (const { event } of messages) {
    if (events[event] === undefined) throw new Error(`${stream} has no event ${event} to send.`);
  }
  const texts = events.map(({ payload }) => payload);
  for (const text of state === undefined ? texts : [...texts, state]) {
    const bytes = Buffer.byteLength(text);
    if (bytes > appendLimits.textBytes) {
      throw new RangeError(
        `A payload or state of ${stream} has ${bytes} bytes; ${appendLimits.textBytes} are allowed.`,
      );
    }
  }
}
