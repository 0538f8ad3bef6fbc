import { ConfigError } from "../config/config.ts";
import type { LogEvent } from "../domain/log.ts";
import { operator } from "../domain/user/state/made.ts";
import type { LogPlace } from "../log/place.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import {
  createCheck,
  createSeal,
  type End,
  type KnownEnd,
  type LogIdentity,
  type SealedEvent,
} from "../store/chain/chain.ts";
import { hex } from "../store/chain/hash.ts";
import type { LogKeys } from "../store/chain/keys.ts";
import { firstLink } from "../store/chain/link.ts";
import type { ReadLog } from "../store/read-log.ts";

/** What of a log is copied, and why not all. */
interface Cut {
  /** The position of the last event that is copied. */
  readonly until: bigint;
  /** What is wrong with the log; undefined where nothing is. */
  readonly fault: string | undefined;
  readonly keys: LogKeys;
  readonly random: RandomBytes;
  readonly nowMs: number;
}

/**
 * The log up to a position, and behind that an event which names what was left out, which is its
 * end. Every event that it gives was looked at. Rejects with a ConfigError where the position is
 * not before the end of the log, where nothing is wrong with it, and where an event up to there is
 * not what was appended.
 */
export async function cutLog(
  { name, readOwn }: Pick<LogPlace, "name" | "readOwn">,
  source: ReadLog,
  { until, fault, keys, random, nowMs }: Cut,
): Promise<{ readonly source: ReadLog; readonly end: KnownEnd }> {
  // Before the first event there is none, though somebody may have put one there.
  const isKept = ({ position }: Pick<End, "position">) => position > 0n && position <= until;
  const own = (await readOwn()).events.filter(isKept);
  const [begun] = own;
  const last = await source.at(until);
  if (begun === undefined || last === undefined) {
    throw new ConfigError(`The event log ${name} has no position ${until}.`);
  }
  const key = await keys.open(source.id, own);
  const identity = { id: source.id, key };
  const left = await lastOf(source, until);
  if (left === undefined) {
    throw new ConfigError(
      `The event log ${name} ends at position ${until}: copy it without --until.`,
    );
  }
  if (fault === undefined) {
    throw new ConfigError(`The event log ${name} is not damaged: copy it without --until.`);
  }
  const cut = {
    type: "log.history.cut",
    payload: {
      ...{ position: String(until), link: hex(last.link) },
      ...{ leftPosition: String(left.position), leftLink: hex(left.link), fault },
    },
  } satisfies LogEvent;
  const event = {
    ...{ position: until + 1n, stream: begun.stream, version: own.length + 1, type: cut.type },
    ...{ owner: begun.owner, actor: operator, timeMs: Math.max(nowMs, last.timeMs) },
    payload: JSON.stringify(cut.payload),
  };
  const end = { ...event, ...createSeal(identity, random)(event, last.link) };
  const assertSealed = createAssertion(name, identity);
  const cutSource: ReadLog = {
    id: source.id,
    close: source.close,
    at: async (position) => {
      if (position > until) return position === end.position ? end : undefined;
      return await source.at(position);
    },
    async *after(position) {
      const last = position > 0n ? await source.at(position) : undefined;
      let before: End = last ?? { position: 0n, link: firstLink };
      for await (const one of source.after(position)) {
        if (one.position > until) break;
        assertSealed(one, before);
        before = one;
        yield one;
      }
      if (position <= until) yield end;
    },
  };
  return { source: cutSource, end: { ...identity, position: end.position, link: end.link } };
}

/** Makes the function that throws a ConfigError where an event is not what was appended. */
function createAssertion(name: string, identity: LogIdentity) {
  const check = createCheck(identity);
  return (event: SealedEvent, before: End) => {
    const next = before.position + 1n;
    if (event.position === next && check(event, before.link).length === 0) return;
    throw new ConfigError(
      `The event log ${name} is already damaged at position ${next}: choose an earlier position.`,
    );
  };
}

/** The last event behind a position; undefined where there is none. */
async function lastOf(source: ReadLog, after: bigint): Promise<SealedEvent | undefined> {
  let last: SealedEvent | undefined;
  for await (const event of source.after(after)) last = event;
  return last;
}
