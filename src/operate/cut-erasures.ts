import { createCheck, type LogIdentity, type SealedEvent } from "../store/chain/chain.ts";
import { erasureOf, erasuresIn, isErased } from "../store/erasure.ts";
import type { ReadLog } from "../store/read-log.ts";

/** An event that erases others of its stream. */
interface Erasure {
  readonly position: bigint;
  readonly erases: ReturnType<typeof erasureOf>;
  /** Whether it erases something up to the cut. */
  isNeeded: boolean;
}

/** What an event says that the operator writes behind the cut. */
export type Said = Pick<SealedEvent, "stream" | "version" | "type" | "owner" | "payload">;

/**
 * Reads the erasures of a log that is cut behind a position. One whose MAC holds is believed
 * wherever it lies, be it behind the damage: nobody writes it without the key.
 */
export async function readErasures(source: ReadLog, identity: LogIdentity, until: bigint) {
  const check = createCheck(identity);
  const streams = new Map<string, Erasure[]>();
  const versions = new Map<string, number>();
  let left: SealedEvent | undefined;
  for await (const event of source.after(0n)) {
    if (event.position > until) left = event;
    for (const by of erasuresIn([event])) {
      if (check(by, undefined).length > 0) continue;
      const erasures = streams.get(by.stream) ?? [];
      const { position } = by;
      // Without what it says, which may be all that a person did.
      streams.set(by.stream, [...erasures, { position, erases: erasureOf(by), isNeeded: false }]);
    }
  }
  return {
    /** The last event that is left out; undefined where the log ends before. */
    left,
    /** Is told of each event up to the cut; answers whether it is readable, or was erased. */
    explains: (event: SealedEvent): boolean => {
      const { stream, version } = event;
      const erasing = (streams.get(stream) ?? []).filter(({ erases }) => erases(event));
      if (streams.has(stream)) versions.set(stream, version);
      for (const erasure of erasing) erasure.isNeeded = true;
      return !isErased(event) || erasing.length > 0;
    },
    /** What is left out and has erased what is not, as the next events of its streams. */
    again: async () => {
      const again: Said[] = [];
      for (const { position, isNeeded } of [...streams.values()].flat()) {
        const by = isNeeded && position > until ? await source.at(position) : undefined;
        if (by === undefined) continue;
        const { stream, type, owner, payload } = by;
        const version = (versions.get(stream) ?? 0) + 1;
        versions.set(stream, version);
        again.push({ stream, version, type, owner, payload });
      }
      return again;
    },
  };
}
