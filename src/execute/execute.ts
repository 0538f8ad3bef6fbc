import { accept, type Decision } from "../domain/decision.ts";
import { refuseSending, type SendLimits, sendLimits } from "../domain/sending.ts";
import type { Claim, NewEvent } from "../event.ts";
import { createObjects, type Objects } from "../store/objects.ts";
import type { Append, Store } from "../store/store.ts";
import { changeOf } from "./change.ts";
import type { AnyCommand, Begins, Command, Groups, Outcome, Refs, Written } from "./command.ts";
import { judgeAndDecide, judgedRefs } from "./judge.ts";
import {
  areStill,
  beginAll,
  type LoadedStream,
  loadAll,
  loadMembers,
  recallAll,
  streamName,
  withEvents,
} from "./load.ts";
import { createLock } from "./lock.ts";
import { judgeOwners, loadRest } from "./owner.ts";
import { lastOf, type Recorded, writtenOf } from "./written.ts";

/**
 * How often a command is decided before it gives way to other processes that change its streams.
 */
export const attemptsMax = 10;

/** Carries out a command: see `createExecute`. */
export type Execute = <
  Writes extends Refs,
  Relies extends Refs = Record<never, never>,
  Members extends Groups = Record<never, never>,
  Leads extends Refs = Record<never, never>,
  Answer = undefined,
  Begun extends Begins = Record<never, never>,
>(
  command: Command<Writes, Relies, Members, Leads, Answer, Begun>,
) => Promise<Outcome<Answer>>;

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
      if (seen !== undefined && led !== undefined && !seen.some(isOther)) {
        // What was seen may not even fit together.
        const lenient = { ...command, decide: orNothing(command.decide) };
        const attempt = await decideOnce(parts, timeMs, lenient, [...seen, ...led], true);
        if (attempt?.isAppended) return attempt.outcome();
      }
      for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
        const loaded = await loadAll(objects, refs);
        if (loaded.some(isOther)) return { kind: "conflict" };
        const nowMs = now();
        const led = await loadAll(objects, leadsOf(command, loaded, nowMs));
        const all = [...loaded, ...led];
        const attempt = await decideOnce(parts, nowMs, command, all);
        if (attempt === undefined) continue;
        // What was read one after the other need not have been so at any one moment.
        const isOneRead = led.length === 0 && command.groups === undefined;
        if (attempt.isAppended || isOneRead || (await areStill(objects, all))) {
          return attempt.outcome();
        }
      }
      return { kind: "conflict" };
    });
  };
}

/** Whether a stream is another than the command began with: see `StreamRef`. */
function isOther({ ref, stored }: LoadedStream): boolean {
  const { isNew = false, version = isNew ? 0 : stored.version } = ref;
  return version !== stored.version;
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
interface Attempt<Answer> {
  /** What it comes to, which is not asked where it does not count. */
  outcome(): Outcome<Answer>;
  /** Whether the store checked all that the decision relied on, and wrote or refused. */
  readonly isAppended: boolean;
}

function refsOf({ relies, writes, admission }: AnyCommand<unknown>): Refs {
  const refs = { ...relies, ...writes };
  return admission === undefined ? refs : { ...refs, ...judgedRefs(admission) };
}

/** The streams to which the states of those that were loaded lead. */
function leadsOf(
  command: AnyCommand<unknown>,
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
async function decideOnce<A>(
  parts: Parts,
  nowMs: number,
  command: AnyCommand<A>,
  given: readonly LoadedStream[],
  isSeen = false,
): Promise<Attempt<A> | undefined> {
  const { store, objects, limits } = parts;
  const { admission, through, remembering } = command;
  const { groups, loaded, owners, states } = await loadRest(parts, command, given, isSeen);
  const decision = judgeAndDecide(command, states, loaded, owners, nowMs);
  const { rejection } = decision;

  const events = decision.events as { readonly [name: string]: readonly NewEvent[] | undefined };
  const begun = beginAll(decision.events, command.begins);
  const writing = [...loaded.flatMap((one) => withEvents(one, events[one.name])), ...begun];
  const members = await loadMembers(objects, groups, events);
  if (members === undefined) return undefined;
  const isOut = rejection ? undefined : judgeOwners(admission, [...members, ...writing], owners);
  if (isOut) return unwritten(() => ({ kind: "rejected", rejection: isOut }));
  const endWith = (recorded: readonly Recorded[]): Outcome<A> => {
    if (rejection) return { kind: "rejected", rejection };
    const written = writing.map(({ stream, events }) => ({
      ...writtenOf(stream, recorded),
      events,
    }));
    return { kind: "done", written, answer: answerOf(command, written) };
  };
  if (writing.length + members.length === 0) return unwritten(() => endWith([]));

  const { actor, refusedActor = actor } = command;
  const envelope = { actor: rejection === undefined ? actor : refusedActor, timeMs: nowMs };
  // What belongs to something goes before it goes itself.
  const changes = [...members, ...writing].map(({ stream, events }) =>
    changeOf(stream, events, { ...envelope, through }, limits),
  );
  const changed = new Set(changes.map(({ stream }) => stream));
  const unchanged = [...loaded, ...owners]
    .map(({ stored: { stream, version } }) => ({ stream, version }))
    .filter(({ stream }) => !changed.has(stream));
  const tallies = groups.map(({ ref: { kind, scope }, holders: { total } }) => {
    return { kind, scope, total };
  });

  const remember = remembering && {
    key: remembering.key,
    ...remembering.keep(endWith(changes.map((change) => lastOf(change, nowMs)))),
  };
  const result = await store.append({
    ...envelope,
    changes,
    unchanged,
    tallies,
    ...(remember ? { remember } : {}),
    ...besideOf(command),
  } satisfies Append);
  // What was written is not as it was seen, and what is stale was not as it is.
  const stale = result.kind === "version-conflict" ? [result.stream] : changed;
  for (const stream of stale) objects.forget(stream);
  switch (result.kind) {
    case "version-conflict":
    case "tally-conflict":
    case "time-behind":
      return undefined;
    case "key-taken":
      return written(() => ({ kind: "conflict" }));
    case "claim-taken":
      return written(() => refuseClaim(result.claim, [...members, ...writing]));
    case "quota-spent": {
      const { unsent, ...rest } = command;
      if (unsent !== undefined)
        return decideOnce(parts, nowMs, { ...rest, decide: unsent }, given, isSeen);
      const rejection = refuseSending(result.quota, result.roomMs - nowMs);
      return written(() => ({ kind: "rejected", rejection }));
    }
    case "appended":
      return written(() => endWith(result.events));
  }
}

/** What comes and goes beside the log with what a command writes. */
function besideOf({ attachments, families, users }: AnyCommand<unknown>): Partial<Append> {
  return {
    ...(attachments ? { attachments } : {}),
    ...(families ? { families } : {}),
    ...(users ? { users } : {}),
  };
}

function unwritten<A>(outcome: () => Outcome<A>): Attempt<A> {
  return { outcome, isAppended: false };
}

function written<A>(outcome: () => Outcome<A>): Attempt<A> {
  return { outcome, isAppended: true };
}

/** Throws a TypeError where a command that is to answer wrote nothing, or has no answer. */
function answerOf<A>({ answer, remembering }: AnyCommand<A>, [only]: readonly Written[]): A {
  if (answer === undefined) {
    if (remembering !== undefined && only !== undefined) {
      throw new TypeError("a command that is remembered has no answer");
    }
    return undefined as A;
  }
  if (only === undefined) throw new TypeError("the command was accepted without an event");
  return answer(only);
}

/** The refusal of a noun of the command for a value that another stream holds. */
function refuseClaim(
  { kind }: Claim,
  writing: readonly { readonly stream: LoadedStream }[],
): Outcome<never> {
  for (const { stream } of writing) {
    const rejection = stream.ref.noun.claimRefusals?.[kind];
    if (rejection !== undefined) return { kind: "rejected", rejection };
  }
  throw new Error(`a fresh value of the kind ${kind} was held already`);
}
