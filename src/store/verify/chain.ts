import type { RecordedEvent } from "../../event.ts";
import { type Check, type End, isSame, type SealedEvent } from "../chain/chain.ts";
import { faultOf, type LogHead } from "../chain/head.ts";
import { firstLink } from "../chain/link.ts";
import type { Steps } from "../progress.ts";
import { legible, missing, type Report } from "./text.ts";

/** A head that was kept outside of the log, by the name of what holds it. */
export interface NamedHead {
  readonly name: string;
  readonly head: LogHead;
}

/** Below every position, and every version, that there can be. */
export const least = -(2n ** 63n);

/** A part of a log that is looked at, and with what it is compared besides. */
export interface Span {
  /** The id of the log. */
  readonly id: string;
  /** The event that is taken as it is; position 0 and any link for none. */
  readonly after?: End;
  /** The position of the last event. */
  readonly last: bigint;
  /** Where the store says that the log ends, in each row that says so; left out, nowhere. */
  readonly own?: readonly End[] | undefined;
  readonly heads?: readonly NamedHead[];
  /** Is told of each event. */
  readonly steps?: Steps | undefined;
}

/** What a look at every event of the log came to. */
export interface Checked {
  readonly events: number;
  /** Where they end. */
  readonly end: End;
  /** The positions of events that are not what was appended. */
  readonly damaged: ReadonlySet<bigint>;
}

/** An event as a look goes past it. */
export interface PassedEvent extends SealedEvent {
  /** Whether a look-up by its stream and version finds it; left out, it was not tried. */
  readonly isFound?: boolean;
}

/** A look at events, one after the other in the order of their positions. */
export interface ChainWalk {
  /** The position behind which the next one is: below all that there can be, to find those too. */
  readonly from: bigint;
  look(event: PassedEvent): void;
  /** Says what is wrong with the end. To be called once nothing is left. */
  end(): Checked;
}

/**
 * Checks that positions are gapless from 1, that every event is the one that was appended, that
 * each follows the one before, that the last one is where the log ends, and that it goes on from
 * where it once ended.
 */
export function walkChain(
  check: Check,
  report: Report,
  { id, after = { position: 0n, link: firstLink }, last, own, heads = [], steps }: Span,
): ChainWalk {
  const damaged = new Set<bigint>();
  const wanted = new Set(heads.map(({ head }) => head.position));
  const links = new Map<bigint, Uint8Array>();
  let events = 0;
  let next = after.position + 1n;
  let before = after.link;
  steps?.begin("checking", Number(last - after.position), "events");
  return {
    from: after.position === 0n ? least : after.position,
    look(event) {
      const { position } = event;
      if (position < next) report(`log: position ${position} is invalid: the first is 1`);
      if (position > next) report(`log: ${missing("position", next, position - 1n)}`);
      // What an event behind a gap follows cannot be known.
      const faults = check(event, position === next ? before : undefined);
      if (faults.length > 0) {
        damaged.add(position);
        report(`${nameOf(event)}: it is not what was appended (its ${faults.join(" and its ")})`);
      }
      if (event.isFound === false) {
        report(`${nameOf(event)}: who looks for its stream and version does not find it`);
      }
      before = event.link;
      if (wanted.has(position)) links.set(position, event.link);
      if (position >= next) next = position + 1n;
      events += 1;
      steps?.done();
    },
    end() {
      const end = { position: next - 1n, link: before };
      if (own !== undefined) checkHead(own, end, report);
      for (const { name, head } of heads) {
        const fault = faultOf(head, { id, end: end.position, link: links.get(head.position) });
        if (fault !== undefined) report(`log: ${fault} (${name})`);
      }
      return { events, end, damaged };
    },
  };
}

/** Whether the head that is written with each batch is where the events end. */
function checkHead(heads: readonly End[], { position, link }: End, report: Report): void {
  const [head] = heads;
  if (head === undefined || heads.length > 1) {
    report(`log: it has ${heads.length} heads, and not one`);
  } else if (head.position > position) {
    report(`log: ${missing("position", position + 1n, head.position)} at its end`);
  } else if (head.position < position || !isSame(head.link, link)) {
    report(`log: its head, of position ${head.position}, is not its end`);
  }
}

/** How lines name an event. */
export function nameOf({
  position,
  stream,
  version,
}: Pick<RecordedEvent, "position" | "stream" | "version">): string {
  return `event at position ${position}, version ${version} of ${legible(stream)}`;
}
