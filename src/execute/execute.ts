import { accept, type Decision, type Rejection } from "../domain/decision.ts";
import { quotasOf, refuseSending, type SendLimits, sendLimits } from "../domain/sending.ts";
import type { Claim, Envelope, NewEvent, RecordedEvent } from "../event.ts";
import { claimKey } from "../store/claim-key.ts";
import type { NewMessage } from "../store/message.ts";
import { createObjects, type Objects } from "../store/objects.ts";
import type { Append, Change, Store } from "../store/store.ts";
import type { Command, Groups, Refs } from "./command.ts";
import {
  countAll,
  type LoadedStream,
  loadAll,
  loadMembers,
  recallAll,
  streamName,
  withEvents,
} from "./load.ts";
import { createLock } from "./lock.ts";
import { projectObject } from "./projection.ts";

/**
 * How often a command is decided before it gives way to other processes that change its streams.
 */
export const attemptsMax = 10;

/** The end of a command. */
export type Outcome =
  | { readonly kind: "done"; readonly written: readonly Written[] }
  /** Events that the refusal left are on disk by now. */
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  /** Other processes won every attempt, or an id that was just made is there already. */
  | { readonly kind: "conflict" };

/**
 * What a command wrote to one stream; only streams with events are listed, in the writes' order.
 */
export interface Written {
  readonly owner: string;
  /** Times of the stream's first and last event, in Unix milliseconds. */
  readonly createdMs: number;
  readonly changedMs: number;
  /** Position of the last event. */
  readonly position: bigint;
  /** What the command recorded in the stream, in order. */
  readonly events: readonly NewEvent[];
}

/** Carries out a command: see `createExecute`. */
export type Execute = <
  Writes extends Refs,
  Relies extends Refs = Record<never, never>,
  Members extends Groups = Record<never, never>,
  Leads extends Refs = Record<never, never>,
>(
  command: Command<Writes, Relies, Members, Leads>,
) => Promise<Outcome>;

/**
 * Makes the function that carries out a command: load, decide, append. The first attempt decides on
 * the objects as they were last seen, where all of them are remembered: the append refuses what is
 * stale, and whatever does not end in an append is decided again on their rows. Commands of this
 * process that write one stream take turns, so a conflict comes from a stream that was only relied
 * on, or from another process: then the command is decided anew on what is there by then. Rejects
 * with `StoreUnavailable` and `OutcomeUnknown` as the store does.
 */
export function createExecute(
  store: Store,
  now: () => number,
  objects: Objects = createObjects(store),
  limits: SendLimits = sendLimits,
): Execute {
  const lock = createLock();
  const parts = { store, objects, limits };
  return (command) => {
    const streams = Object.values(command.writes).map(streamName);
    return lock.hold(streams, async () => {
      const refs = refsOf(command);
      const timeMs = now();
      const seen = recallAll(objects, refs);
      const led = seen && recallAll(objects, leadsOf(command, seen, timeMs));
      if (seen !== undefined && led !== undefined) {
        // What was seen may not even fit together.
        const lenient = { ...command, decide: orNothing(command.decide) };
        const attempt = await decideOnce(parts, timeMs, lenient, [...seen, ...led]);
        if (attempt?.isAppended) return attempt.outcome;
      }
      for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
        const loaded = await loadAll(objects, refs);
        if (loaded.some(isTaken)) return { kind: "conflict" };
        const nowMs = now();
        const led = await loadAll(objects, leadsOf(command, loaded, nowMs));
        const attempt = await decideOnce(parts, nowMs, command, [...loaded, ...led]);
        if (attempt !== undefined) return attempt.outcome;
      }
      return { kind: "conflict" };
    });
  };
}

/** Whether an id that was just made has a stream: it is another's, and another id must be made. */
function isTaken({ ref, stored }: LoadedStream): boolean {
  return ref.isNew === true && stored.version > 0;
}

/** The same decision, which decides nothing where it would throw. */
function orNothing<Given extends unknown[], Events>(
  decide: (...given: Given) => Decision<Events>,
): (...given: Given) => Decision<Events> {
  return (...given) => {
    try {
      return decide(...given);
    } catch {
      return accept({} as Events);
    }
  };
}

/** The end of one attempt. */
interface Attempt {
  readonly outcome: Outcome;
  /** Whether the store checked all that the decision relied on, and wrote or refused. */
  readonly isAppended: boolean;
}

function refsOf<W extends Refs, R extends Refs, M extends Groups, L extends Refs>({
  relies,
  writes,
  admission,
}: Command<W, R, M, L>): Refs {
  const refs = { ...relies, ...writes };
  return admission === undefined ? refs : { ...refs, [holder]: admission.holder };
}

/** The streams to which the states of those that were loaded lead. */
function leadsOf<W extends Refs, R extends Refs, M extends Groups, L extends Refs>(
  command: Command<W, R, M, L>,
  loaded: readonly LoadedStream[],
  nowMs: number,
): Refs {
  return command.leads?.(statesOf(loaded), nowMs) ?? {};
}

/** The states under the names that the command gives their streams, which says of what type. */
function statesOf<States>(loaded: readonly LoadedStream[]): States {
  return Object.fromEntries(loaded.map(({ name, state }) => [name, state])) as States;
}

/** What commands are carried out with. */
interface Parts {
  readonly store: Store;
  readonly objects: Objects;
  readonly limits: SendLimits;
}

/** One attempt; undefined where the streams moved between loading and writing. */
async function decideOnce<W extends Refs, R extends Refs, M extends Groups, L extends Refs>(
  parts: Parts,
  nowMs: number,
  command: Command<W, R, M, L>,
  loaded: readonly LoadedStream[],
): Promise<Attempt | undefined> {
  const { store, objects, limits } = parts;
  const { actor, admission } = command;
  if (admission !== undefined) {
    const state = loaded.find(({ name }) => name === holder)?.state;
    const rejection = admission.refusal(state, nowMs);
    if (rejection !== undefined) return unwritten({ kind: "rejected", rejection });
  }
  const groups = await countAll(store, command.groups ?? {});
  const totals = Object.fromEntries(groups.map(({ name, holders }) => [name, holders.total]));
  const decision = command.decide({ ...statesOf(loaded), ...totals }, nowMs);
  const { rejection } = decision;

  const events = decision.events as { readonly [name: string]: readonly NewEvent[] | undefined };
  const writing = loaded.flatMap((stream) => withEvents(stream, events[stream.name]));
  const members = await loadMembers(objects, groups, events);
  if (members === undefined) return undefined;
  if (writing.length + members.length === 0) {
    return unwritten(rejection ? { kind: "rejected", rejection } : { kind: "done", written: [] });
  }

  const envelope = { actor, timeMs: nowMs };
  // What belongs to something goes before it goes itself.
  const changes = [...members, ...writing].map(({ stream, events }) =>
    changeOf(stream, events, envelope, limits),
  );
  const changed = new Set(changes.map(({ stream }) => stream));
  const unchanged = loaded
    .map(({ stored: { stream, version } }) => ({ stream, version }))
    .filter(({ stream }) => !changed.has(stream));
  const tallies = groups.map(({ ref: { kind, scope }, holders: { total } }) => ({
    ...{ kind, scope, total },
  }));

  const result = await store.append({ ...envelope, changes, unchanged, tallies } satisfies Append);
  // What was written is not as it was seen, and what is stale was not as it is.
  const stale = result.kind === "version-conflict" ? [result.stream] : changed;
  for (const stream of stale) objects.forget(stream);
  switch (result.kind) {
    case "version-conflict":
    case "tally-conflict":
      return undefined;
    case "claim-taken":
      return written({
        kind: "rejected",
        rejection: refuseClaim(result.claim, [...members, ...writing]),
      });
    case "quota-spent": {
      const { unsent, ...rest } = command;
      if (unsent !== undefined)
        return decideOnce(parts, nowMs, { ...rest, decide: unsent }, loaded);
      const rejection = refuseSending(result.quota, result.roomMs - nowMs);
      return written({ kind: "rejected", rejection });
    }
    case "appended":
      if (rejection) return written({ kind: "rejected", rejection });
      return written({
        kind: "done",
        written: writing.map(({ stream, events }) => ({
          ...writtenOf(stream, result.events),
          events,
        })),
      });
  }
}

const unwritten = (outcome: Outcome): Attempt => ({ outcome, isAppended: false });
const written = (outcome: Outcome): Attempt => ({ outcome, isAppended: true });

/** The name of the caller's stream among those loaded, which no command gives to one of its own. */
const holder = "the holder of the token";

function changeOf(
  { ref, stored, state: before }: LoadedStream,
  events: readonly NewEvent[],
  { actor, timeMs }: Omit<Envelope, "owner">,
  limits: SendLimits,
): Change {
  const owner = stored.version === 0 ? ref.owner : stored.owner;
  if (owner === undefined) throw new TypeError(`no owner was given for the new ${stored.stream}`);
  let after = before;
  const messages: NewMessage[] = [];
  for (const [index, event] of events.entries()) {
    // A replay, which reads the payload from its text, comes to the same: that is a law of nouns.
    after = ref.noun.evolve(after, { ...event, owner, actor, timeMs });
    const all = after === undefined ? [] : (ref.noun.messages?.(event, after) ?? []);
    for (const asked of all) {
      messages.push({ event: index, field: asked.field, quotas: quotasOf(asked, owner, limits) });
    }
  }
  const { state, row, claims } = projectObject(ref.noun, after);
  const held = before === undefined ? [] : ref.noun.claims(before);
  return {
    stream: stored.stream,
    expected: stored.version,
    owner,
    events: events.map(({ type, payload }) => ({ type, payload: JSON.stringify(payload) })),
    state,
    row,
    take: difference(claims, held),
    release: difference(held, claims),
    messages,
    settles: events.flatMap((event) => ref.noun.settles?.(event) ?? []),
  };
}

function writtenOf(
  { stored }: LoadedStream,
  events: readonly RecordedEvent[],
): Omit<Written, "events"> {
  const last = events.findLast(({ stream }) => stream === stored.stream);
  if (last === undefined) throw new TypeError("the store recorded fewer events than appended");
  return {
    owner: last.owner,
    createdMs: stored.version === 0 ? last.timeMs : stored.createdMs,
    changedMs: last.timeMs,
    position: last.position,
  };
}

/** The refusal of a noun of the command for a value that another stream holds. */
function refuseClaim(
  { kind }: Claim,
  writing: readonly { readonly stream: LoadedStream }[],
): Rejection {
  for (const { stream } of writing) {
    const rejection = stream.ref.noun.claimRefusals?.[kind];
    if (rejection !== undefined) return rejection;
  }
  throw new Error(`a fresh value of the kind ${kind} was held already`);
}

function difference(claims: readonly Claim[], without: readonly Claim[]): readonly Claim[] {
  const keys = new Set(without.map(claimKey));
  return claims.filter((claim) => !keys.has(claimKey(claim)));
}
