import { type Check, type End, isSame, type SealedEvent } from "../chain/chain.ts";
import { Forged, forgedEvent } from "../chain/forged.ts";
import { missing } from "../verify/text.ts";
import { raised, refused, unsound } from "./errors.ts";
import { linkAt, readHead } from "./head.ts";
import type { PostgresLimits } from "./limits.ts";
import { momentOf } from "./moment.ts";
import type { Pool } from "./pool.ts";
import { lookingBack, type Seen } from "./seen.ts";

/** How far a process has followed the chain of a log: up to there it is what was appended. */
export interface Checked {
  /**
   * The position behind which an append must not find events. Undefined where others write at the
   * same time: then what they wrote is checked before the append is answered.
   */
  bound(): bigint | undefined;
  /** Checks an event, and that it follows the last one where it is the next. Throws `Forged`. */
  look(event: SealedEvent): void;
  /**
   * What is to be said of what was thrown: where a sound event does not follow the last one because
   * that is lost, as by a server that took over without it, the log was changed, and not forged.
   */
  judge(error: unknown): Promise<unknown>;
  /**
   * Checks what others have appended, up to a position or to the end of the log. Rejects with
   * `StoreUnavailable`, of a log that was changed where something is not what was appended.
   */
  follow(through?: bigint): Promise<void>;
  /** Throws `StoreUnavailable` where what was answered of an append cannot be what was written. */
  assert(isWritten: boolean): void;
  /** The link of the event up to which the chain was followed; undefined if that is another. */
  linkAt(position: bigint): Uint8Array | undefined;
  /** Takes up where this process has written to, behind what was checked. */
  wrote(end: End): void;
  /** What is wrong with the log, once it is known: nothing is written behind that. */
  fault(): string | undefined;
}

const untrue =
  "the database answers of a write what cannot be so: somebody has changed what it runs";

interface CheckedOptions {
  readonly check: Check;
  readonly limits: Pick<PostgresLimits, "eventsAtOnce" | "bytesAtOnce" | "besideMs">;
}

/** Begins at the end that was seen, up to which it was checked. What it checks is seen, too. */
export function createChecked(pool: Pool, { check, limits }: CheckedOptions, seen: Seen): Checked {
  const back = lookingBack(pool, seen);
  let end = seen.end();
  let fault: string | undefined;
  /** About events with the right MAC that do not follow the end. */
  const unlinked = new WeakSet<Forged>();
  /** When events of others were found at last that are what they appended. */
  let besideMs = Number.NEGATIVE_INFINITY;

  function look(event: SealedEvent, isOurs = true): void {
    const { position, link } = event;
    const isNext = position === end.position + 1n;
    const faults = check(event, isNext ? end.link : undefined);
    if (faults.length > 0) {
      const forged = forgedEvent(event, faults);
      if (!faults.includes("MAC")) unlinked.add(forged);
      throw forged;
    }
    if (isNext && isOurs) end = { position, link };
  }

  async function judge(error: unknown): Promise<unknown> {
    if (!(error instanceof Forged && unlinked.has(error)) || end.position === 0n) return error;
    try {
      const link = await linkAt(pool, end.position);
      return link !== undefined && isSame(link, end.link) ? error : refused(raised.history);
    } catch (failure) {
      return failure;
    }
  }

  function refuse(error: Forged): never {
    fault = error.message;
    throw unsound(fault, error);
  }

  async function lookAt(after: bigint, through: bigint): Promise<void> {
    const events = await momentOf(back, limits).events(after, through);
    if (!seen.isKept()) throw refused(raised.history);
    for (const event of events) look(event);
    seen.note(end);
    const last = events.at(-1)?.position ?? through;
    if (end.position >= last) return;
    // What was the end a moment ago is lost, as by a server that took over meanwhile.
    const isLost = events.length === 0 && (await readHead(pool)).position < through;
    if (isLost) throw refused(raised.history);
    const where = { stream: "", position: String(end.position + 1n) };
    throw new Forged(`the log: ${missing("position", end.position + 1n, last)}`, where);
  }

  return {
    // While the log lacks what was seen, what is read may be what another server went on with.
    look: (event) => look(event, seen.isKept()),
    judge,
    bound: () => (performance.now() - besideMs < limits.besideMs ? undefined : end.position),
    async follow(through) {
      const until = through ?? (await readHead(pool)).position;
      try {
        while (end.position < until) {
          await lookAt(end.position, until);
          besideMs = performance.now();
        }
      } catch (thrown) {
        const error = await judge(thrown);
        if (!(error instanceof Forged)) throw error;
        refuse(error);
      }
    },
    assert(isWritten) {
      if (!isWritten) refuse(new Forged(untrue, { stream: "" }));
    },
    linkAt: (position) => (position === end.position ? end.link : undefined),
    wrote(written) {
      if (written.position >= end.position) end = written;
    },
    fault: () => fault,
  };
}
