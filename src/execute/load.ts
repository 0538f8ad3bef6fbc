import { idOf, mustExist, streamOf } from "../domain/noun.ts";
import type { NewEvent } from "../event.ts";
import type { Holders, Store, StoredObject } from "../store/store.ts";
import { type Groups, groupMax, type Refs } from "./command.ts";

/** One of a command's streams as it was loaded. */
export interface LoadedStream {
  readonly name: string;
  readonly ref: Refs[string];
  readonly stored: StoredObject;
  readonly state: unknown;
}

/** Loads the streams under the names that the command gives them. */
export async function loadAll(store: Store, refs: Refs): Promise<readonly LoadedStream[]> {
  const named = Object.entries(refs);
  const stored = await store.load(named.map(([, ref]) => streamName(ref)));
  return named.map(([name, ref], index) => {
    const object = stored[index];
    if (object === undefined) throw new TypeError("the store loaded fewer streams than asked for");
    const state: unknown = object.state === undefined ? undefined : JSON.parse(object.state);
    return { name, ref, stored: object, state };
  });
}

/** A group as it is now, with as many of its streams as a decision may write to. */
export interface CountedGroup {
  readonly name: string;
  readonly ref: Groups[string];
  readonly holders: Holders;
}

/** Counts the streams of each group. */
export function countAll(store: Store, groups: Groups): Promise<readonly CountedGroup[]> {
  return Promise.all(
    Object.entries(groups).map(async ([name, ref]) => ({
      name,
      ref,
      holders: await store.holders(ref, groupMax),
    })),
  );
}

/** The stream with the events that a decision wants recorded there; empty where there are none. */
export function withEvents(stream: LoadedStream, events: readonly NewEvent[] = []) {
  return events.length === 0 ? [] : [{ stream, events }];
}

/**
 * Loads the streams of the groups for which the decision wants something recorded. Undefined where
 * one has left its group since it was counted: another may have come, so that the number is the
 * same.
 */
export async function loadMembers(
  store: Store,
  groups: readonly CountedGroup[],
  events: { readonly [name: string]: readonly NewEvent[] | undefined },
) {
  const members = new Map<string, CountedGroup>();
  for (const group of groups) {
    const { total, streams } = group.holders;
    if ((events[group.name]?.length ?? 0) === 0) continue;
    if (total > groupMax) {
      throw new TypeError(`the decision writes to all ${total} of ${group.name}`);
    }
    for (const stream of streams) members.set(stream, group);
  }
  const refs = [...members].map(([stream, { ref }]) => {
    return [stream, { noun: ref.noun, id: idOf(ref.noun, stream) }] as const;
  });
  const loaded = await loadAll(store, Object.fromEntries(refs));
  const found = loaded.map((stream) => ({ stream, group: mustExist(members.get(stream.name)) }));
  if (!found.every(({ stream, group }) => isMember(stream, group))) return undefined;
  return found.flatMap(({ stream, group }) => withEvents(stream, events[group.name]));
}

function isMember({ state }: LoadedStream, { ref: { noun, kind, scope } }: CountedGroup): boolean {
  if (state === undefined) return false;
  return noun.claims(state).some((claim) => claim.kind === kind && claim.scope === scope);
}

/** The name of the stream that a reference leads to. */
export function streamName({ noun, id }: Refs[string]): string {
  return streamOf(noun, id);
}
