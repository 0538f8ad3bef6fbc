import type { RecordedEvent } from "../event.ts";
import { isAppended } from "./after-append.ts";
import type { AppendResult } from "./store.ts";

/** What is kept of the payload of an event that was erased. */
export const erasedPayload = "";

/** Whether the payload of an event was erased; no event is appended with an empty one. */
export function isErased({ payload }: Pick<RecordedEvent, "payload">): boolean {
  return payload === erasedPayload;
}

/**
 * Whether an event of the type erases its stream: the payloads of all events before it go with it,
 * in the same transaction. It is the last event of its stream.
 */
export function erasesAll(type: string): boolean {
  return type.endsWith(".erased");
}

/**
 * Whether an event of the type erases something in its stream: all, or what has been kept for long
 * enough, which its payload names as `Forgotten`, and all events of its own type.
 */
export function isErasing(type: string): boolean {
  return erasesAll(type) || type.endsWith(".forgotten");
}

/** The same as a regular expression of POSIX, and that of all that is erased. */
export const [erasingTypes, erasingAllTypes] = ["[.](erased|forgotten)$", "[.]erased$"] as const;

/** Those of some events that erase something in their streams, and still say what. */
export function erasuresIn<Event extends RecordedEvent>(
  events: readonly Event[],
): readonly Event[] {
  return events.filter((event) => isErasing(event.type) && !isErased(event));
}

/** What an event erases that does not erase its whole stream. */
export interface Forgotten {
  /** The version up to which it erases. */
  readonly through: number;
  /** The types of the events. */
  readonly types: readonly string[];
}

type Saying = Pick<RecordedEvent, "type" | "version" | "payload">;

/** Tells which events of its stream an event erases. */
export function erasureOf({ type, version, payload }: Saying): (before: Saying) => boolean {
  if (erasesAll(type)) return (before) => before.version < version;
  if (!isErasing(type) || isErased({ payload })) return () => false;
  const { through, types } = JSON.parse(payload) as Forgotten;
  return (before) =>
    before.version < version &&
    (before.type === type || (before.version <= through && types.includes(before.type)));
}

/** Whether an append has erased something. */
export function hasErased(result: AppendResult): boolean {
  return isAppended(result) && result.events.some(({ type }) => isErasing(type));
}

/** Tells of the events of a stream which others of them erase: by the position of the latest. */
function erasing<Event extends RecordedEvent>(
  events: readonly Event[],
): (event: Event) => Event | undefined {
  const erasures = events
    .filter(({ type }) => isErasing(type))
    .map((by) => ({ by, erases: erasureOf(by) }));
  return (event) => erasures.findLast(({ erases }) => erases(event))?.by;
}

/**
 * What can be read of the events of a stream: all but those that others of them erase. Any other
 * event without a payload cannot be read.
 */
export function legible(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const by = erasing(events);
  return events.filter((event) => by(event) === undefined);
}

/** The events of several streams as they are once those among them that erase are written. */
export function withoutErased<Event extends RecordedEvent>(
  events: readonly Event[],
): readonly Event[] {
  const streams = Map.groupBy(events, ({ stream }) => stream);
  const by = new Map([...streams].map(([stream, own]) => [stream, erasing(own)]));
  return events.map((event) =>
    by.get(event.stream)?.(event) === undefined ? event : { ...event, payload: erasedPayload },
  );
}

/** What does not go with the erasures of a stream: which event, and what is wrong with it. */
export function erasureFaults(
  events: readonly RecordedEvent[],
): readonly { readonly event: RecordedEvent; readonly fault: string }[] {
  const by = erasing(events);
  return events.flatMap((event) => {
    const erased = by(event);
    if (isErased(event) === (erased !== undefined)) return [];
    const fault =
      erased === undefined
        ? "its payload is gone, and no event of its stream erased it"
        : `it has a payload, which the event at position ${erased.position} erased`;
    return [{ event, fault }];
  });
}
