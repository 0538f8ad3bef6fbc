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
  type Seal,
  type SealedEvent,
} from "../store/chain/chain.ts";
import { hex } from "../store/chain/hash.ts";
import type { LogKeys } from "../store/chain/keys.ts";
import { firstLink } from "../store/chain/link.ts";
import type { ReadLog } from "../store/read-log.ts";
import { nameOf } from "../store/verify/chain.ts";
import { readErasures, type Said } from "./cut-erasures.ts";

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
 * The log up to a position, and behind that the events again which erased something of it since,
 * and one which names what was left out, which is its end. Every event that it gives was looked at.
 * Rejects with a ConfigError where the position is not before the end of the log, where nothing is
 * wrong with it, and where an event up to there is not what was appended, or has no payload and
 * nothing erased it.
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
  const erasures = await readErasures(source, identity, until);
  const { left } = erasures;
  if (left === undefined) {
    throw new ConfigError(
      `The event log ${name} ends at position ${until}: copy it without --until.`,
    );
  }
  if (fault === undefined) {
    throw new ConfigError(`The event log ${name} is not damaged: copy it without --until.`);
  }
  const kept = keptOf(name, source, { until, identity, erasures });
  // To their end, before anything is written.
  for await (const _ of kept(0n));
  const cut = {
    type: "log.history.cut",
    payload: {
      ...{ position: String(until), link: hex(last.link) },
      ...{ leftPosition: String(left.position), leftLink: hex(left.link), fault },
    },
  } satisfies LogEvent;
  const { stream, owner } = begun;
  const [version, payload] = [own.length + 1, JSON.stringify(cut.payload)];
  const said = [...(await erasures.again()), { stream, version, type: cut.type, owner, payload }];
  const timeMs = Math.max(nowMs, last.timeMs);
  const added = sealBehind(last, said, { timeMs, seal: createSeal(identity, random) });
  const cutSource: ReadLog = {
    id: source.id,
    close: source.close,
    at: async (position) =>
      position > until ? added[Number(position - until) - 1] : await source.at(position),
    async *after(position) {
      yield* kept(position);
      yield* added.filter((event) => event.position > position);
    },
  };
  const { position, link } = added.at(-1) ?? last;
  return { source: cutSource, end: { ...identity, position, link } };
}

/** What the operator says behind an event, one after the other. */
function sealBehind(
  last: End,
  all: readonly Said[],
  { timeMs, seal }: { readonly timeMs: number; readonly seal: Seal },
): readonly SealedEvent[] {
  let end = last;
  return all.map((said) => {
    const event = { ...said, position: end.position + 1n, actor: operator, timeMs };
    const sealed = { ...event, ...seal(event, end.link) };
    end = sealed;
    return sealed;
  });
}

interface Keeping {
  readonly until: bigint;
  readonly identity: LogIdentity;
  readonly erasures: Awaited<ReturnType<typeof readErasures>>;
}

/** Makes what reads the events behind a position up to the cut, each of which it looks at. */
function keptOf(name: string, source: ReadLog, { until, identity, erasures }: Keeping) {
  const assertSealed = createAssertion(name, identity);
  return async function* kept(position: bigint) {
    const last = position > 0n ? await source.at(position) : undefined;
    let before: End = last ?? { position: 0n, link: firstLink };
    for await (const one of source.after(position)) {
      if (one.position > until) break;
      assertSealed(one, before);
      if (!erasures.explains(one)) {
        throw new ConfigError(
          `The event log ${name} has no event that erased ${nameOf(one)}: choose position ` +
            `${before.position} or an earlier one.`,
        );
      }
      before = one;
      yield one;
    }
  };
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
