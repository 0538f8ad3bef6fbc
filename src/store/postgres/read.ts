import { afterPrefix } from "../filter.ts";
import type { MaybeRow, ToObject } from "../object-row.ts";
import type { Store } from "../store.ts";
import { claimRow, listOf, textKey } from "../texts.ts";
import { beginningOf } from "./filter.ts";
import { linkAt, readHead } from "./head.ts";
import type { Pool } from "./pool.ts";
import { served } from "./revision.ts";
import { objectColumns, type SealedColumns, sealedColumns, type ToEvent } from "./row.ts";
import { lookingBack, type Seen } from "./seen.ts";
import { decoded, fromStored, toStored } from "./text.ts";
import { holderOf, isClaim, numberOf } from "./texts.ts";

/** The reads of `Store` that take one statement each. */
type Reads = Pick<
  Store,
  "load" | "versions" | "find" | "holders" | "readStream" | "readAll" | "head" | "linkAt"
>;

/** The end of the log at the moment of a statement; nulls where it has no event. */
interface EndColumns {
  readonly end: bigint;
  readonly link: Uint8Array | null;
}

/** Makes the reads. */
export function createReads(
  pool: Pool,
  {
    toObject,
    toEvent,
    seen,
  }: { readonly toObject: ToObject; readonly toEvent: ToEvent; readonly seen: Seen },
): Reads {
  const back = lookingBack(pool, seen);
  const events = async (where: string, values: readonly unknown[]) => {
    const text = `WITH ${served} SELECT ${sealedColumns} FROM iam.events e
      WHERE ${where} LIMIT $${values.length}`;
    return (await back.query<SealedColumns>(text, values)).map(toEvent);
  };
  return {
    async load(streams) {
      const rows = await back.query<MaybeRow & EndColumns>(
        `SELECT ${objectColumns("w.stream")},
           (SELECT max(e.position) FROM iam.events e) AS end,
           (SELECT e.link FROM iam.events e ORDER BY e.position DESC LIMIT 1) AS link
           FROM unnest($1::text[]) WITH ORDINALITY AS w(stream, place)
           LEFT JOIN derived.objects o ON o.stream = w.stream ORDER BY w.place`,
        [streams.map(toStored)],
      );
      // A decision on these continues the log that they follow from.
      const [row] = rows;
      if (row?.link) seen.note({ position: row.end, link: row.link }, row.asked);
      return rows.map((row) => toObject(decoded(row)));
    },
    async versions(streams) {
      const rows = await pool.query<{ version: bigint | null }>(
        `WITH ${served}
         SELECT (SELECT max(e.version) FROM iam.events e WHERE e.stream = w.stream) AS version
           FROM unnest($1::text[]) WITH ORDINALITY AS w(stream, place) ORDER BY w.place`,
        [streams.map(toStored)],
      );
      return rows.map(({ version }) => Number(version ?? 0));
    },
    async find(claim) {
      const [row] = await pool.query<{ stream: string | null }>(
        `SELECT ${holderOf("l")} AS stream
           FROM (VALUES ($1::text, $2::text, $3::text, $4::text)) AS l(kind, name, parent, text)`,
        textKey(claimRow(claim)).map(toStored),
      );
      return row?.stream ? fromStored(row.stream) : undefined;
    },
    async holders({ prefix, ...group }, limit) {
      const { kind, name, parent } = listOf(group);
      const [text, range] = prefix === undefined ? [holdersText, []] : startsWith(prefix);
      const [row] = await pool.query<{ total: bigint; streams: readonly string[] }>(text, [
        ...[kind, name, parent].map(toStored),
        ...[limit, ...range],
      ]);
      return { total: Number(row?.total ?? 0n), streams: (row?.streams ?? []).map(fromStored) };
    },
    readStream: (stream, after, limit) =>
      events("e.stream = $1 AND e.version > $2 ORDER BY e.version", [
        ...[toStored(stream), after, limit],
      ]),
    readAll: (after, limit) => events("e.position > $1 ORDER BY e.position", [after, limit]),
    head: () => readHead(pool),
    linkAt: (position) => linkAt(pool, position),
  };
}

/** The query for the holders of claims whose values start so, and its last values. */
function startsWith(prefix: string): readonly [text: string, range: readonly unknown[]] {
  const stored = toStored(prefix);
  const from = beginningOf(stored);
  const until = afterPrefix(from);
  const reached = "AND starts_with(t.text, $5) AND left(t.text, 200) >= $6";
  return until === undefined
    ? [holdersWith(reached), [stored, from]]
    : [holdersWith(`${reached} AND left(t.text, 200) < $7`), [stored, from, until]];
}

const holdersText = holdersWith("");

function holdersWith(condition: string): string {
  return `
  WITH held AS (
    SELECT DISTINCT t.first FROM (VALUES ($1::text, $2::text, $3::text)) AS l(kind, name, parent)
      JOIN derived.texts t ON t.list = ${numberOf("l")} AND ${isClaim("t")} ${condition}
  )
  SELECT (SELECT count(*) FROM held) AS total,
    ARRAY(SELECT e.stream FROM (SELECT first FROM held ORDER BY first LIMIT $4) AS h
      JOIN iam.events e ON e.position = h.first ORDER BY h.first) AS streams`;
}
