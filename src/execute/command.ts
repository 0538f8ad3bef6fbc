import type { Decision, Rejection } from "../domain/decision.ts";
import type { Noun } from "../domain/noun.ts";
import type { ClaimGroup, NewEvent } from "../event.ts";
import { appendLimits } from "../store/store.ts";

/** A stream that a command loads. One that the command may begin says whose it will be. */
export interface StreamRef<State, Event extends NewEvent> {
  readonly noun: Noun<State, Event>;
  readonly id: string;
  readonly owner?: string;
  /** Whether the id was just made: then the stream is taken for absent until the append says no. */
  readonly isNew?: boolean;
}

/** The streams that hold claims of a kind in a scope, however many there are. */
export interface GroupRef<Event extends NewEvent> extends ClaimGroup {
  readonly noun: Noun<unknown, Event>;
}

/** Streams under the names that a command gives them. */
export type Refs = { readonly [name: string]: StreamRef<unknown, NewEvent> };
/** Groups of streams under the names that a command gives them. */
export type Groups = { readonly [name: string]: GroupRef<NewEvent> };

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

/**
 * The token and the permission that let the caller in, judged once more on the state that the
 * append is checked against: whoever takes a token or a role away wants it to do nothing more.
 */
export interface Admission {
  /** The caller's own stream. */
  readonly holder: StreamRef<unknown, NewEvent>;
  /** The refusal where the caller, as it is now, would not be let in any more. */
  refusal(holder: unknown, nowMs: number): Rejection | undefined;
}

/**
 * What someone wants done: the streams it takes, and the decision as a function of their states.
 */
export interface Command<
  Writes extends Refs,
  Relies extends Refs,
  Members extends Groups,
  Leads extends Refs = Record<never, never>,
> {
  /** The id of the user who wants it. */
  readonly actor: string;
  readonly admission?: Admission;
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
  decide(
    states: States<Writes> & States<Relies> & States<Leads> & Totals<Members>,
    nowMs: number,
  ): Decision<Events<Writes> & GroupEvents<Members>>;
  /**
   * The decision instead where there is no room for what `decide` asks to be sent. Left out, the
   * command is refused.
   */
  readonly unsent?: Command<Writes, Relies, Members, Leads>["decide"];
}

/** The most streams that one decision may write to by a group, besides one more of its own. */
export const groupMax = appendLimits.events - 1;
