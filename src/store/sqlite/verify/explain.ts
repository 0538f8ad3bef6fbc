import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../../event.ts";
import { claimKey } from "../../claim-key.ts";
import type { Projection, Projector } from "../../projector.ts";
import type { ObjectColumns } from "../object-row.ts";
import { fieldsOf, hasLostEnd, nameOfMessage } from "./derived.ts";
import { checkStream, prepareEvents } from "./log.ts";
import type { FieldColumns, Lookups } from "./rows.ts";
import type { Report } from "./text.ts";

/** How events are folded. */
export interface Folding {
  readonly projector: Projector;
  /** The positions of events that are not what was appended. */
  readonly damaged: ReadonlySet<bigint>;
}

/** What should follow from events; undefined where nobody can know, which is reported. */
export function projectionOf(
  events: readonly RecordedEvent[],
  object: ObjectColumns | undefined,
  { projector, damaged }: Folding,
  report: Report,
): Projection | undefined {
  const projection = checkStream(events, damaged, projector, report);
  return hasLostEnd(object, events.at(-1), report) ? undefined : projection;
}

/** The rows that there should be of a stream, by texts that say all of each. */
export interface Explained {
  readonly claims: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
}

/** Answers the rows of a stream as of now; undefined where nobody can know. */
export type Explain = (stream: string) => Explained | undefined;

/** One text for a row of `fields`. */
export function fieldKey({ kind, parent, name, folded, first, exact }: FieldColumns): string {
  return JSON.stringify([kind, parent, name, folded, String(first), exact]);
}

/** Streams that are kept as they were explained: one may have many rows, in any order. */
const explainedMax = 100;

/** Makes what folds the events of single streams. */
export function createExplain(
  db: Database.Database,
  { object }: Pick<Lookups, "object">,
  folding: Folding,
): Explain {
  const eventsOf = prepareEvents(db);
  const sizeOf = db
    .prepare<[string], number>("SELECT count(*) FROM events WHERE stream = ?")
    .pluck();
  const kept = new Map<string, { readonly events: number; readonly rows: Explained | undefined }>();

  function explain(stream: string): Explained | undefined {
    const events = eventsOf(stream);
    if (events.length === 0) return nothing;
    const projection = projectionOf(events, object(stream), folding, () => {});
    if (projection === undefined) return undefined;
    const { claims, messages, row } = projection;
    return {
      claims: new Set(claims.map(claimKey)),
      fields: new Set(fieldsOf(events, row).map(fieldKey)),
      messages: new Set(messages.map(nameOfMessage)),
    };
  }

  return (stream) => {
    const events = sizeOf.get(stream) ?? 0;
    const known = kept.get(stream);
    if (known?.events === events) return known.rows;
    const rows = explain(stream);
    if (kept.size >= explainedMax) kept.clear();
    kept.set(stream, { events, rows });
    return rows;
  };
}

const nothing: Explained = { claims: new Set(), fields: new Set(), messages: new Set() };
