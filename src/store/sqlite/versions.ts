import type Database from "better-sqlite3";
import { createKnown, type Writes } from "./known.ts";
import { bound, prepareValues } from "./sql.ts";

/** The versions of streams' last events, as one connection knows them. */
export interface Versions {
  /** In the order of the streams; 0 for a stream without an event. */
  of(streams: readonly string[]): readonly number[];
  /** Says that this connection begins a transaction that may write. */
  begin(): void;
  /** Says that the transaction has written events of a stream. */
  wrote(stream: string): void;
}

/**
 * Makes what reads versions and remembers `most` of them: see `Known`. What a transaction has
 * written may be undone, so it is not remembered before the end of that.
 */
export function prepareVersions(db: Database.Database, writes: Writes, most: number): Versions {
  const read = prepareValues<number>(
    db,
    `coalesce((SELECT max(version) FROM events WHERE stream = ${bound}), 0)`,
  );
  const known = createKnown<number>(writes, most);
  const written = new Set<string>();

  return {
    of(streams) {
      known.look();
      const found = streams.map(known.get);
      const missing = streams.filter((_stream, i) => found[i] === undefined);
      if (missing.length === 0) return found.map(Number);
      const versions = read(missing.map((stream) => [stream])).values();
      return streams.map((stream, i) => {
        const version = found[i] ?? versions.next().value ?? 0;
        const isUndoable = db.inTransaction && written.has(stream);
        if (found[i] === undefined && !isUndoable) known.keep(stream, version);
        return version;
      });
    },
    begin: () => written.clear(),
    wrote(stream) {
      written.add(stream);
      known.forget(stream);
    },
  };
}
