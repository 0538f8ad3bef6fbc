import type { SealedEvent } from "./chain/chain.ts";

/** A log whose events are read as they were sealed, and not changed. */
export interface ReadLog {
  readonly id: string;
  /** The event at a position; undefined where there is none. */
  at(position: bigint): Promise<SealedEvent | undefined>;
  /** The events behind a position, in order, to the end that the log has when it comes there. */
  after(position: bigint): AsyncGenerator<SealedEvent>;
  close(): Promise<void>;
}

/** Makes it of what reads some of the events behind a position, and none behind the last. */
export function readLogBy(
  id: string,
  read: (after: bigint) => Promise<readonly SealedEvent[]>,
  close: () => Promise<void>,
): ReadLog {
  return {
    id,
    at: async (position) => {
      const [event] = await read(position - 1n);
      return event?.position === position ? event : undefined;
    },
    async *after(position) {
      for (let last = position; ; ) {
        const events = await read(last);
        yield* events;
        const [end] = events.slice(-1);
        if (end === undefined) return;
        last = end.position;
      }
    },
    close,
  };
}
