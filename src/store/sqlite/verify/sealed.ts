import type Database from "better-sqlite3";
import { type Check, createCheck, type LogIdentity } from "../../chain/chain.ts";
import { createStateMac, type StateMac } from "../../chain/state.ts";
import { type ObjectColumns, objectColumns } from "../object-row.ts";
import type { Steps } from "../progress.ts";
import { prepareRows } from "../row.ts";
import { type Checked, type NamedHead, walkChain } from "./chain.ts";
import { checkObject, unexplained } from "./derived.ts";
import { type Paged, type Piece, type Pieces, readAll, visitRows } from "./pieces.ts";
import { type Report, shown } from "./text.ts";

/** How what is sealed is checked: events by the chain, objects by their MACs. */
export interface Seals {
  readonly check: Check;
  /** Left out, no MAC of an object is checked. */
  readonly macOf?: StateMac | undefined;
  readonly heads?: readonly NamedHead[];
  readonly steps?: Steps;
  /** Whether objects are left out. */
  readonly isOfChain?: boolean;
}

/** A log by its id, and by the key of its MACs where that is known. */
export type SealsIdentity = Pick<LogIdentity, "id"> & Partial<LogIdentity>;

/** How what is sealed with a key is checked. */
export function sealsOf({ id, key }: SealsIdentity): Pick<Seals, "check" | "macOf"> {
  if (key === undefined) return { check: createCheck({ id }) };
  return { check: createCheck({ id, key }), macOf: createStateMac({ id, key }) };
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
  db: Database.Database,
  pieces: Pieces,
  { check, macOf, heads = [], steps, isOfChain = false }: Seals,
  report: Report,
): Promise<CheckedSeals> {
  const chain = await pieces(() =>
    walkChain(db, check, report, { heads, ...(steps && { steps }) }),
  );
  await readAll(pieces, chain.next);
  const checked = chain.end();
  if (isOfChain) return { ...checked, objects: 0 };
  const { objects, walk } = await pieces(() => walkObjects(db, macOf, report));
  await readAll(pieces, walk);
  return { ...checked, objects: objects() };
}

/** An object with the stream whose event lies where it says that its own begins. */
interface BegunColumns extends ObjectColumns {
  readonly begun: string | null;
}

function walkObjects(
  db: Database.Database,
  macOf: StateMac | undefined,
  report: Report,
): { readonly objects: () => number; readonly walk: Piece } {
  const from = (where: string) =>
    `SELECT ${objectColumns},
       (SELECT stream FROM events WHERE events.position = objects.first) AS begun
     FROM objects ${where} ORDER BY first`;
  const all: Paged<[bigint], BegunColumns> = {
    first: prepareRows(db, from("")),
    next: prepareRows(db, from("WHERE first > ?")),
    keyOf: ({ first }) => [first],
  };
  const hasEvents = db.prepare<[string]>("SELECT 1 FROM events WHERE stream = ? LIMIT 1");
  let objects = 0;
  const walk = visitRows(all, (object) => {
    objects += 1;
    const { stream, begun } = object;
    if (macOf !== undefined) checkObject(object, macOf, report);
    if (begun === stream || hasEvents.get(stream) !== undefined) return;
    report(`object ${shown(stream)}: ${unexplained}`);
  });
  return { objects: () => objects, walk };
}
