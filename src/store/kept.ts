import type { MessageKey } from "./message.ts";

/** The part of a store that shows what it keeps of somebody, for those who answer for it. */
export interface Kept {
  /**
   * The pending messages of a stream, of which at most `limit` are answered, those that are due
   * first. One that is leased is due when its lease is over.
   */
  pendingMessages(stream: string, limit: number): Promise<readonly PendingMessage[]>;

  /** How many answers are remembered of a caller; what is over counts until it is removed. */
  rememberedOf(caller: string): Promise<Remembered>;
}

/** A message that was asked for and is not settled. */
export interface PendingMessage extends MessageKey {
  /** Unix milliseconds. */
  readonly dueMs: number;
}

/** The answers that are remembered of a caller. */
export interface Remembered {
  readonly count: number;
  /** When the newest was given, in Unix milliseconds; undefined where there is none. */
  readonly newestMs: number | undefined;
}
