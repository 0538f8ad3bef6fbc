import { setImmediate as turn } from "node:timers/promises";
import { type EntrySeal, type ErasureEntry, parseEntry } from "../store/chain/erasure-entry.ts";
import { createSteps, type Progress } from "../store/progress.ts";

/** How long lists are read, which may have any number of lines. */
export const readEntriesLimits = {
  /** Lines that are read in one turn of the event loop. */
  atOnce: 1_000,
  /** Lines after which it is told how far reading has come. */
  toldEvery: 100_000,
} as const;

/** Whose entries are read; without a log, those of any, and without a seal, none is proved. */
interface EntryFilter {
  readonly log: string | undefined;
  readonly seal: EntrySeal | undefined;
  readonly progress?: Progress;
}

/**
 * Reads the entries of a log in the text of a list, in pieces: others have their turn in between.
 * Answers as `forged` how many lines nobody sealed who has the key; equal lines count once.
 */
export async function readEntries(text: string, { log, seal, progress }: EntryFilter) {
  const steps = createSteps(readEntriesLimits.toldEvery, progress);
  const seen = new Set<string>();
  const entries: ErasureEntry[] = [];
  let [forged, read] = [0, 0];
  steps.begin("reading", linesIn(text), "lines of the list of erasures");
  for (const line of linesOf(text)) {
    read += 1;
    if (read % readEntriesLimits.atOnce === 0) await turn();
    steps.done();
    if (seen.has(line)) continue;
    seen.add(line);
    const entry = parseEntry(line);
    if (entry === undefined || entry.log !== (log ?? entry.log)) continue;
    if (seal?.isSealed(entry) ?? true) entries.push(entry);
    else forged += 1;
  }
  return { entries, forged };
}

function* linesOf(text: string): Generator<string> {
  for (let begin = 0; begin < text.length; ) {
    const found = text.indexOf("\n", begin);
    const end = found < 0 ? text.length : found;
    yield text.slice(begin, end);
    begin = end + 1;
  }
}

/** How many lines there are, of which the last may lack its end. */
function linesIn(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
