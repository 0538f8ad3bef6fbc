import type Database from "better-sqlite3";
import { claimKey } from "../../claim-key.ts";
import type { LogReader, Moment } from "../../verify/reader.ts";
import { fieldPlace, messageKey } from "../../verify/rows.ts";
import { toEvent } from "../row.ts";
import { linkAt, toPassed } from "./chain.ts";
import type { MayGoOn, Pieces } from "./pieces.ts";
import { type Paged, preparePages, prepareSingle } from "./queries.ts";

/** Makes what reads a file whose tables are as expected. */
export function createReader(db: Database.Database, pieces: Pieces): LogReader {
  let queries: Queries | undefined;
  return {
    at: (piece) =>
      pieces((mayGoOn) => {
        queries ??= { single: prepareSingle(db), pages: preparePages(db) };
        return piece(momentOf(db, queries, mayGoOn));
      }),
  };
}

interface Queries {
  readonly single: ReturnType<typeof prepareSingle>;
  readonly pages: ReturnType<typeof preparePages>;
}

function momentOf(db: Database.Database, { single, pages }: Queries, mayGoOn: MayGoOn): Moment {
  /** Rows until the piece is to end. */
  function take<Columns, Row>(rows: Iterable<Columns>, toRow: (columns: Columns) => Row): Row[] {
    const taken: Row[] = [];
    for (const columns of rows) {
      taken.push(toRow(columns));
      if (!mayGoOn()) break;
    }
    return taken;
  }
  const page =
    <Key extends unknown[], Columns, Row extends object>(
      { first, next, keyOf }: Paged<Key, Columns, Row>,
      toRow: (columns: Columns) => Row,
    ) =>
    async (after: Row | undefined): Promise<readonly Row[]> =>
      take(after === undefined ? first.iterate() : next.iterate(...keyOf(after)), toRow);

  return {
    size: async () => {
      const { events = 0n, end = null } = single.size.get() ?? {};
      return { events: Number(events), end: end ?? 0n };
    },
    linkAt: async (position) => linkAt(db, position),
    events: async (after, through) => take(single.events.iterate(after, through), toPassed),
    inStreams: async (after) =>
      take(
        after === undefined ? single.allStreams.iterate() : single.inStreams.iterate(after),
        toEvent,
      ),
    ofStream: async (stream, after) => take(single.ofStream.iterate(stream, after), toEvent),
    objects: page(pages.objects, asItIs),
    claims: page(pages.claims, asItIs),
    fields: page(pages.fields, asItIs),
    messages: page(pages.messages, asItIs),
    groups: page(pages.groups, asItIs),
    counts: page(pages.counts, asItIs),
    linesWithoutTurn: async () => single.lines.all(),
    objectsOf: async (streams) => found(streams, (stream) => [stream, single.object.get(stream)]),
    holdersOf: async (claims) =>
      found(claims, (claim) => {
        const { kind, scope, value } = claim;
        return [claimKey(claim), single.holder.get(kind, scope, value)];
      }),
    exactsOf: async (fields) =>
      found(fields, (field) => {
        const { kind, parent, name, folded, first } = field;
        return [fieldPlace(field), single.exact.get(kind, parent, name, folded, first)];
      }),
    pendingOf: async (keys) =>
      new Set(
        keys
          .filter(({ position, field }) => single.message.get(position, field) !== undefined)
          .map(messageKey),
      ),
    rowCounts: async () => {
      const { claims = 0n, fields = 0n, messages = 0n } = single.rowCounts.get() ?? {};
      return { claims: Number(claims), fields: Number(fields), messages: Number(messages) };
    },
  };
}

const asItIs = <Row>(row: Row) => row;

/** Those of the things for which there is something. */
function found<Thing, Key, Value>(
  things: readonly Thing[],
  lookUp: (thing: Thing) => readonly [Key, Value | undefined],
): ReadonlyMap<Key, Value> {
  const all = new Map<Key, Value>();
  for (const thing of things) {
    const [key, value] = lookUp(thing);
    if (value !== undefined) all.set(key, value);
  }
  return all;
}
