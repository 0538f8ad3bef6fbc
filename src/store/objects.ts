import type { Store, StoredObject } from "./store.ts";

/** The current object of a stream with its state parsed. */
export interface StreamObject extends Omit<StoredObject, "state"> {
  /** Undefined where there is no stream or the object was removed. Shared: nobody may change it. */
  readonly state: unknown;
}

/**
 * Objects as they are, and as this process last saw them. The cached state may be stale, since
 * other processes write too. A decision on it needs the version check of the append; before a
 * refusal, read the row.
 */
export interface Objects {
  /** Reads the rows of the streams, in the order asked for, as `Store.load` does. */
  load(streams: readonly string[]): Promise<readonly StreamObject[]>;
  /** The same, but that objects which are still as they were last seen are not read again. */
  current(streams: readonly string[]): Promise<readonly StreamObject[]>;
  /** The object as it was last seen; undefined where that is not remembered. It is never absent. */
  seen(stream: string): StreamObject | undefined;
  /** Says that the stream is not any more as it was seen. */
  forget(stream: string): void;
}

/** What is remembered of objects. */
export const objectLimits = {
  /** UTF-8 bytes of all names and states together, as JSON text; those used last stay. */
  keptBytes: 16 * 1024 * 1024,
} as const;

/** Makes the objects of a store, of which none has been seen yet. */
export function createObjects(
  store: Pick<Store, "load" | "versions">,
  { keptBytes }: { readonly keptBytes: number } = objectLimits,
): Objects {
  /** In the order of their last use. */
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function keep(stream: string, one: Kept): void {
    if (one.bytes > keptBytes) return;
    kept.set(stream, one);
    bytes += one.bytes;
    for (const [oldest] of kept) {
      if (bytes <= keptBytes) return;
      forget(oldest);
    }
  }

  function forget(stream: string): void {
    bytes -= kept.get(stream)?.bytes ?? 0;
    kept.delete(stream);
  }

  function see(row: StoredObject): StreamObject {
    const { state: text, ...rest } = row;
    const { stream, version } = rest;
    const before = kept.get(stream);
    // A row that was asked for earlier may arrive later.
    if (before !== undefined && before.object.version > version) {
      return { ...rest, state: parse(text) };
    }
    forget(stream);
    const isSame = before?.object.version === version;
    const one = isSame ? before : { object: { ...rest, state: parse(text) }, bytes: sizeOf(row) };
    keep(stream, one);
    return one.object;
  }

  function recall(stream: string): StreamObject | undefined {
    const one = kept.get(stream);
    if (one === undefined) return undefined;
    kept.delete(stream);
    kept.set(stream, one);
    return one.object;
  }

  const load = async (streams: readonly string[]) => (await store.load(streams)).map(see);
  return {
    load,
    async current(streams) {
      const known = streams.flatMap((stream) => recall(stream) ?? []);
      if (known.length < streams.length) return await load(streams);
      const versions = await store.versions(streams);
      const areSame = known.every(({ version }, i) => version === versions[i]);
      return areSame ? known : await load(streams);
    },
    seen(stream) {
      const one = recall(stream);
      return one?.state === undefined ? undefined : one;
    },
    forget,
  };
}

/** Makes what reads rows of a store as `Objects.load` does, and remembers none. */
export function readerOf(store: Pick<Store, "load">): Objects["load"] {
  return async (streams) =>
    (await store.load(streams)).map(({ state, ...rest }) => ({ ...rest, state: parse(state) }));
}

/** Bytes that an absent object counts besides its name: it is remembered as well. */
const absentBytes = 200;

interface Kept {
  readonly object: StreamObject;
  readonly bytes: number;
}

function parse(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

function sizeOf({ stream, state }: StoredObject): number {
  const stateBytes = state === undefined ? absentBytes : Buffer.byteLength(state);
  return Buffer.byteLength(stream) + stateBytes;
}
