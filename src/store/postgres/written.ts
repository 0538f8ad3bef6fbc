import { isSame } from "../chain/chain.ts";
import { linkOf } from "../chain/link.ts";
import { verdict, verdicts } from "./append-parameters.ts";
import type { Batch } from "./batch.ts";
import type { Done } from "./verdict.ts";

// What the function answers of a batch is not believed as it comes: which events it has written,
// where, and with which links follows from its verdicts.

/** The position behind which a batch was written, or the end of the log where it wrote nothing. */
export function beforeOf(batch: Batch, done: Done): bigint {
  return done.head - BigInt(writtenOf(batch, done).length);
}

/**
 * Whether an answer has a verdict for each append, and the positions that follow from them, behind
 * the end that was seen before.
 */
export function isOfBatch(batch: Batch, done: Done, seen: bigint): boolean {
  const { verdicts: numbers, whiches, firsts, head, link } = done;
  if (typeof head !== "bigint" || !(link instanceof Uint8Array)) return false;
  const count = batch.planned.length;
  const lists: readonly (readonly unknown[] | null)[] = [numbers, whiches, firsts];
  if (!lists.every((list) => list?.length === count)) return false;
  if (!whiches.every(Number.isSafeInteger)) return false;
  if (!numbers.every((number) => Number.isInteger(number) && number in verdicts)) return false;
  let position = beforeOf(batch, done);
  if (position < seen) return false;
  const expected = Array.from({ length: count }, () => 0n);
  for (const { command } of writtenOf(batch, done)) {
    position += 1n;
    expected[command - 1] ||= position;
  }
  return expected.every((first, i) => firsts[i] === first);
}

/** Whether the link of an answer is that of its last event, behind the link of what was before. */
export function isLinked(batch: Batch, done: Done, before: Uint8Array): boolean {
  let position = beforeOf(batch, done);
  let link = before;
  for (const { digest, mac } of writtenOf(batch, done)) {
    position += 1n;
    link = linkOf(link, position, digest, mac);
  }
  return isSame(link, done.link);
}

/** The events of the appends that were written. */
function writtenOf({ columns: { stamps } }: Batch, { verdicts: numbers }: Done) {
  return stamps.filter(({ command }) => numbers[command - 1] === verdict("appended"));
}
