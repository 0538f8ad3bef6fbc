import { attachedTo } from "./attachment.ts";
import type { BroughtEvent, SealedEvent } from "./chain/chain.ts";

/** A log whose events are read as they were sealed, and not changed. */
export interface ReadLog {
  readonly id: string;
  /** The event at a position; undefined where there is none. */
  at(position: bigint): Promise<SealedEvent | undefined>;
  /**
   * The events behind a position, in order, to the end that the log has when it comes there. Throws
   * an `Error` where the bytes are missing that one names, or are others.
   */
  after(position: bigint): AsyncGenerator<BroughtEvent>;
  close(): Promise<void>;
}

/** How a log is read. */
interface LogSource {
  /** Some of the events behind a position, and none behind the last. */
  read(after: bigint): Promise<readonly SealedEvent[]>;
  /** The bytes that an event names. */
  attachment(digest: string): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/** Makes it of how it is read. */
export function readLogBy(id: string, { read, attachment, close }: LogSource): ReadLog {
  async function brought(event: SealedEvent, digest: string): Promise<BroughtEvent> {
    const attached = await attachment(digest);
    if (attached !== undefined) return { ...event, attached };
    throw new Error(
      `the bytes that the event at position ${event.position} names are missing: run verify for more`,
    );
  }
  return {
    id,
    at: async (position) => {
      const [event] = await read(position - 1n);
      return event?.position === position ? event : undefined;
    },
    async *after(position) {
      for (let last = position; ; ) {
        const events = await read(last);
        for (const event of events) {
          const digest = attachedTo(event);
          yield digest === undefined ? event : await brought(event, digest);
        }
        const [end] = events.slice(-1);
        if (end === undefined) return;
        last = end.position;
      }
    },
    close,
  };
}
