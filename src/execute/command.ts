import type { Decision, Rejection } from "../domain/decision.ts";
import type { Noun } from "../domain/noun.ts";
import type { ClaimGroup, NewEvent } from "../event.ts";
import type { RememberedAnswer } from "../store/answer.ts";
import { appendLimits } from "../store/store.ts";

/** A stream that a command loads. One that the command may begin says whose it will be. */
export interface StreamRef<State, Event extends NewEvent> {
  readonly noun: Noun<State, Event>;
  readonly id: string;
  readonly owner?: string;
  /** Whether the id was just made: then the stream is taken for absent until the append says no. */
  readonly isNew?: boolean;
  /** Whether all that it may get are events by which it ends with another: see `judgeOwners`. */
  readonly isEnding?: boolean;
  /** The version that it was read with before the command: with another, that is a conflict. */
  readonly version?: number | undefined;
}

/** The streams that hold claims of a kind in a scope, however many there are. */
export interface GroupRef<Event extends NewEvent> extends ClaimGroup {
  readonly noun: Noun<unknown, Event>;
  /**
   * Whether a stream counts, by its state and those that are loaded. It is asked about the first
   * `groupMax`. Left out, all count.
   */
  counts?(state: unknown, states: object): boolean;
}

/** New streams, of which a decision begins as many as it needs; each has an id of its own. */
export interface BeginRef<Event extends NewEvent> {
  readonly noun: Noun<unknown, Event>;
  readonly owner: string;
  readonly newId: () => string;
}

/** Streams under the names that a command gives them. */
export type Refs = { readonly [name: string]: StreamRef<unknown, NewEvent> };
/** Groups of streams under the names that a command gives them. */
export type Groups = { readonly [name: string]: GroupRef<NewEvent> };
/** New streams under the names that a command gives them. */
export type Begins = { readonly [name: string]: BeginRef<NewEvent> };

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

/** The number of streams of each group. */
type Totals<Members extends Groups> = { readonly [Name in keyof Members]: number };

/** Events that every stream of a group gets. */
type GroupEvents<Members extends Groups> = {
  readonly [Name in keyof Members]?: Members[Name] extends GroupRef<infer Event>
    ? readonly Event[]
    : never;
};

/** The events of each stream that is begun. */
type BegunEvents<Begun extends Begins> = {
  readonly [Name in keyof Begun]?: Begun[Name] extends BeginRef<infer Event>
    ? readonly (readonly Event[])[]
    : never;
};

/**
 * The token and the permission that let the caller in, judged once more on the states that the
 * append is checked against: a token or role that was taken away must do nothing more.
 */
export interface Admission {
  /** The organization that the call acts on. */
  readonly organization?: string;
  /** Whether that may be inactive, and what is written belong to an inactive one. */
  readonly isForInactive?: boolean;
  /** Whether that was removed, and what is written may belong to a removed one. */
  readonly isForRemoved?: boolean;
  /** The streams by which that is judged, like the caller's own. */
  readonly streams: Refs;
  /** The refusal where the caller, by their states now, would not be let in any more. */
  refusal(states: { readonly [name: string]: unknown }, nowMs: number): Rejection | undefined;
}

/**
 * What a command wrote to one stream; only streams with events are listed, in the writes' order,
 * and behind them those that it began.
 */
export interface Written {
  /** The stream, and the version of its last event. */
  readonly stream: string;
  readonly version: number;
  readonly owner: string;
  /** Times of the stream's first and last event, in Unix milliseconds. */
  readonly createdMs: number;
  readonly changedMs: number;
  /** Position of the last event; 0 as long as it has none, see `Remembering.keep`. */
  readonly position: bigint;
  /** What the command recorded in the stream, in order. */
  readonly events: readonly NewEvent[];
}

/** The end of a command, with what its answer says where that was asked for. */
export type Outcome<Answer = undefined> =
  | { readonly kind: "done"; readonly written: readonly Written[]; readonly answer: Answer }
  /** Events that the refusal left are on disk by now. */
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  /**
   * Other processes won every attempt, an id that was just made is there already, or the same
   * command is done.
   */
  | { readonly kind: "conflict" };

/**
 * Has the end of a command remembered with its events, so that it is done once however often it is
 * given. Who gives a command again has looked for that end: see `Store.recall`.
 */
export interface Remembering {
  readonly key: string;
  /**
   * The end as it is remembered. It only computes, before anything is written: what is written is
   * known by its stream and version, and has the position 0 still.
   */
  keep(outcome: Outcome<unknown>): RememberedAnswer;
}

/**
 * What someone wants done: the streams it takes, and the decision as a function of their states.
 */
export interface Deed<
  Writes extends Refs,
  Relies extends Refs,
  Members extends Groups,
  Leads extends Refs,
  Answer,
  Begun extends Begins,
> {
  /** The actor of what a refusal records; left out, the same. */
  readonly refusedActor?: string;
  readonly admission?: Admission;
  /** Whether what belongs to removed organizations counts: for what ends it. */
  readonly isForRemoved?: boolean;
  /** The client id of the application that acts for the user, which each event records. */
  readonly through?: string | undefined;
  /** The bytes that the events of the decision name, where it accepts. */
  readonly attachments?: readonly Uint8Array[];
  /** Families of artifacts that end with what is written; without an event they stay. */
  readonly families?: readonly string[];
  /** Users of whom nothing stays beside the log with what is written: see `Append.users`. */
  readonly users?: readonly string[];
  /**
   * The position of the last event of the one stream that it writes to. At another it is refused,
   * whatever the decision, unless that conceals whether the stream is there.
   */
  readonly expectedPosition?: bigint | undefined;
  /** Left out, the end is not remembered, nor is one in which nothing was written. */
  readonly remembering?: Remembering | undefined;
  /** Streams that the decision may write to. */
  readonly writes: Writes;
  /** Streams that must still be as the decision saw them when its events are written. */
  readonly relies?: Relies;
  /** Further streams to rely on, to which the states of those above lead. */
  leads?(states: States<Writes> & States<Relies>, nowMs: number): Leads;
  /**
   * Groups of streams. The decision is given how many each has, which must still be so when events
   * are written, and what it records for a group is recorded for each of its streams.
   */
  readonly groups?: Members;
  /** Streams that the decision may begin: it records a list of events for each of them. */
  readonly begins?: Begun;
  decide(
    states: States<Writes> & States<Relies> & States<Leads> & Totals<Members>,
    nowMs: number,
  ): Decision<Events<Writes> & GroupEvents<NoInfer<Members>> & BegunEvents<NoInfer<Begun>>>;
  /**
   * The decision instead where there is no room for what `decide` asks to be sent. Left out, the
   * command is refused.
   */
  readonly unsent?: Deed<Writes, Relies, Members, Leads, undefined, Begun>["decide"];
  /**
   * What is answered, from what was written to the one stream that the command writes to. It only
   * computes: where the end is remembered, it is asked for before anything is written as well.
   */
  answer?(written: Written): Answer;
}

/** What someone wants done, and who that is. */
export interface Command<
  Writes extends Refs,
  Relies extends Refs,
  Members extends Groups,
  Leads extends Refs = Record<never, never>,
  Answer = undefined,
  Begun extends Begins = Record<never, never>,
> extends Deed<Writes, Relies, Members, Leads, Answer, Begun> {
  /** The id of the user who wants it, or the name of what does. */
  readonly actor: string;
}

/** A command on any streams, for code that knows neither their names nor their states. */
export type AnyCommand<Answer> = Command<Refs, Refs, Groups, Refs, Answer, Begins>;

/** The most streams that one decision may write to by a group, besides one more of its own. */
export const groupMax = appendLimits.events - 1;
