import assert from "node:assert/strict";
import type { Claim, ObjectRow, RecordedEvent } from "../../src/event.ts";
import { legible } from "../../src/store/erasure.ts";
import type { LeasedMessage, MessageKey } from "../../src/store/message.ts";
import type { Projection, Projector } from "../../src/store/projector.ts";
import type { ListQuery } from "../../src/store/query.ts";
import type { Append, AppendResult, Change, ObjectPage, Store } from "../../src/store/store.ts";

/** A time whose milliseconds show when somebody rounds to seconds. */
export const timeMs = 1_700_000_000_123;

/** An append of the changes, by a user, that relies on nothing else. */
export function append(changes: readonly Change[], rest: Partial<Append> = {}): Append {
  return { actor: "user-1", timeMs, changes, unchanged: [], tallies: [], ...rest };
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
    messages: [],
    settles: [],
    ...rest,
  };
}

/** A change that makes a thing with these texts. */
export function thing(stream: string, fields: ObjectRow["fields"], parent = "", kind = "thing") {
  return change(stream, 0, { row: { kind, parent, fields } });
}

/** The page of a list that is found in time. */
export async function listed(store: Pick<Store, "list">, query: ListQuery): Promise<ObjectPage> {
  const page = await store.list(query);
  assert(page !== undefined, "It was not found in time.");
  return page;
}

/** The streams of all things that a query lists, in its order. */
export async function streamsOf(
  store: Store,
  query: Partial<ListQuery> = {},
): Promise<readonly string[]> {
  const page = await listed(store, { kind: "thing", offset: 0, limit: 1_000, ...query });
  assert.equal(page.total, page.objects.length);
  assert.equal(page.isCut, false);
  return page.objects.map(({ stream }) => stream);
}

/** A change whose only event asks for a message. */
export function asking(stream: string, expected: number, rest: Partial<Change> = {}): Change {
  return change(stream, expected, { messages: [{ event: 0, field: "code" }], ...rest });
}

/** Leases what is due at a time, for a minute. */
export function lease(store: Store, nowMs: number, limit = 100) {
  return store.leaseMessages({ nowMs, leaseMs, limit });
}

/** How long a lease of `lease` lasts. */
export const leaseMs = 60_000;

/** The names of messages, to compare them at a glance. */
export function keysOf(messages: readonly LeasedMessage[]): readonly string[] {
  return messages.map(({ event, field }) => `${event.position} ${field}`);
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
 * when they do not go on from there: one who reads to the end would otherwise read forever.
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

const isEnd = (type: string) => type === "thing.removed" || type === "thing.erased";

function projectThing(events: readonly RecordedEvent[]): Projection {
  let thing: Thing | undefined;
  let messages: MessageKey[] = [];
  for (const { position, type, payload } of legible(events)) {
    const { answers, ...said } = parse(payload);
    thing = isEnd(type) ? undefined : { name: "", parent: "", ...thing, ...said };
    if (type === "thing.asked") messages.push({ position, field: "code" });
    messages = messages.filter((key) => thing !== undefined && String(key.position) !== answers);
  }
  if (thing === undefined) return { state: undefined, row: undefined, claims: [], messages };
  const { name, parent } = thing;
  return {
    state: JSON.stringify(thing),
    row: { kind: "thing", parent, fields: { name } },
    claims: [claim(name.toLowerCase(), events[0]?.owner)],
    messages,
  };
}

/** Each event may answer the one at a position (decimal) that asked for a message. */
type Said = Partial<Thing> & { readonly answers?: string; readonly sha256?: string };

function parse(payload: string): Said {
  return JSON.parse(payload);
}

/** One event of a thing, for example `renamed`, with what it says. */
export type ThingEvent = readonly ["added" | "renamed" | "asked" | "removed" | "image.set", Said];

/**
 * Appends to one thing what a command would: its state, row and the difference of its claims come
 * from the projector, its messages from the events, so that a rebuild has to arrive at the same.
 * Each append to a thing is later than the one before it, which tells the times of an object apart.
 */
export async function record(
  store: Store,
  stream: string,
  events: readonly ThingEvent[],
  { owner = "org-1", ...rest }: Partial<Append> & { readonly owner?: string } = {},
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
    messages: fresh.flatMap(({ type }, event) =>
      type === "thing.asked" ? [{ event, field: "code" }] : [],
    ),
    settles: events.flatMap(([, { answers }]) =>
      answers === undefined ? [] : [{ position: BigInt(answers), field: "code" }],
    ),
  });
  return store.append(append([made], { timeMs: laterMs, ...rest }));
}

/**
 * A life with a rename, a removal, a name that is used again, a second organization and messages,
 * of which two are pending in the end: one of thing-3, one of thing-4.
 */
export async function live(store: Store): Promise<void> {
  eventsOf(await record(store, "thing-3", [["added", { name: "Alpha", parent: "p-1" }]]));
  eventsOf(await record(store, "thing-1", [["added", { name: "Beta" }]]));
  eventsOf(await record(store, "thing-1", [["renamed", { name: "Epsilon" }]]));
  eventsOf(await record(store, "thing-3", [["renamed", { name: "Gamma" }]]));
  eventsOf(await record(store, "thing-4", [["added", { name: "Beta" }]], { owner: "org-2" }));
  eventsOf(await record(store, "thing-1", [["removed", {}]]));
  eventsOf(
    await record(store, "thing-2", [
      ["added", { name: "Epsilon" }],
      ["renamed", { name: "Alpha" }],
      ["asked", {}],
      ["removed", {}],
    ]),
  );
  const asks: readonly ThingEvent[] = [
    ["asked", {}],
    ["asked", {}],
  ];
  const [first] = eventsOf(await record(store, "thing-3", asks));
  const answers = String(first?.position);
  eventsOf(await record(store, "thing-3", [["renamed", { name: "Gamma", answers }]]));
  eventsOf(await record(store, "thing-4", [["asked", {}]], { owner: "org-2" }));
  eventsOf(await record(store, "thing-6", [["added", { name: "Zeta" }], ...asks]));
  eventsOf(await record(store, "thing-6", [["removed", {}]]));
}
