import type { Claim, ObjectRow, RecordedEvent } from "../event.ts";
import type { MessageKey } from "./message.ts";

/**
 * How objects, claims and pending messages follow from events. A store keeps the revision that its
 * rows were made with; opened with a higher one, it makes them anew from the log before it serves.
 * Messages that were pending stay due when they were, others are due at the time of their event. It
 * cannot be opened with a lower one.
 */
export interface Projector {
  readonly revision: number;
  /**
   * All events of one stream, in order, to what an append would have left. Of a stream that was
   * erased, what is `legible` decides.
   */
  project(events: readonly RecordedEvent[]): Projection;
}

/** The object, claims and pending messages that follow from the events of one stream. */
export interface Projection {
  readonly state: string | undefined;
  readonly row: ObjectRow | undefined;
  readonly claims: readonly Claim[];
  readonly messages: readonly MessageKey[];
}
