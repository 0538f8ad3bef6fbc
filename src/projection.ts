import type { Noun } from "./domain/noun.ts";
import { nounOf } from "./domain/nouns.ts";
import type { Envelope, NewEvent, RecordedEvent } from "./event.ts";
import type { Projection, Projector } from "./store/store.ts";

/**
 * How objects and claims follow from the log, for stores to make them anew. Whoever changes what
 * an `evolve`, `claims` or `row` makes of events that exist already raises the revision.
 */
export const projector: Projector = {
  revision: 1,
  project(events) {
    const [first] = events;
    if (first === undefined) return nothing;
    const noun = nounOf(first.stream);
    let state: unknown;
    for (const event of events) state = noun.evolve(state, opened(event));
    return projectionOf(noun, state);
  },
};

/** What an append stores of a stream besides its events. */
export function projectionOf<State, Event extends NewEvent>(
  noun: Noun<State, Event>,
  state: State | undefined,
): Projection {
  if (state === undefined) return nothing;
  return {
    state: JSON.stringify(state),
    row: { kind: noun.kind, ...noun.row(state) },
    claims: noun.claims(state),
  };
}

const nothing: Projection = { state: undefined, row: undefined, claims: [] };

function opened(event: RecordedEvent): NewEvent & Envelope {
  const { type, owner, actor, timeMs } = event;
  return { type, payload: JSON.parse(event.payload), owner, actor, timeMs };
}
