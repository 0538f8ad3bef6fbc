import { idOf, mustExist, streamOf } from "../domain/noun.ts";
import type { NewEvent } from "../event.ts";
import type { Objects, StreamObject } from "../store/objects.ts";
import type { Holders, Store } from "../store/store.ts";
import { type Begins, type Groups, groupMax, type Refs } from "./command.ts";

/** One of a command's streams as it was loaded. */
export interface LoadedStream {
  readonly name: string;
  readonly ref: Refs[string];
  readonly stored: StreamObject;
  readonly state: unknown;
}

/** Loads the streams under the names that the command gives them. */
export async function loadAll(objects: Objects, refs: Refs): Promise<readonly LoadedStream[]> {
  const named = Object.entries(refs);
  if (named.length === 0) return [];
  const loaded = await objects.load(named.map(([, ref]) => streamName(ref)));
  return named.map(([name, ref], index) => {
    const stored = loaded[index];
    if (stored === undefined) throw new TypeError("the store loaded fewer streams than asked for");
    return { name, ref, stored, state: stored.state };
  });
}

/**
 * Whether the streams still are as they were loaded: then what was read in between was so at the
 * same moment as they.
 */
export async function areStill(
  objects: Objects,
  loaded: readonly LoadedStream[],
): Promise<boolean> {
  const now = await objects.load(loaded.map(({ stored }) => stored.stream));
  return now.every(({ version }, index) => version === loaded[index]?.stored.version);
}

/**
 * The streams as they were last seen, those with a new id absent; undefined where one is not
 * remembered.
 */
export function recallAll(objects: Objects, refs: Refs): readonly LoadedStream[] | undefined {
  const recalled: LoadedStream[] = [];
  for (const [name, ref] of Object.entries(refs)) {
    const stream = streamName(ref);
    const stored = ref.isNew ? absent(stream) : objects.seen(stream);
    if (stored === undefined) return undefined;
    recalled.push({ name, ref, stored, state: stored.state });
  }
  return recalled;
}

function absent(stream: string): StreamObject {
  const times = { createdMs: 0, changedMs: 0 };
  return { stream, version: 0, owner: "", state: undefined, ...times, position: 0n };
}

/** A group as it is now, with as many of its streams as a decision may write to. */
export interface CountedGroup {
  readonly name: string;
  readonly ref: Groups[string];
  readonly holders: Holders;
  /** The streams that are asked whether they count. */
  readonly members: readonly LoadedStream[];
}

/** Counts the streams of each group, and loads those of which not all count. */
export function countAll(
  { store, objects }: { readonly store: Store; readonly objects: Objects },
  groups: Groups,
): Promise<readonly CountedGroup[]> {
  return Promise.all(
    Object.entries(groups).map(async ([name, ref]) => {
      const holders = await store.holders(ref, groupMax);
      const looked = ref.counts === undefined ? [] : await objects.load(holders.streams);
      const members = looked.map((stored) => {
        const member = { noun: ref.noun, id: idOf(ref.noun, stored.stream) };
        return { name: memberOf(name, stored.stream), ref: member, stored, state: stored.state };
      });
      return { name, ref, holders, members };
    }),
  );
}

/** How many of a group count, by the states of its streams and those that the command loaded. */
export function totalOf(
  { name, ref, holders }: CountedGroup,
  states: { readonly [name: string]: unknown },
): number {
  if (ref.counts === undefined) return holders.total;
  const found = holders.streams.map((stream) => states[memberOf(name, stream)]);
  return found.filter((state) => state !== undefined && ref.counts?.(state, states)).length;
}

/** The name of a stream that is loaded as one of a group; no command names one so. */
function memberOf(group: string, stream: string): string {
  return `member of ${group}: ${stream}`;
}

/** The stream with the events that a decision wants recorded there; empty where there are none. */
export function withEvents(stream: LoadedStream, events: readonly NewEvent[] = []) {
  return events.length === 0 ? [] : [{ stream, events }];
}

/** The streams that a decision begins, with the events that it wants recorded in each. */
export function beginAll(events: object, begins: Begins = {}) {
  const begun = events as { readonly [name: string]: readonly (readonly NewEvent[])[] | undefined };
  return Object.entries(begins).flatMap(([name, { noun, owner, newId }]) =>
    (begun[name] ?? []).flatMap((its) => {
      const ref = { noun, id: newId(), owner, isNew: true };
      return withEvents({ name, ref, stored: absent(streamName(ref)), state: undefined }, its);
    }),
  );
}

/**
 * Loads the streams of the groups for which the decision wants something recorded. Undefined where
 * one has left its group since it was counted: another may have come, so that the number is the
 * same.
 */
export async function loadMembers(
  objects: Objects,
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
  const loaded = await loadAll(objects, Object.fromEntries(refs));
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
