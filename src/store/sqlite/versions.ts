import type Database from "better-sqlite3";
import { createKnown, type Transactions } from "./known.ts";
import { bound, prepareValues } from "./sql.ts";

/**
 * Makes what reads the versions of streams' last events, as one connection knows them, and
 * remembers those of streams whose names have so many characters together: see `Known`.
 */
export function prepareVersions(
  db: Database.Database,
  transactions: Transactions,
  charactersMax: number,
) {
  const read = prepareValues<number>(
    db,
    `coalesce((SELECT max(version) FROM events WHERE stream = ${bound}), 0)`,
  );
  const known = createKnown<number>(transactions, charactersMax);

  const keep = (stream: string, version: number) => known.keep(stream, version, stream.length);
  return {
    /** In the order of the streams; 0 for a stream without an event. */
    of(streams: readonly string[]): readonly number[] {
      known.look();
      const found = streams.map(known.get);
      const missing = streams.filter((_stream, i) => found[i] === undefined);
      if (missing.length === 0) return found.map(Number);
      const versions = read(missing.map((stream) => [stream])).values();
      return streams.map((stream, i) => {
        const version = found[i] ?? versions.next().value ?? 0;
        if (found[i] === undefined) keep(stream, version);
        return version;
      });
    },
    /** Says which version a stream has with what this connection writes. */
    wrote: keep,
  };
}
