import { AsyncLocalStorage } from "node:async_hooks";
import {
  type ArtifactRows,
  type Artifacts,
  type ArtifactWrite,
  isStopped,
  isThere,
  type KeptArtifact,
  keptWith,
  writeTo,
} from "../../store/artifact.ts";
import type { Store } from "../../store/store.ts";

/** Artifacts as one request sees them: with all that it has written, be it on the disk or held. */
export interface RequestArtifacts {
  find(key: string): Promise<KeptArtifact | undefined>;
  findAlias(alias: string): Promise<KeptArtifact | undefined>;
  /** Writes at once, in one commit with all that is held, which goes first: see `Artifacts`. */
  write(changes: readonly ArtifactWrite[]): ReturnType<Artifacts["write"]>;
  /** Writes before the request is answered, where that is held; else at once. */
  later(change: Unbounded): Promise<void>;
  /**
   * Uses something up in the same way. Where this is not its first use, nothing that is held behind
   * it is written, and `refuse` says what is thrown.
   */
  useFirst(key: string, refuse: () => Promise<never>): Promise<void>;
}

/** A change that nothing is known by until it is written. */
type Unbounded = Extract<
  ArtifactWrite,
  { readonly kind: "put" | "giveBack" | "remove" | "removeFamily" }
>;

/** What belongs together of one request. */
export interface Unit {
  readonly artifacts: RequestArtifacts;
  /** Works on a request: what it reads once is the same until it is answered. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Holds what the work writes later, and writes it in one commit once the work is done. Of work
   * that fails nothing is written, but that tries are given back. Rejects as the work does, or as
   * what it held could not be written: so nothing is told that is not on the disk.
   */
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Reads something that has a name, unless this request has read it already. */
  once<Value>(name: string, read: () => Promise<Value>): Promise<Value>;
}

interface Held {
  readonly change: ArtifactWrite;
  /** What is done where it stops the rest. */
  readonly refuse?: () => Promise<never>;
}

/** One request. */
interface Current {
  readonly read: Map<string, Promise<unknown>>;
  /** What is to be written; undefined where nothing is held. */
  held: Held[] | undefined;
}

/** Where artifacts are kept, and until when. */
export interface UnitParts {
  readonly store: Pick<Store, "artifacts">;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Makes the units of the requests of a process. */
export function createUnit({ store: { artifacts }, now }: UnitParts): Unit {
  const requests = new AsyncLocalStorage<Current>();
  const held = () => requests.getStore()?.held ?? [];

  const write = (changes: readonly ArtifactWrite[]) => writeAll(held().splice(0), changes);

  async function writeAll(
    first: readonly Held[],
    changes: readonly ArtifactWrite[],
  ): Promise<readonly number[]> {
    const all = [...first.map(({ change }) => change), ...changes];
    if (all.length === 0) return [];
    const uses = await artifacts.write(all, now());
    const last = first[uses.length - 1];
    if (last !== undefined && isStopped(last.change, uses.at(-1) ?? 0)) await last.refuse?.();
    return uses.slice(first.length);
  }

  /** Holds a change, or writes it where nothing is held. */
  async function hand(one: Held): Promise<void> {
    const here = requests.getStore()?.held;
    here?.push(one);
    if (here === undefined) await writeAll([one], []);
  }

  async function hold<Result>(work: () => Promise<Result>): Promise<Result> {
    const current: Current = { read: requests.getStore()?.read ?? new Map(), held: [] };
    return await requests.run(current, async () => {
      try {
        const result = await work();
        await write([]);
        return result;
      } catch (error) {
        const kept = held().filter(({ change }) => change.kind === "giveBack");
        current.held = kept;
        // What has failed is told, whatever becomes of these.
        await write([]).catch(() => {});
        throw error;
      } finally {
        current.held = undefined;
      }
    });
  }

  return {
    artifacts: {
      write,
      later: (change) => hand({ change }),
      useFirst: (key, refuse) => hand({ change: { kind: "use", key, usesMax: 1 }, refuse }),
      find: async (key) => {
        const found = await artifacts.find(key, now());
        const later = held();
        if (later.length === 0) return found;
        return withHeld(found, later, now()).find((one) => one.key === key);
      },
      findAlias: async (alias) => {
        const seen = withHeld(await artifacts.findAlias(alias, now()), held(), now());
        const named = seen.filter((one) => one.alias === alias);
        return named.toSorted((one, other) => other.expiresMs - one.expiresMs)[0];
      },
    },
    run: (work) => requests.run({ read: new Map(), held: undefined }, work),
    hold,
    once<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
      const known = requests.getStore()?.read;
      const value = (known?.get(name) as Promise<Value> | undefined) ?? read();
      known?.set(name, value);
      return value;
    },
  };
}

/** What of something that was found, and of all that is held, is there once that is written. */
function withHeld(
  found: KeptArtifact | undefined,
  held: readonly Held[],
  nowMs: number,
): readonly KeptArtifact[] {
  const kept = new Map(found === undefined ? [] : [[found.key, found]]);
  const change: ArtifactRows["change"] = (key, by) => {
    const changed = by(kept.get(key));
    if (changed !== undefined) kept.set(key, changed);
    return changed;
  };
  const rows: ArtifactRows = {
    change,
    put: (artifact) => change(artifact.key, (before) => keptWith(artifact, before)),
    remove: (key) => void kept.delete(key),
    removeFamily(family) {
      for (const one of kept.values()) if (one.family === family) kept.delete(one.key);
    },
    trim() {},
  };
  // Of what stops the rest it is taken that it will not: else the request is refused.
  for (const { change } of held) writeTo(rows, [change], nowMs);
  return [...kept.values()].filter((one) => isThere(one, nowMs));
}
