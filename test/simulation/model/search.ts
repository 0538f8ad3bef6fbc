import type { RecordedEvent } from "../../../src/event.ts";
import { firstLink } from "../../../src/store/chain/link.ts";
import { type EventPage, type EventQuery, searchLimits } from "../../../src/store/query.ts";
import { type Database, headOf } from "./database.ts";
import { linkAt } from "./link.ts";

/** Searches the log, as `Store.search` says. */
export function searchIn(db: Database, query: EventQuery): EventPage {
  const { after, before, descending = false, limit, streams } = query;
  const { position: head } = headOf(db);
  const highest = before === undefined || before > head ? head : before - 1n;
  const most = BigInt(searchLimits.positions);
  const stop = streams && stopIn(db, { streams, lowest: after + 1n, highest, descending });
  const isAll = stop === undefined && (streams !== undefined || highest - after <= most);
  const from = descending && !isAll ? (stop ?? highest + 1n - most) : after + 1n;
  const to = !descending && !isAll ? (stop ?? after + most) : highest;
  const ends = descending ? [highest + 1n, from] : [after, to > after ? to : after];
  const [start = 0n, through = 0n] = ends;

  const looked = db.events.slice(Number(from - 1n), to < from ? Number(from - 1n) : Number(to));
  const matching = (descending ? looked.toReversed() : looked).filter(matcherOf(query));
  const bytesMax = Math.min(
    query.payloadBytes ?? searchLimits.payloadBytes,
    searchLimits.payloadBytes,
  );
  const wanted = within(matching.slice(0, limit), ({ payload }) => payload, bytesMax);
  const events = wanted.map((event) => ({
    ...event,
    link: linkAt(db, event.position) ?? firstLink,
  }));
  return events.length < matching.length
    ? { events, through: events.at(-1)?.position ?? start, isEnd: false }
    : { events, through, isEnd: isAll };
}

interface Looked {
  readonly streams: readonly string[];
  readonly lowest: bigint;
  readonly highest: bigint;
  readonly descending: boolean;
}

/** Where the search of one of the streams stops first; undefined where none stops. */
function stopIn(db: Database, { streams, lowest, highest, descending }: Looked) {
  const inSpan = [...new Set(streams)].map((stream) => {
    const all = (db.streams.get(stream) ?? []).map(({ position }) => position);
    const some = all.filter((position) => position >= lowest && position <= highest);
    return descending ? some.toReversed() : some;
  });
  let left = searchLimits.positions;
  const byLength = inSpan
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => a.length - b.length);
  const stops = byLength.flatMap((positions, i) => {
    const share = Math.max(Math.floor(left / (byLength.length - i)), 1);
    left -= Math.min(share, positions.length);
    return positions.length > share ? [positions[share - 1] ?? 0n] : [];
  });
  return stops.toSorted((a, b) => Number(descending ? b - a : a - b))[0];
}

/** The first of the rows whose texts have so many bytes together, but at least one. */
export function within<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string | undefined,
  bytesMax: number,
): readonly Row[] {
  let bytes = 0;
  const past = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(textOf(row) ?? "");
    return index > 0 && bytes > bytesMax;
  });
  return past < 0 ? rows : rows.slice(0, past);
}

function matcherOf(query: EventQuery): (event: RecordedEvent) => boolean {
  const { streams, kinds, types, owner, actor, fromMs = 0, untilMs = Infinity } = query;
  return (event) =>
    (streams?.includes(event.stream) ?? true) &&
    (kinds?.some((kind) => event.stream.split("-", 1)[0] === kind && event.stream !== kind) ??
      true) &&
    (types?.includes(event.type) ?? true) &&
    (owner === undefined || event.owner === owner) &&
    (actor === undefined || event.actor === actor) &&
    event.timeMs >= fromMs &&
    event.timeMs <= untilMs;
}
