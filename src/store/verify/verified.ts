import type { LogKeys } from "../chain/keys.ts";
import type { LogCounts } from "../log-counts.ts";
import type { Progress } from "../progress.ts";
import type { Projector } from "../projector.ts";
import type { NamedHead } from "./chain.ts";
import type { ErasureProofs } from "./erasures.ts";
import type { Report } from "./text.ts";

/** By what a log is proved. */
export interface Proofs {
  /** Without them, only who changes rows and cannot compute hashes is noticed. */
  readonly keys: Pick<LogKeys, "open"> | undefined;
  /** Where the log once ended, as others have kept it. */
  readonly heads: readonly NamedHead[];
  /** By what erasures are proved besides; left out, by nothing. */
  readonly erasures?: ErasureProofs | undefined;
  readonly progress?: Progress | undefined;
}

/** What a store verifies a log by. */
export interface VerifyOptions<Limits> extends Partial<Proofs> {
  readonly projector: Projector;
  readonly limits?: Partial<Limits>;
}

/** What was looked at. */
export interface Verified extends LogCounts {
  /** What was not checked, as a sentence that says why; undefined when everything was. */
  readonly unchecked: string | undefined;
}

/** That nothing was looked at, and why, as a sentence. */
export function nothingVerified(unchecked: string): Verified {
  return { ...nothing, unchecked };
}

const nothing = { events: 0, streams: 0, objects: 0, claims: 0, fields: 0, messages: 0 };

/** What was looked at where revision and key were known, or not. */
export function verifiedWith(
  counts: LogCounts,
  { isCurrent, hasKey }: { readonly isCurrent: boolean; readonly hasKey: boolean },
): Verified {
  const unchecked = [...(isCurrent ? [] : [uncompared]), ...(hasKey ? [] : [withoutKey])];
  return { ...counts, unchecked: unchecked.join("\n") || undefined };
}

const uncompared = "Derived rows were not compared: another revision made them.";
const withoutKey =
  "No master key: MACs were not checked, so a forger could have rebuilt the links.";

/** What is wrong with a log that does not say which one it is. */
export const lostHead = "log: its head, which names it, is missing: restore the backup";

/** Why nothing is looked at then. */
export const withoutId = "Nothing else was checked: the check needs the id of the log.";

/**
 * Checks that objects, claims, fields and messages were made with the projector's revision, by all
 * rows that say with which. Answers whether they were.
 */
export function checkRevision(
  stored: readonly number[],
  { revision }: Projector,
  report: Report,
): boolean {
  if (stored.length === 1 && stored[0] === revision) return true;
  const todo =
    Math.max(...stored) > revision
      ? "use the newer version of the program"
      : "rebuild, then verify again";
  const found = stored.join(" and ") || "none";
  report(`projection: its rows are of revision ${found}, this program makes ${revision}: ${todo}`);
  return false;
}
