import type { RecordedEvent } from "../event.ts";
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
export function isErasing(type: string): boolean {
  return type.endsWith(".erased");
}

/** The same as a pattern of SQL. */
export const erasingTypes = "%.erased";

/** Whether an append has erased something. */
export function hasErased(result: AppendResult): boolean {
  return result.kind === "appended" && result.events.some(({ type }) => isErasing(type));
}

/**
 * What can be read of the events of a stream: all of them, or from the event on that erased it. Any
 * other event without a payload cannot be read.
 */
export function legible(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const erasing = events.findLastIndex(({ type }) => isErasing(type));
  return erasing < 0 ? events : events.slice(erasing);
}

/** The events of several streams as they are once those among them that erase are written. */
export function withoutErased<Event extends RecordedEvent>(
  events: readonly Event[],
): readonly Event[] {
  const erasing = events.filter(({ type }) => isErasing(type));
  const versions = new Map(erasing.map(({ stream, version }) => [stream, version]));
  return events.map((event) =>
    event.version < (versions.get(event.stream) ?? 0)
      ? { ...event, payload: erasedPayload }
      : event,
  );
}

/** What does not go with the erasures of a stream: which event, and what is wrong with it. */
export function erasureFaults(
  events: readonly RecordedEvent[],
): readonly { readonly event: RecordedEvent; readonly fault: string }[] {
  const erasing = events.findLast(({ type }) => isErasing(type));
  return events.flatMap((event) => {
    const isToBe = erasing !== undefined && event.version < erasing.version;
    if (isErased(event) === isToBe) return [];
    const fault = isToBe
      ? `it has a payload, which the event at position ${erasing.position} erased`
      : "its payload is gone, and no event of its stream erased it";
    return [{ event, fault }];
  });
}
