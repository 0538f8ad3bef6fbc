import { nextTick } from "node:process";
import type Database from "better-sqlite3";

/** Values that one connection has read of a file, for as long as no other connection writes. */
export interface Known<Value> {
  /** Forgets all of them where another connection has written since the last look. */
  look(): void;
  get(name: string): Value | undefined;
  /** Remembers a value. One that weighs more than all of them may is not remembered. */
  keep(name: string, value: Value, weight?: number): void;
  forget(name: string): void;
  forgetAll(): void;
}

/** Tells by another number that another connection has written since. */
export type Writes = () => number | undefined;

/**
 * Makes what tells that of a connection. In one turn of the event loop it tells the same number: a
 * request that is served in that turn arrived before it was asked, so none misses what its sender
 * may know of. A transaction is told what it sees.
 */
export function prepareWrites(db: Database.Database): Writes {
  const read = db.prepare<[], number>("PRAGMA data_version").pluck();
  let told: number | undefined;
  const endTurn = () => {
    told = undefined;
  };
  return () => {
    if (db.inTransaction) return read.get();
    // What waits for the next tick runs once no promise of this turn has anything left to do.
    if (told === undefined) nextTick(endTurn);
    told ??= read.get();
    return told;
  };
}

/** Makes what remembers values that weigh so much together; with more, it begins anew. */
export function createKnown<Value>(writes: Writes, weightMax: number): Known<Value> {
  const values = new Map<string, Value>();
  let knownAt: number | undefined;
  let all = 0;

  function forgetAll(): void {
    values.clear();
    all = 0;
  }

  return {
    look() {
      const now = writes();
      if (now !== knownAt) forgetAll();
      knownAt = now;
    },
    get: (name) => values.get(name),
    keep(name, value, weight = 1) {
      if (weight > weightMax || values.get(name) === value) return;
      if (all + weight > weightMax) forgetAll();
      values.set(name, value);
      all += weight;
    },
    // What it weighed counts until all begins anew: so much less is remembered, and never more.
    forget: (name) => void values.delete(name),
    forgetAll,
  };
}
