import type { Noun } from "../domain/noun.ts";
import type { Envelope, NewEvent, RecordedEvent } from "../event.ts";
import type { MessageKey } from "../store/message.ts";
import type { Projection, Projector } from "../store/projector.ts";

/** Makes the projector by which stores derive objects, claims and pending messages from the log. */
export function createProjector({ revision, nounOf }: Nouns): Projector {
  return {
    revision,
    project(events) {
      const [first] = events;
      if (first === undefined) return { ...removedObject, messages: [] };
      const noun = nounOf(first.stream);
      let state: unknown;
      let messages: readonly MessageKey[] = [];
      for (const recorded of events) {
        const event = readEvent(recorded);
        state = noun.evolve(state, event);
        messages =
          state === undefined ? [] : findPending(noun, messages, event, state, recorded.position);
      }
      return { ...projectObject(noun, state), messages };
    },
  };
}

/** The nouns whose events are in a log. */
export interface Nouns {
  /** The number of the way in which state, claims, rows and messages follow from events. */
  readonly revision: number;
  /** The noun of a stream by its name. */
  nounOf(stream: string): Noun<unknown, NewEvent>;
}

/** Projects the state of a stream to what an append stores besides events and messages. */
export function projectObject<State, Event extends NewEvent>(
  noun: Noun<State, Event>,
  state: State | undefined,
): Omit<Projection, "messages"> {
  if (state === undefined) return removedObject;
  return {
    state: JSON.stringify(state),
    row: { kind: noun.kind, ...noun.row(state) },
    claims: noun.claims(state),
  };
}

const removedObject = { state: undefined, row: undefined, claims: [] } as const;

function findPending(
  noun: Noun<unknown, NewEvent>,
  before: readonly MessageKey[],
  event: NewEvent,
  state: unknown,
  position: bigint,
): readonly MessageKey[] {
  const asked = noun.messages?.(event, state) ?? [];
  const settled = noun.settles?.(event);
  const isSettled = (key: MessageKey) =>
    key.position === settled?.position && key.field === settled.field;
  return [...before, ...asked.map(({ field }) => ({ position, field }))].filter(
    (key) => !isSettled(key),
  );
}

function readEvent(event: RecordedEvent): NewEvent & Envelope {
  const { type, owner, actor, timeMs } = event;
  return { type, payload: JSON.parse(event.payload), owner, actor, timeMs };
}
