import { type Rejection, rejectionFor } from "../domain/decision.ts";
import { type Noun, streamOf } from "../domain/noun.ts";
import { type OrgState, org, type Standing, underOwner } from "../domain/org.ts";
import { organizationsBeyond, withoutRolesIn } from "../domain/user/state/beyond.ts";
import { type UserState, user } from "../domain/user/state/user.ts";
import type { NewEvent } from "../event.ts";
import { type Objects, readerOf, type StreamObject } from "../store/objects.ts";
import type { Store } from "../store/store.ts";
import type { Admission, AnyCommand } from "./command.ts";
import { countAll, type LoadedStream, totalOf } from "./load.ts";
import { type Found, readObject } from "./read-object.ts";

/**
 * Reads objects as they count: what belongs to an inactive organization is inactive, and what
 * belongs to a removed one has no state. `read` is
 * `Objects.load` or `Objects.current`. Owners of what
 * was seen before are read with the objects, others after them.
 */
export async function readCounting(
  objects: Pick<Objects, "seen">,
  read: Objects["load"],
  streams: readonly string[],
): Promise<readonly StreamObject[]> {
  const known = ownersOf(streams.map(objects.seen));
  const all = await read([...streams, ...known]);
  const found = all.slice(0, streams.length);
  const others = ownersOf(found).filter((stream) => !known.includes(stream));
  const more = others.length === 0 ? [] : await read(others);
  const owners = [...all.slice(streams.length), ...more];
  return found.map((one) => countIn(one, owners));
}

/** Makes what reads rows of a store in the same way. */
export function readOf(store: Pick<Store, "load">): Objects["load"] {
  return (streams) => readCounting({ seen: () => undefined }, readerOf(store), streams);
}

/** An object as it counts, and as it is by itself. */
export interface Counted<State> extends Found<State> {
  readonly own: State;
}

/** Reads the object with an id in the same way; undefined where there is none. */
export async function readCounted<State, Event extends NewEvent>(
  store: Pick<Store, "load">,
  noun: Noun<State, Event>,
  id: string,
): Promise<Counted<State> | undefined> {
  const found = await readObject(store, noun, id);
  if (found === undefined) return undefined;
  const [stored] = await store.load([streamOf(org, found.stored.owner)]);
  const { version = 0, state: text } = stored ?? {};
  const owner = standingOf({ version, state: text === undefined ? text : JSON.parse(text) });
  const state = underOwner(found.state, owner);
  return state === undefined ? undefined : { ...found, state, own: found.state };
}

/** Reads a user in the same way, without the roles in organizations that were removed. */
export async function readCaller(
  store: Pick<Store, "load">,
  userId: string,
): Promise<Found<UserState> | undefined> {
  const found = await readCounted(store, user, userId);
  const beyond = found === undefined ? [] : organizationsBeyond(found.state);
  if (found === undefined || beyond.length === 0) return found;
  const standings = (await store.load(beyond.map((id) => streamOf(org, id)))).map(standingOf);
  const gone = beyond.filter((_organization, index) => standings[index] === "removed");
  const memberships = gone.reduce(withoutRolesIn, found.state.memberships);
  return { ...found, state: { ...found.state, memberships } };
}

/** The organization that a stream of its own stands for. */
export function standingOf({ version, state }: Pick<StreamObject, "version" | "state">): Standing {
  return version > 0 && state === undefined ? "removed" : (state as OrgState | undefined);
}

/** Those of the objects that belong to no removed organization. */
export async function withoutRemoved<One extends { readonly stored: Pick<StreamObject, "owner"> }>(
  { load }: Pick<Store, "load">,
  found: readonly One[],
): Promise<readonly One[]> {
  const streams = ownersOf(found.map(({ stored }) => stored));
  const owners = await load(streams);
  const removed = owners.filter((owner) => standingOf(owner) === "removed");
  const gone = new Set(removed.map(({ stream }) => stream));
  return found.filter(({ stored }) => !gone.has(streamOf(org, stored.owner)));
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
  const state = underOwner(one.state, owner && standingOf(owner));
  return state === one.state ? one : { ...one, state };
}

/** The streams of the organizations that own objects. */
function ownersOf(
  objects: readonly (Pick<StreamObject, "owner"> | undefined)[],
): readonly string[] {
  const owners = new Set<string>();
  for (const one of objects) {
    if (one !== undefined && one.owner !== "") owners.add(streamOf(org, one.owner));
  }
  return [...owners];
}

/** The groups and owners of streams that were loaded, and what a decision is given of all. */
export async function loadRest(
  parts: { readonly store: Store; readonly objects: Objects },
  command: Pick<AnyCommand<unknown>, "admission" | "groups" | "isForRemoved">,
  given: readonly LoadedStream[],
  isSeen: boolean,
) {
  const { admission, groups: refs = {} } = command;
  const groups = await countAll(parts, refs);
  const loaded = [...given, ...groups.flatMap(({ members }) => members)];
  const owners = await loadOwners(parts.objects, loaded, admission, isSeen);
  const states = statesUnder(
    loaded,
    owners.filter(({ ref }) => !isExempt(command, ref.id)),
  );
  const totals = groups.map((group) => [group.name, totalOf(group, states)]);
  return { groups, loaded, owners, states: { ...states, ...Object.fromEntries(totals) } };
}

/** The refusal of a call that acts on an organization which was removed meanwhile. */
export function judgeOrganization(
  { organization, isForRemoved }: Admission,
  owners: readonly LoadedStream[],
): Rejection | undefined {
  const found = owners.find(({ ref }) => ref.id === organization);
  const isGone = found !== undefined && standingOf(found.stored) === "removed";
  // As the gate refuses an unknown one.
  return isGone && !isForRemoved ? rejectionFor("PERMISSION_DENIED") : undefined;
}

/** Whether what belongs to the organization counts though that was removed. */
function isExempt(
  { admission, isForRemoved }: Pick<AnyCommand<unknown>, "admission" | "isForRemoved">,
  organization: string,
): boolean {
  const ofCall = admission?.isForRemoved ? admission.organization : undefined;
  return isForRemoved || organization === ofCall;
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
    return [one.name, underOwner(one.state, owner && standingOf(owner.stored))];
  });
  return Object.fromEntries(named);
}

/**
 * The refusal of what a caller wants to be written into an inactive organization, or done in one
 * that the call acts on. What the service does by itself goes on there, and what rests on something
 * elsewhere ends with that.
 */
export function judgeOwners(
  admission: Admission | undefined,
  writing: readonly { readonly stream: LoadedStream }[],
  owners: readonly LoadedStream[],
): Rejection | undefined {
  if (admission === undefined || admission.isForInactive) return undefined;
  const changed = writing.filter(({ stream }) => !stream.ref.isEnding);
  const ids = new Set([...changed.map(({ stream }) => ownerOf(stream)), admission.organization]);
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
