import type { EventQuery } from "./query.ts";
import { searchLimits } from "./query.ts";
import { type Sql, sql } from "./sql.ts";

/** The UTF-8 bytes of all payloads that one search may hold. */
export function payloadBytesOf({ payloadBytes = searchLimits.payloadBytes }: EventQuery): number {
  return Math.min(payloadBytes, searchLimits.payloadBytes);
}

/** The positions that one search looks at, both included. */
export interface Span {
  readonly lowest: bigint;
  readonly highest: bigint;
  /** What `through` says when nothing of this was looked at, and when all of it was. */
  readonly start: bigint;
  readonly through: bigint;
  /** Whether nothing that may match lies beyond it. */
  readonly isAll: boolean;
}

/** The positions that a search of a log which ends at the head looks at. */
export function spanOf({ after, before, descending, streams }: EventQuery, head: bigint): Span {
  const lowest = after + 1n;
  const end = before === undefined || before > head ? head : before - 1n;
  // A position that the log has not reached yet stays the one to go on from.
  const highest = max(end, after);
  // The events of some streams are found without a look at others: their versions are cut instead.
  const isAll = streams !== undefined || highest - after <= searchLimits.positions;
  const most = BigInt(searchLimits.positions);
  if (descending) {
    const through = isAll ? lowest : highest + 1n - most;
    return { lowest: through, highest, start: highest + 1n, through, isAll };
  }
  const through = isAll ? highest : after + most;
  return { lowest, highest: through, start: after, through, isAll };
}

/** The versions of a stream that one search looks at, both included. */
export interface Versions {
  readonly stream: string;
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * The end of a query, behind `WITH RECURSIVE`, for the versions that streams have from a position
 * on and before another one. It finds them by bisection, since positions rise with versions: no
 * index has both.
 */
export function versionsText(events: Sql, streams: Sql, lowest: Sql, beyond: Sql): Sql {
  const middle = sql`(s.low + s.high) / 2`;
  const isBefore = sql`(SELECT e.position FROM ${events} e
    WHERE e.stream = s.stream AND e.version = ${middle}) < s.bound`;
  return sql`sought (stream, bound, low, high) AS (
      SELECT s.stream, b.bound, CAST(1 AS bigint),
          1 + (SELECT max(e.version) FROM ${events} e WHERE e.stream = s.stream)
        FROM ${streams} s, (SELECT CAST(${lowest} AS bigint) AS bound
          UNION ALL SELECT CAST(${beyond} AS bigint)) b
      UNION ALL
      SELECT s.stream, s.bound, CASE WHEN ${isBefore} THEN ${middle} + 1 ELSE s.low END,
          CASE WHEN ${isBefore} THEN s.high ELSE ${middle} END
        FROM sought s WHERE s.low < s.high)
    SELECT stream, min(low) AS first, max(low) - 1 AS last FROM sought
      WHERE low = high GROUP BY stream HAVING min(low) < max(low)`;
}

/** What a search looks at of streams, and where it stops in those that it does not look through. */
export interface Shares {
  readonly looked: readonly Versions[];
  /** The last version that is looked at in each stream that has more. */
  readonly edges: readonly Pick<Versions, "stream" | "last">[];
}

/** Shares out the positions of one search: what short streams leave, longer ones take. */
export function shareOut(found: readonly Versions[], descending: boolean): Shares {
  const lengthOf = ({ first, last }: Versions) => last - first + 1n;
  const byLength = found.toSorted((a, b) => Number(lengthOf(a) - lengthOf(b)));
  let left = BigInt(searchLimits.positions);
  const looked: Versions[] = [];
  const edges: Shares["edges"][number][] = [];
  for (const [i, versions] of byLength.entries()) {
    const share = max(left / BigInt(byLength.length - i), 1n);
    left -= min(share, lengthOf(versions));
    const { stream } = versions;
    const first = descending ? max(versions.first, versions.last + 1n - share) : versions.first;
    const last = descending ? versions.last : min(versions.last, versions.first + share - 1n);
    looked.push({ stream, first, last });
    if (lengthOf(versions) > share) edges.push({ stream, last: descending ? first : last });
  }
  return { looked, edges };
}

/** The span up to where the first of the streams is no longer looked at, at these positions. */
export function spanUpTo(span: Span, edges: readonly bigint[], descending: boolean): Span {
  if (edges.length === 0) return span;
  const through = edges.reduce(descending ? max : min);
  const cut = descending ? { lowest: through } : { highest: through };
  return { ...span, ...cut, through, isAll: false };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
