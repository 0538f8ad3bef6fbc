import type { ClaimGroup } from "../../event.ts";
import { isBehind } from "../check-append.ts";
import { claimKey } from "../claim-key.ts";
import type { Append } from "../store.ts";
import type { PostgresLimits } from "./limits.ts";

/**
 * Begins a batch, into which the first append always fits: none in it looks at what one before it
 * writes. Makes the function that adds an append, or answers false where it has to come later.
 */
export function gather(limits: PostgresLimits): (append: Append) => boolean {
  const written = new Set<string>();
  const joined = new Set<string>();
  let [appends, events, bytes, latestMs] = [0, 0, 0, 0];

  /** What an earlier one only relied on may be written: all are checked before any is. */
  function isFree({ changes, unchanged, tallies, remember }: Append): boolean {
    return (
      changes.every(
        ({ stream, take, release }) =>
          !written.has(streamKey(stream)) &&
          [...take, ...release].every((claim) => !written.has(claimKey(claim))),
      ) &&
      unchanged.every(({ stream }) => !written.has(streamKey(stream))) &&
      tallies.every((group) => !joined.has(groupKey(group))) &&
      (remember === undefined || !written.has(answerKey(remember.key)))
    );
  }

  function touch({ changes, remember }: Append): void {
    for (const { stream, take, release } of changes) {
      written.add(streamKey(stream));
      for (const claim of [...take, ...release]) {
        written.add(claimKey(claim));
        joined.add(groupKey(claim));
      }
    }
    if (remember !== undefined) written.add(answerKey(remember.key));
  }

  return (append) => {
    const size = sizeOf(append);
    const fits =
      appends === 0 ||
      (appends < limits.batchAppends &&
        events + size.events <= limits.batchEvents &&
        bytes + size.bytes <= limits.batchBytes &&
        !isBehind(append, latestMs) &&
        isFree(append));
    if (!fits) return false;
    appends += 1;
    events += size.events;
    bytes += size.bytes;
    latestMs = Math.max(latestMs, append.timeMs);
    touch(append);
    return true;
  };
}

// A claim is a list of three texts as JSON, so none of these is one.
const streamKey = (stream: string) => `stream ${stream}`;
const groupKey = ({ kind, scope }: ClaimGroup) => `group ${JSON.stringify([kind, scope])}`;
const answerKey = (key: string) => `answer ${key}`;

/** About: UTF-8 has at most three bytes for what is one character here. */
function sizeOf({ changes, attachments = [], remember }: Append): {
  readonly events: number;
  readonly bytes: number;
} {
  let [events, bytes] = [0, 0];
  if (remember) bytes += remember.answer.byteLength + (remember.secret?.byteLength ?? 0);
  for (const { byteLength } of attachments) bytes += byteLength;
  for (const change of changes) {
    events += change.events.length;
    bytes += 3 * (change.state?.length ?? 0);
    for (const { payload } of change.events) bytes += 3 * payload.length;
  }
  return { events, bytes };
}
