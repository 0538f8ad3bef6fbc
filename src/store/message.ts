import type { Quota, RecordedEvent } from "../event.ts";

/** A field of one of the events of a change, by its index there, that becomes a pending message. */
export interface NewMessage {
  readonly event: number;
  readonly field: string;
  /**
   * The quotas that it counts against, none where this is left out. Each counts it at the time at
   * which those before it have room for it; it is due when all have, so at once if they have now.
   */
  readonly quotas?: readonly Quota[];
}

/** A message is named by the event that asked for it and one of the fields of its payload. */
export interface MessageKey {
  readonly position: bigint;
  readonly field: string;
}

/** A message that was asked for, whatever became of it, and the quotas that it counts against. */
export interface AskedMessage extends MessageKey {
  readonly quotas: readonly Quota[];
}

/** All that the events of one stream, in order, asked to be sent. */
export type Asking = (events: readonly RecordedEvent[]) => readonly AskedMessage[];

/** A question for messages to deliver. */
export interface LeaseQuery {
  /** The types of the events that asked for the messages; left out, whatever they are. */
  readonly types?: readonly string[];
  readonly nowMs: number;
  readonly leaseMs: number;
  /**
   * The longest that anybody makes a leased message wait. One that was leased before and is due
   * later than that from now was put off while a clock was ahead, and is due at once.
   */
  readonly pauseMaxMs?: number;
  readonly limit: number;
}

/** Messages that wait; of each kind at most `messagesCounted` are counted. */
export interface WaitingMessages {
  /** Those that wait for their quota. */
  readonly postponedMessages: number;
  readonly dueMessages: number;
  /** Those that are on their way, or failed and will be tried again. */
  readonly retriedMessages: number;
  /** Milliseconds since the oldest of the last two kinds was due for the first time. */
  readonly oldestMessageMs: number;
}

/** A message that the caller is to deliver. It holds nothing that is not in the log. */
export interface LeasedMessage {
  /** The event that asked for it. */
  readonly event: RecordedEvent;
  readonly field: string;
  /** The number of leases of the message, this one included. */
  readonly attempts: number;
  /** When it was due for the first time, in Unix milliseconds. */
  readonly sinceMs: number;
}
