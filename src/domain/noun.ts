import type { Claim, Envelope, NewEvent, ObjectRow } from "../event.ts";

/**
 * A kind of thing that has an id and a life of its own, as pure functions over its events. The
 * stream of one such thing is `<kind>-<id>`.
 */
export interface Noun<State, Event extends NewEvent> {
  readonly kind: string;
  /** The state after an event; undefined when it removed the thing. State is plain JSON. */
  evolve(state: State | undefined, event: Event & Envelope): State | undefined;
  /** Every claim the stream holds in this state. */
  claims(state: State): readonly Claim[];
  row(state: State): Omit<ObjectRow, "kind">;
  /** The payload fields, of whatever event, with secrets, sealed or hashed; they are not shown. */
  readonly secrets: readonly string[];
  /** The fields of an event's payload that somebody must be sent; none where this is left out. */
  messages?(event: Event): readonly string[];
  /** The message of an earlier event of the stream that this one says is sent or given up. */
  settles?(event: Event): Settled | undefined;
}

/** The payload of an event that says it all by its type. */
export type Nothing = { readonly [name: string]: never };

/** A message by the position of the event that asked for it and the field of its payload. */
export interface Settled {
  readonly position: bigint;
  readonly field: string;
}

export function streamOf(noun: { readonly kind: string }, id: string): string {
  return `${noun.kind}-${id}`;
}

/** The id in the name of a stream of this noun; throws a TypeError where it is another's. */
export function idOf(noun: { readonly kind: string }, stream: string): string {
  const prefix = streamOf(noun, "");
  if (!stream.startsWith(prefix)) throw new TypeError(`${stream} is no ${noun.kind}`);
  return stream.slice(prefix.length);
}

/** For the default branch of a switch: a missing case does not compile. */
export function unknownEvent(event: never): never {
  throw new TypeError(`no case for the event ${JSON.stringify(event)}`);
}

/** For a state that the events before must have made; its absence means a damaged log. */
export function existing<State>(state: State | undefined): State {
  if (state === undefined) throw new TypeError("the first event of the stream is missing");
  return state;
}
