import type { Noun } from "./domain/noun.ts";
import { nounOf } from "./domain/nouns.ts";
import type { Envelope, NewEvent, RecordedEvent } from "./event.ts";
import type { MessageKey, Projection, Projector } from "./store/store.ts";

/**
 * How objects, claims and pending messages follow from the log, for stores to make them anew.
 * Whoever adds an event, or changes what an `evolve`, `claims`, `row`, `messages` or `settles`
 * makes of events that exist already, raises the revision.
 */
export const projector: Projector = {
  revision: 3,
  project(events) {
    const [first] = events;
    if (first === undefined) return { ...nothing, messages: [] };
    const noun = nounOf(first.stream);
    let state: unknown;
    let messages: readonly MessageKey[] = [];
    for (const recorded of events) {
      const event = opened(recorded);
      state = noun.evolve(state, event);
      messages = state === undefined ? [] : pendingAfter(noun, messages, event, recorded.position);
    }
    return { ...projectionOf(noun, state), messages };
  },
};

/** What an append stores of a stream besides its events and messages. */
export function projectionOf<State, Event extends NewEvent>(
  noun: Noun<State, Event>,
  state: State | undefined,
): Omit<Projection, "messages"> {
  if (state === undefined) return nothing;
  return {
    state: JSON.stringify(state),
    row: { kind: noun.kind, ...noun.row(state) },
    claims: noun.claims(state),
  };
}

const nothing = { state: undefined, row: undefined, claims: [] } as const;

function pendingAfter(
  noun: Noun<unknown, NewEvent>,
  before: readonly MessageKey[],
  event: NewEvent,
  position: bigint,
): readonly MessageKey[] {
  const asked = noun.messages?.(event) ?? [];
  const settled = noun.settles?.(event);
  const isSettled = (key: MessageKey) =>
    key.position === settled?.position && key.field === settled.field;
  return [...before, ...asked.map((field) => ({ position, field }))].filter(
    (key) => !isSettled(key),
  );
}

function opened(event: RecordedEvent): NewEvent & Envelope {
  const { type, owner, actor, timeMs } = event;
  return { type, payload: JSON.parse(event.payload), owner, actor, timeMs };
}
