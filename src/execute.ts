import type { Decision, Rejection } from "./domain/decision.ts";
import { claimTaken } from "./domain/name.ts";
import { type Noun, streamOf } from "./domain/noun.ts";
import { hasToken } from "./domain/user/token.ts";
import { type UserState, user } from "./domain/user/user.ts";
import type { Claim, Envelope, NewEvent, RecordedEvent } from "./event.ts";
import { projectionOf } from "./projection.ts";
import type { Append, Change, Store, StoredObject } from "./store/store.ts";
import { createTurns } from "./turns.ts";

/**
 * How often a command is decided before it gives way to other processes that change its streams.
 */
export const attemptsMax = 10;

/** A stream that a command loads. One that the command may begin says whose it will be. */
export interface StreamRef<State, Event extends NewEvent> {
  readonly noun: Noun<State, Event>;
  readonly id: string;
  readonly owner?: string;
}

type Refs = { readonly [name: string]: StreamRef<unknown, NewEvent> };

type States<Streams extends Refs> = {
  readonly [Name in keyof Streams]: Streams[Name] extends StreamRef<infer State, infer _Event>
    ? State | undefined
    : never;
};

type Events<Streams extends Refs> = {
  readonly [Name in keyof Streams]?: Streams[Name] extends StreamRef<infer _State, infer Event>
    ? readonly Event[]
    : never;
};

/**
 * What someone wants done: the streams it takes, and the decision as a function of their states.
 */
export interface Command<Writes extends Refs, Relies extends Refs> {
  /** The id of the user who wants it. */
  readonly actor: string;
  /**
   * The hash of the token that the user came with. It must be the user's still when the events are
   * written: whoever takes a token away wants it to do nothing more.
   */
  readonly tokenHash?: string;
  /** Streams that the decision may write to. */
  readonly writes: Writes;
  /** Streams that must still be as the decision saw them when its events are written. */
  readonly relies: Relies;
  decide(states: States<Writes> & States<Relies>, nowMs: number): Decision<Events<Writes>>;
}

export type Outcome =
  | { readonly kind: "done"; readonly written: readonly Written[] }
  /** Events that the refusal left are on disk by now. */
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  /** Other processes won every attempt. */
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
}

export type Execute = <Writes extends Refs, Relies extends Refs>(
  command: Command<Writes, Relies>,
) => Promise<Outcome>;

/**
 * Load, decide, append. Commands of this process that write one stream take turns, so a conflict
 * comes from a stream that was only relied on, or from another process: then the command is decided
 * anew on what is there by then. Rejects with `StoreUnavailable` as the store does.
 */
export function createExecute(store: Store, now: () => number): Execute {
  const turns = createTurns();
  return (command) => {
    const written = Object.values(command.writes).map(streamName);
    return turns.take(written, async () => {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const outcome = await decideOnce(store, now(), command);
        if (outcome !== undefined) return outcome;
      }
      return { kind: "conflict" };
    });
  };
}

/** One attempt; undefined where the streams moved between loading and writing. */
async function decideOnce<Writes extends Refs, Relies extends Refs>(
  store: Store,
  nowMs: number,
  command: Command<Writes, Relies>,
): Promise<Outcome | undefined> {
  const { actor, tokenHash } = command;
  const streams = { ...command.relies, ...command.writes };
  const loaded = await loadAll(
    store,
    tokenHash === undefined ? streams : { ...streams, [holder]: { noun: user, id: actor } },
  );
  if (tokenHash !== undefined) {
    const state = loaded.find(({ name }) => name === holder)?.state as UserState | undefined;
    if (state === undefined || !hasToken(state, tokenHash, nowMs)) return unauthenticated;
  }
  const states = Object.fromEntries(loaded.map(({ name, state }) => [name, state]));
  const decision = command.decide(states as States<Writes> & States<Relies>, nowMs);
  const { rejection } = decision;

  const writing = loaded.flatMap((stream) => {
    const events = (decision.events as { readonly [name: string]: readonly NewEvent[] })[
      stream.name
    ];
    return events === undefined || events.length === 0 ? [] : [{ stream, events }];
  });
  if (writing.length === 0) {
    return rejection ? { kind: "rejected", rejection } : { kind: "done", written: [] };
  }

  const envelope = { actor, timeMs: nowMs };
  const changes = writing.map(({ stream, events }) => changeOf(stream, events, envelope));
  const changed = new Set(changes.map(({ stream }) => stream));
  const unchanged = loaded
    .map(({ stored: { stream, version } }) => ({ stream, version }))
    .filter(({ stream }) => !changed.has(stream));

  const result = await store.append({ ...envelope, changes, unchanged } satisfies Append);
  switch (result.kind) {
    case "version-conflict":
      return undefined;
    case "claim-taken":
      return { kind: "rejected", rejection: takenRejection(result.claim) };
    case "appended":
      if (rejection) return { kind: "rejected", rejection };
      return {
        kind: "done",
        written: writing.map(({ stream }) => writtenOf(stream, result.events)),
      };
  }
}

/** The name that no command gives to a stream of its own. */
const holder = "the holder of the token";

const unauthenticated: Outcome = {
  kind: "rejected",
  rejection: {
    reason: "UNAUTHENTICATED",
    message: "A valid token is needed: send `authorization: Bearer <token>`.",
  },
};

/** One of a command's streams as it was loaded. */
interface LoadedStream {
  readonly name: string;
  readonly ref: Refs[string];
  readonly stored: StoredObject;
  readonly state: unknown;
}

async function loadAll(store: Store, refs: Refs): Promise<readonly LoadedStream[]> {
  const named = Object.entries(refs);
  const stored = await store.load(named.map(([, ref]) => streamName(ref)));
  return named.map(([name, ref], index) => {
    const object = stored[index];
    if (object === undefined) throw new TypeError("the store loaded fewer streams than asked for");
    const state: unknown = object.state === undefined ? undefined : JSON.parse(object.state);
    return { name, ref, stored: object, state };
  });
}

function changeOf(
  { ref, stored, state: before }: LoadedStream,
  events: readonly NewEvent[],
  { actor, timeMs }: Omit<Envelope, "owner">,
): Change {
  const owner = stored.version === 0 ? ref.owner : stored.owner;
  if (owner === undefined) throw new TypeError(`no owner was given for the new ${stored.stream}`);
  const texts = events.map(({ type, payload }) => ({ type, payload: JSON.stringify(payload) }));
  // What is folded is what a replay will find: the payload as text and back.
  const read = texts.map(({ type, payload }) => ({ type, payload: JSON.parse(payload) }));
  const after = read.reduce<unknown>(
    (state, event) => ref.noun.evolve(state, { ...event, owner, actor, timeMs }),
    before,
  );
  const { state, row, claims } = projectionOf(ref.noun, after);
  const held = before === undefined ? [] : ref.noun.claims(before);
  return {
    stream: stored.stream,
    expected: stored.version,
    owner,
    events: texts,
    state,
    row,
    take: difference(claims, held),
    release: difference(held, claims),
    messages: read.flatMap(
      (event, index) => ref.noun.messages?.(event).map((field) => ({ event: index, field })) ?? [],
    ),
    settles: read.flatMap((event) => ref.noun.settles?.(event) ?? []),
  };
}

function writtenOf({ stored }: LoadedStream, events: readonly RecordedEvent[]): Written {
  const last = events.findLast(({ stream }) => stream === stored.stream);
  if (last === undefined) throw new TypeError("the store recorded fewer events than appended");
  return {
    owner: last.owner,
    createdMs: stored.version === 0 ? last.timeMs : stored.createdMs,
    changedMs: last.timeMs,
    position: last.position,
  };
}

function takenRejection(claim: Claim): Rejection {
  const rejection = claimTaken(claim);
  if (rejection === undefined) {
    throw new Error(`a fresh value of the kind ${claim.kind} was held already`);
  }
  return rejection;
}

function difference(claims: readonly Claim[], without: readonly Claim[]): readonly Claim[] {
  const keys = new Set(without.map(claimKey));
  return claims.filter((claim) => !keys.has(claimKey(claim)));
}

function claimKey({ kind, scope, value }: Claim): string {
  return JSON.stringify([kind, scope, value]);
}

function streamName({ noun, id }: Refs[string]): string {
  return streamOf(noun, id);
}
