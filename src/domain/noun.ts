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
}

export function streamOf(noun: { readonly kind: string }, id: string): string {
  return `${noun.kind}-${id}`;
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
