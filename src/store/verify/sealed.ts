import { type Check, createCheck, type End, type LogIdentity } from "../chain/chain.ts";
import { createStateMac, isSealedObject, type StateMac } from "../chain/state.ts";
import type { Steps } from "../progress.ts";
import {
  type ChainWalk,
  type Checked,
  type NamedHead,
  type PassedEvent,
  walkChain,
} from "./chain.ts";
import { unexplained } from "./derived.ts";
import { type LogReader, walk, walkRows } from "./reader.ts";
import { type ObjectRow, toObject } from "./rows.ts";
import { legible, type Report } from "./text.ts";

/** How what is sealed is checked: events by the chain, objects by their MACs. */
export interface Seals {
  /** The id of the log. */
  readonly id: string;
  readonly check: Check;
  /** Left out, no MAC of an object is checked. */
  readonly macOf?: StateMac | undefined;
  /** Where the store says that the log ends; left out, it says it nowhere but by its last event. */
  readonly own?: (() => readonly End[]) | undefined;
  readonly heads?: readonly NamedHead[];
  readonly steps?: Steps | undefined;
  /**
   * Whether nothing else of the log is looked at. Then positions are counted before anything else,
   * which costs one scan of an index, and the version of each object is compared with its stream's.
   */
  readonly isAlone?: boolean;
  /** Whether objects are left out. */
  readonly isOfChain?: boolean;
}

/** A log by its id, and by the key of its MACs where that is known. */
export type SealsIdentity = Pick<LogIdentity, "id"> & Partial<LogIdentity>;

/** How what is sealed with a key is checked. */
export function sealsOf({ id, key }: SealsIdentity): Pick<Seals, "id" | "check" | "macOf"> {
  if (key === undefined) return { id, check: createCheck({ id }) };
  return { id, check: createCheck({ id, key }), macOf: createStateMac({ id, key }) };
}

/** Who hears what a check comes to. */
export interface Hear {
  /** Is told of each damage. */
  report: Report;
  /** Is told, where it rests, how many events were looked at. */
  count(events: number): void;
}

/** A check of all that is sealed in a log, which goes on until it is done or stopped. */
export interface SealsCheck<Counts = { readonly events: number }> {
  /** Resolves to what there is; rejects where it cannot be read, or the check was stopped. */
  readonly checked: Promise<Counts>;
  /** Ends it, within a piece. */
  stop(): Promise<void>;
}

/** What a look at everything that is sealed came to. */
export interface CheckedSeals extends Checked {
  readonly objects: number;
}

/**
 * Checks the chain up to where it ends now, and then that each object is as it was written, by one
 * whose stream there is. The log may go on meanwhile.
 */
export async function checkSeals(
  reader: LogReader,
  seals: Seals,
  report: Report,
): Promise<CheckedSeals> {
  const { id, check, own, heads = [], steps, isAlone, isOfChain } = seals;
  const { chain, last } = await reader.at(async (moment) => {
    const { events, end } = await moment.size();
    if (isAlone && events !== end) {
      report(`log: it has ${events} events at the positions up to ${end}`);
    }
    const span = { id, last: end, own: own?.(), heads, steps };
    return { chain: walkChain(check, report, span), last: end };
  });
  await followChain(reader, chain, last);
  const checked = chain.end();
  const objects = isOfChain ? 0 : await checkObjects(reader, seals, report);
  return { ...checked, objects };
}

/** Has the walk look at the events up to a position. */
async function followChain(reader: LogReader, chain: ChainWalk, last: bigint): Promise<void> {
  await walk<PassedEvent>(
    reader,
    (moment, before) => moment.events(before?.position ?? chain.from, last),
    (events) => events.forEach(chain.look),
  );
}

/** Answers how many there are. */
async function checkObjects(
  reader: LogReader,
  { macOf, isAlone = false }: Seals,
  report: Report,
): Promise<number> {
  let objects = 0;
  const look = (object: ObjectRow) => {
    objects += 1;
    const name = `object ${legible(object.stream)}`;
    if (macOf !== undefined && !isSealedObject(macOf, toObject(object), object, object.mac)) {
      report(`${name}: it is not what was written (its MAC)`);
    }
    const { newest, version } = object;
    if (newest === null) report(`${name}: ${unexplained}`);
    // Damage to the events of a stream is reported by the check of all events.
    else if (isAlone && newest !== version) {
      report(`${name}: it is of version ${version}, and the log has version ${newest}`);
    }
  };
  await walkRows(reader, "objects", (rows) => rows.forEach(look));
  return objects;
}
