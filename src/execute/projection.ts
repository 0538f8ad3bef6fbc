import { type Noun, unknownEvent } from "../domain/noun.ts";
import { type Asked, quotasOf, type SendLimits } from "../domain/sending.ts";
import type { Envelope, NewEvent, RecordedEvent } from "../event.ts";
import { legible } from "../store/erasure.ts";
import type { Asking, MessageKey } from "../store/message.ts";
import type { Projection, Projector } from "../store/projector.ts";
import { readPayload } from "./payload.ts";

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
      for (const recorded of legible(events)) {
        const event = readEvent(noun, recorded);
        state = noun.evolve(state, event);
        messages =
          state === undefined ? [] : findPending(noun, messages, event, state, recorded.position);
      }
      return { ...projectObject(noun, state), messages };
    },
  };
}

/** Makes what tells the messages that a log asked for, with the quotas that there are by now. */
export function createAsking({ nounOf }: Pick<Nouns, "nounOf">, limits: SendLimits): Asking {
  return (events) => {
    const noun = nounOf(events[0]?.stream ?? "");
    if (noun.messages === undefined) return [];
    let state: unknown;
    return legible(events).flatMap((recorded) => {
      const { position, owner } = recorded;
      const event = readEvent(noun, recorded);
      state = noun.evolve(state, event);
      return askedBy(noun, event, state).map((asked) => {
        return { position, field: asked.field, quotas: quotasOf(asked, owner, limits) };
      });
    });
  };
}

/** What an event asks to be sent, with the state that it leaves. */
export function askedBy<State, Event extends NewEvent>(
  { messages }: Pick<Noun<State, Event>, "messages">,
  event: Event,
  state: State | undefined,
): readonly Asked[] {
  return state === undefined ? [] : (messages?.(event, state) ?? []);
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
  const asked = askedBy(noun, event, state);
  const settled = noun.settles?.(event);
  const isSettled = (key: MessageKey) =>
    key.position === settled?.position && key.field === settled.field;
  return [...before, ...asked.map(({ field }) => ({ position, field }))].filter(
    (key) => !isSettled(key),
  );
}

/** The event as the noun takes it. Throws a TypeError where the noun has none of that type. */
function readEvent(
  { events }: Pick<Noun<unknown, NewEvent>, "events">,
  event: RecordedEvent,
): NewEvent & Envelope {
  const { type, owner, actor, timeMs } = event;
  if (!Object.hasOwn(events, type)) return unknownEvent({ type } as never);
  return { type, payload: readPayload(event.payload), owner, actor, timeMs };
}
