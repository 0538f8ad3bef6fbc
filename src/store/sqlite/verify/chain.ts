import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../../event.ts";
import { type Check, type End, isSame, type SealedEvent } from "../../chain/chain.ts";
import { faultOf, type LogHead } from "../../chain/head.ts";
import { firstLink } from "../../chain/link.ts";
import { idIn } from "../id.ts";
import type { Steps } from "../progress.ts";
import { prepareRows, type SealedColumns, sealedColumns, toSealed } from "../row.ts";
import type { Piece } from "./pieces.ts";
import { missing, type Report, shown } from "./text.ts";

/** A head that was kept outside of the log, by the name of what holds it. */
export interface NamedHead {
  readonly name: string;
  readonly head: LogHead;
}

/** Which events are looked at, and with what they are compared besides. */
interface Span {
  readonly heads?: readonly NamedHead[];
  /** The position of the last event that is taken as it is; 0 for none. */
  readonly after?: bigint;
  /** Is told of each event. */
  readonly steps?: Steps | undefined;
}

/** Below every position that there can be. */
const least = -(2n ** 63n);

/** What a look at every event of the log came to. */
export interface Checked {
  readonly events: number;
  /** Where they end. */
  readonly end: End;
  /** The positions of events that are not what was appended. */
  readonly damaged: ReadonlySet<bigint>;
}

/** A look at the events up to the one that was the last when it began. */
export interface ChainWalk {
  readonly next: Piece;
  /** Says what is wrong with the end. To be called once nothing is left. */
  end(): Checked;
}

/**
 * Checks that positions are gapless from 1, that every event is the one that was appended, that
 * each follows the one before, that the last one is where the log ends, and that it goes on from
 * where it once ended. Where the log ends is read now; begin and go on in a transaction.
 */
export function walkChain(
  db: Database.Database,
  check: Check,
  report: Report,
  { heads = [], after = 0n, steps }: Span = {},
): ChainWalk {
  const rows = prepareRows<[bigint, bigint], SealedColumns>(
    db,
    `SELECT ${sealedColumns} FROM events NOT INDEXED
     WHERE position > ? AND position <= ? ORDER BY position`,
  );
  const last = lastIn(db);
  const own = prepareRows<[], End>(db, "SELECT position, link FROM head").all();
  const id = idIn(db) ?? "";
  const damaged = new Set<bigint>();
  const wanted = new Set(heads.map(({ head }) => head.position));
  const links = new Map<bigint, Uint8Array>();
  let events = 0;
  // Positions below the first are none, and found.
  let read = after === 0n ? least : after;
  let next = after + 1n;
  let before = linkAt(db, after) ?? firstLink;
  steps?.begin("checking", Number(last - after), "events");

  function look(event: SealedEvent): void {
    const { position } = event;
    if (position < next) report(`log: position ${position} is none: the first is 1`);
    if (position > next) report(`log: ${missing("position", next, position - 1n)}`);
    // What an event behind a gap follows cannot be known.
    const faults = check(event, position === next ? before : undefined);
    if (faults.length > 0) {
      damaged.add(position);
      report(`${nameOf(event)}: it is not what was appended (its ${faults.join(" and its ")})`);
    }
    before = event.link;
    if (wanted.has(position)) links.set(position, event.link);
    if (position >= next) next = position + 1n;
    events += 1;
    steps?.done();
  }

  return {
    next: (mayGoOn) => {
      for (const columns of rows.iterate(read, last)) {
        look(toSealed(columns));
        read = columns.position;
        if (!mayGoOn()) return true;
      }
      return false;
    },
    end: () => {
      const end = { position: next - 1n, link: before };
      checkHead(own, end, report);
      for (const { name, head } of heads) {
        const fault = faultOf(head, { id, end: end.position, link: links.get(head.position) });
        if (fault !== undefined) report(`log: ${fault} (${name})`);
      }
      return { events, end, damaged };
    },
  };
}

/** Does so with all of them at once, inside a transaction. */
export function checkChain(
  db: Database.Database,
  check: Check,
  report: Report,
  span: Span = {},
): Checked {
  const walk = walkChain(db, check, report, span);
  walk.next(() => true);
  return walk.end();
}

function linkAt(db: Database.Database, position: bigint): Uint8Array | undefined {
  const event = prepareRows<[bigint], Pick<End, "link">>(
    db,
    "SELECT link FROM events WHERE position = ?",
  );
  return event.get(position)?.link;
}

/** The highest position that there is; 0 for none. */
export function lastIn(db: Database.Database): bigint {
  const last = prepareRows<[], { readonly last: bigint | null }>(
    db,
    "SELECT max(position) AS last FROM events",
  );
  return last.get()?.last ?? 0n;
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
  return `event at position ${position}, version ${version} of ${shown(stream)}`;
}
