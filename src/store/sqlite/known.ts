import { nextTick } from "node:process";
import type Database from "better-sqlite3";

/** The transactions in which one connection writes, and those of others. */
export interface Transactions {
  /** Tells by another number that another connection has written since. */
  others(): number | undefined;
  /** Whether this connection is in one that was begun here. */
  readonly isOpen: boolean;
  begin(): void;
  end(isCommitted: boolean): void;
  /** Has something hear of each end. */
  onEnd(hear: (isCommitted: boolean) => void): void;
}

/**
 * Makes what tells them of a connection. In one turn of the event loop it tells the same number of
 * others: a request that is served in that turn arrived before it was asked, so none misses what
 * its sender may know of. A transaction is told what it sees.
 */
export function createTransactions(db: Database.Database): Transactions {
  const read = db.prepare<[], number>("PRAGMA data_version").pluck();
  const hearers: ((isCommitted: boolean) => void)[] = [];
  let isOpen = false;
  /** What the open transaction was told, and this turn. */
  let [inside, told]: (number | undefined)[] = [];
  const endTurn = () => {
    told = undefined;
  };
  return {
    others() {
      if (isOpen) {
        inside ??= read.get();
        return inside;
      }
      if (db.inTransaction) return read.get();
      // What waits for the next tick runs once no promise of this turn has anything left to do.
      if (told === undefined) nextTick(endTurn);
      told ??= read.get();
      return told;
    },
    get isOpen() {
      return isOpen;
    },
    begin() {
      isOpen = true;
    },
    end(isCommitted) {
      isOpen = false;
      inside = undefined;
      for (const hear of hearers) hear(isCommitted);
    },
    onEnd: (hear) => void hearers.push(hear),
  };
}

/**
 * Values of a file that one connection has read or written, for as long as no other connection
 * writes. What a transaction keeps is known in it, and outside of it once that is committed.
 */
export interface Known<Value> {
  /** Forgets all of them where another connection has written since the last look. */
  look(): void;
  get(name: string): Value | undefined;
  /** Remembers a value. One that weighs more than all of them may is not remembered. */
  keep(name: string, value: Value, weight?: number): void;
  forget(name: string): void;
  forgetAll(): void;
}

/** Makes what remembers values that weigh so much together; with more, it begins anew. */
export function createKnown<Value>(transactions: Transactions, weightMax: number): Known<Value> {
  const values = new Map<string, Value>();
  /** What the open transaction has kept, with its weight. */
  const held = new Map<string, readonly [value: Value, weight: number]>();
  let knownAt: number | undefined;
  let all = 0;

  function remember(name: string, value: Value, weight: number): void {
    if (values.get(name) === value) return;
    values.delete(name);
    if (weight > weightMax) return;
    if (all + weight > weightMax) forgetRemembered();
    values.set(name, value);
    all += weight;
  }

  function forgetRemembered(): void {
    values.clear();
    all = 0;
  }

  function forgetAll(): void {
    held.clear();
    forgetRemembered();
  }

  transactions.onEnd((isCommitted) => {
    if (isCommitted) for (const [name, [value, weight]] of held) remember(name, value, weight);
    held.clear();
  });

  return {
    look() {
      const now = transactions.others();
      if (now !== knownAt) forgetRemembered();
      knownAt = now;
    },
    get: (name) => held.get(name)?.[0] ?? values.get(name),
    keep(name, value, weight = 1) {
      if (transactions.isOpen) held.set(name, [value, weight]);
      else remember(name, value, weight);
    },
    // What it weighed counts until all begins anew: so much less is remembered, and never more.
    forget(name) {
      held.delete(name);
      values.delete(name);
    },
    forgetAll,
  };
}
