import { type Rejection, rejectionFor } from "../domain/decision.ts";
import { type Noun, streamOf } from "../domain/noun.ts";
import { type OrgState, org, underOwner } from "../domain/org.ts";
import type { NewEvent } from "../event.ts";
import type { Objects, StreamObject } from "../store/objects.ts";
import type { Store } from "../store/store.ts";
import type { Admission, AnyCommand } from "./command.ts";
import { countAll, type LoadedStream, totalOf } from "./load.ts";
import { type Found, readObject } from "./read-object.ts";

/**
 * Reads objects as they count: what belongs to an inactive organization is inactive. `read` is
 * `Objects.load` or `Objects.current`. Owners of what
 * was seen before are read with the objects, others after them.
 */
export async function readCounting(
  objects: Pick<Objects, "seen">,
  read: Objects["load"],
  streams: readonly string[],
): Promise<readonly StreamObject[]> {
  const known = ownersOf(streams.flatMap((stream) => objects.seen(stream) ?? []));
  const all = await read([...streams, ...known]);
  const found = all.slice(0, streams.length);
  const others = ownersOf(found).filter((stream) => !known.includes(stream));
  const more = others.length === 0 ? [] : await read(others);
  const owners = [...all.slice(streams.length), ...more];
  return found.map((one) => countIn(one, owners));
}

/** Reads the object with an id in the same way; undefined where there is none. */
export async function readCounted<State, Event extends NewEvent>(
  store: Pick<Store, "load">,
  noun: Noun<State, Event>,
  id: string,
): Promise<Found<State> | undefined> {
  const found = await readObject(store, noun, id);
  const owner = found && (await readObject(store, org, found.stored.owner));
  return found && { ...found, state: underOwner(found.state, owner?.state) };
}

/** The object as it counts and was last seen; undefined where it or its owner is not remembered. */
export function seeCounting({ seen }: Objects, stream: string): StreamObject | undefined {
  const found = seen(stream);
  const owner = found && seen(streamOf(org, found.owner));
  return found && owner && countIn(found, [owner]);
}

function countIn(one: StreamObject, owners: readonly StreamObject[]): StreamObject {
  const stream = streamOf(org, one.owner);
  const owner = owners.find((other) => other.stream === stream);
  const state = underOwner(one.state, owner?.state as OrgState | undefined);
  return state === one.state ? one : { ...one, state };
}

/** The streams of the organizations that own objects. */
function ownersOf(objects: readonly StreamObject[]): readonly string[] {
  const ids = objects.map(({ owner }) => owner).filter((id) => id !== "");
  return [...new Set(ids)].map((id) => streamOf(org, id));
}

/** The groups and owners of streams that were loaded, and what a decision is given of all. */
export async function loadRest(
  parts: { readonly store: Store; readonly objects: Objects },
  { admission, groups: refs = {} }: Pick<AnyCommand<unknown>, "admission" | "groups">,
  given: readonly LoadedStream[],
  isSeen: boolean,
) {
  const groups = await countAll(parts, refs);
  const loaded = [...given, ...groups.flatMap(({ members }) => members)];
  const owners = await loadOwners(parts.objects, loaded, admission, isSeen);
  const states = statesUnder(loaded, owners);
  const totals = groups.map((group) => [group.name, totalOf(group, states)]);
  return { groups, loaded, owners, states: { ...states, ...Object.fromEntries(totals) } };
}

/**
 * The organizations that own the streams of a command, and the one that it acts on, for the command
 * to rely on. Where asked, they are as they were last seen.
 */
async function loadOwners(
  objects: Objects,
  loaded: readonly LoadedStream[],
  admission: Admission | undefined,
  isSeen: boolean,
): Promise<readonly LoadedStream[]> {
  const ids = [...loaded.map(ownerOf), admission?.organization ?? ""].filter((id) => id !== "");
  const refs = [...new Set(ids)].map((id) => ({ noun: org, id }));
  const seen = refs.map(({ id }) => (isSeen ? objects.seen(streamOf(org, id)) : undefined));
  const missing = refs.filter((_ref, index) => seen[index] === undefined);
  const read =
    missing.length === 0 ? [] : await objects.load(missing.map(({ id }) => streamOf(org, id)));
  const known = new Map([...seen, ...read].flatMap((one) => (one ? [[one.stream, one]] : [])));
  return refs.flatMap((ref) => {
    const stored = known.get(streamOf(org, ref.id));
    return stored ? [{ name: ownedBy + ref.id, ref, stored, state: stored.state }] : [];
  });
}

/** The states under the names of their streams, as they count with these owners. */
function statesUnder(
  loaded: readonly LoadedStream[],
  owners: readonly LoadedStream[],
): { readonly [name: string]: unknown } {
  const named = loaded.map((one) => {
    const owner = owners.find(({ ref }) => ref.id === ownerOf(one));
    return [one.name, underOwner(one.state, owner?.state as OrgState | undefined)];
  });
  return Object.fromEntries(named);
}

/**
 * The refusal of what a caller wants to be written into an inactive organization, or done in one
 * that the call acts on. What the service does by itself goes on there.
 */
export function judgeOwners(
  admission: Admission | undefined,
  writing: readonly { readonly stream: LoadedStream }[],
  owners: readonly LoadedStream[],
): Rejection | undefined {
  if (admission === undefined || admission.isForInactive) return undefined;
  const ids = new Set([...writing.map(({ stream }) => ownerOf(stream)), admission.organization]);
  const isOut = owners.some(
    ({ ref, state }) => ids.has(ref.id) && (state as OrgState | undefined)?.isInactive,
  );
  return isOut ? rejectionFor("ORGANIZATION_INACTIVE") : undefined;
}

/** The id of the organization that a stream belongs to, or will; empty where none is known. */
function ownerOf({ ref, stored }: LoadedStream): string {
  return stored.version === 0 ? (ref.owner ?? "") : stored.owner;
}

/** What the names of streams of owners begin with, and none of a command's own. */
const ownedBy = "owner: ";
