import assert from "node:assert/strict";
import type { Claim, RecordedEvent } from "../../src/event.ts";
import type {
  Append,
  AppendResult,
  Change,
  Projection,
  Projector,
  Store,
} from "../../src/store/store.ts";

/** A time whose milliseconds show when somebody rounds to seconds. */
export const timeMs = 1_700_000_000_123;

/** An append of the changes, by a user, that relies on nothing else. */
export function append(changes: readonly Change[], rest: Partial<Append> = {}): Append {
  return { actor: "user-1", timeMs, changes, unchanged: [], ...rest };
}

/** A change of one event that neither takes nor releases a claim. */
export function change(stream: string, expected: number, rest: Partial<Change> = {}): Change {
  return {
    stream,
    expected,
    owner: "org-1",
    events: [{ type: "thing.added", payload: "{}" }],
    state: JSON.stringify({ stream, version: expected + 1 }),
    row: { kind: "thing", parent: "", fields: {} },
    take: [],
    release: [],
    ...rest,
  };
}

/** The claim of a name in an organization. */
export function claim(value: string, scope = "org-1", kind = "name"): Claim {
  return { kind, scope, value };
}

/** The events of an append that must not have been refused. */
export function eventsOf(result: AppendResult | undefined): readonly RecordedEvent[] {
  assert(result?.kind === "appended", `It was refused: ${result?.kind}.`);
  return result.events;
}

/** The whole log, in several pages. */
export async function readLog(store: Store, page = 1_000): Promise<RecordedEvent[]> {
  const log: RecordedEvent[] = [];
  while ((await readNext(store, log, page)) > 0);
  return log;
}

/**
 * Adds the next page to what was read of the log and answers how many events that were. It fails
 * when they do not go on from there: whoever reads to the end would otherwise read forever.
 */
export async function readNext(store: Store, log: RecordedEvent[], page: number): Promise<number> {
  const events = await store.readAll(log.at(-1)?.position ?? 0n, page);
  for (const event of events) {
    const last = log.at(-1)?.position ?? 0n;
    assert(event.position > last, `After position ${last} it read ${event.position}.`);
    log.push(event);
  }
  return events.length;
}

/** Fails unless the log is numbered 1, 2, 3 and so on to its end, which it answers. */
export async function expectGapless(store: Store): Promise<number> {
  const log = await readLog(store);
  const positions = log.map(({ position }) => position);
  assert.deepEqual(
    positions,
    positions.map((_, i) => BigInt(i + 1)),
  );
  return log.length;
}

/** What a thing is; it exists from its first event until it is removed. */
interface Thing {
  readonly name: string;
  readonly parent: string;
}

/** Events of things and what follows from them; the revision may be set. */
export function things(revision = 1): Projector {
  return { revision, project: projectThing };
}

function projectThing(events: readonly RecordedEvent[]): Projection {
  let thing: Thing | undefined;
  for (const { type, payload } of events) {
    const said = parse(payload);
    thing = type === "thing.removed" ? undefined : { name: "", parent: "", ...thing, ...said };
  }
  if (thing === undefined) return { state: undefined, row: undefined, claims: [] };
  const { name, parent } = thing;
  return {
    state: JSON.stringify(thing),
    row: { kind: "thing", parent, fields: { name } },
    claims: [claim(name.toLowerCase(), events[0]?.owner)],
  };
}

function parse(payload: string): Partial<Thing> {
  return JSON.parse(payload);
}

/** One event of a thing, such as `renamed`, with what it says. */
export type ThingEvent = readonly ["added" | "renamed" | "removed", Partial<Thing>];

/**
 * Appends to one thing what a command would: its state, row and the difference of its claims come
 * from the projector, so that a rebuild has to arrive at the same. Each append to a thing is later
 * than the one before it, which tells the times of an object apart.
 */
export async function record(
  store: Store,
  stream: string,
  events: readonly ThingEvent[],
  owner = "org-1",
): Promise<AppendResult> {
  const before = await store.readStream(stream, 0, 1_000);
  const laterMs = timeMs + before.length;
  const fresh = events.map(([type, payload], i) => ({
    position: 0n,
    stream,
    version: before.length + i + 1,
    owner,
    actor: "user-1",
    timeMs: laterMs,
    type: `thing.${type}`,
    payload: JSON.stringify(payload),
  }));
  const held = projectThing(before).claims;
  const { state, row, claims } = projectThing([...before, ...fresh]);
  const lacks = (list: readonly Claim[]) => (one: Claim) =>
    !list.some((other) => JSON.stringify(other) === JSON.stringify(one));
  const made = change(stream, before.length, {
    owner,
    events: fresh,
    state,
    row,
    take: claims.filter(lacks(held)),
    release: held.filter(lacks(claims)),
  });
  return store.append(append([made], { timeMs: laterMs }));
}

/** A life with a rename, a removal, a name that is used again and a second organization. */
export async function live(store: Store): Promise<void> {
  eventsOf(await record(store, "thing-3", [["added", { name: "Alpha", parent: "p-1" }]]));
  eventsOf(await record(store, "thing-1", [["added", { name: "Beta" }]]));
  eventsOf(await record(store, "thing-1", [["renamed", { name: "Epsilon" }]]));
  eventsOf(await record(store, "thing-3", [["renamed", { name: "Gamma" }]]));
  eventsOf(await record(store, "thing-4", [["added", { name: "Beta" }]], "org-2"));
  eventsOf(await record(store, "thing-1", [["removed", {}]]));
  eventsOf(
    await record(store, "thing-2", [
      ["added", { name: "Epsilon" }],
      ["renamed", { name: "Alpha" }],
      ["removed", {}],
    ]),
  );
}
