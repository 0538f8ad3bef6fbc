import type Database from "better-sqlite3";
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
 * Makes what reads versions and remembers `most` of them. Until another connection writes, which
 * `writes` tells by another number, they are not read again. What a transaction has written may be
 * undone, so it is not remembered before the end of that.
 */
export function prepareVersions(
  db: Database.Database,
  writes: () => number | undefined,
  most: number,
): Versions {
  const read = prepareValues<number>(
    db,
    `coalesce((SELECT max(version) FROM events WHERE stream = ${bound}), 0)`,
  );
  const known = new Map<string, number>();
  let knownAt: number | undefined;
  const written = new Set<string>();

  function keep(stream: string, version: number): void {
    if (known.size >= most) known.clear();
    known.set(stream, version);
  }

  return {
    of(streams) {
      const now = writes();
      if (now !== knownAt) known.clear();
      knownAt = now;
      const found = streams.map((stream) => known.get(stream));
      const missing = streams.filter((_stream, i) => found[i] === undefined);
      if (missing.length === 0) return found.map(Number);
      const versions = read(missing.map((stream) => [stream])).values();
      return streams.map((stream, i) => {
        const version = found[i] ?? versions.next().value ?? 0;
        const isUndoable = db.inTransaction && written.has(stream);
        if (found[i] === undefined && !isUndoable) keep(stream, version);
        return version;
      });
    },
    begin: () => written.clear(),
    wrote(stream) {
      written.add(stream);
      known.delete(stream);
    },
  };
}
