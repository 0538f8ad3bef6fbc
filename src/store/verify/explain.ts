import type { RecordedEvent } from "../../event.ts";
import { claimKey } from "../claim-key.ts";
import type { Projection, Projector } from "../projector.ts";
import { least } from "./chain.ts";
import { fieldsOf, hasLostEnd } from "./derived.ts";
import type { Moment } from "./reader.ts";
import { fieldPlace, messageKey, type ObjectColumns } from "./rows.ts";
import { checkStream } from "./stream.ts";
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

/** The rows that there should be of a stream. */
export interface Explained {
  /** By `claimKey`. */
  readonly claims: ReadonlySet<string>;
  /** By `fieldPlace`. */
  readonly fields: ReadonlySet<string>;
  /** By `messageKey`. */
  readonly messages: ReadonlySet<string>;
}

/** The rows of streams; of those of which nobody can know, undefined. */
export type Explanations = ReadonlyMap<string, Explained | undefined>;

/** Answers the rows of streams as of a moment: all their events are read, one stream at a time. */
export async function explain(
  moment: Moment,
  streams: ReadonlySet<string>,
  folding: Folding,
): Promise<Explanations> {
  const objects = await moment.objectsOf([...streams]);
  const explained = new Map<string, Explained | undefined>();
  for (const stream of streams) {
    const events = await eventsOf(moment, stream);
    explained.set(stream, explainOne(events, objects.get(stream), folding));
  }
  return explained;
}

function explainOne(
  events: readonly RecordedEvent[],
  object: ObjectColumns | undefined,
  folding: Folding,
): Explained | undefined {
  if (events.length === 0) return nothing;
  const projection = projectionOf(events, object, folding, () => {});
  if (projection === undefined) return undefined;
  const { claims, messages, row } = projection;
  return {
    claims: new Set(claims.map(claimKey)),
    fields: new Set(fieldsOf(events, row).map(fieldPlace)),
    messages: new Set(messages.map(messageKey)),
  };
}

/** What explains no row. */
export const nothing: Explained = { claims: new Set(), fields: new Set(), messages: new Set() };

/** All events of a stream behind those that are known. */
export async function eventsOf(
  moment: Moment,
  stream: string,
  known: readonly RecordedEvent[] = [],
): Promise<readonly RecordedEvent[]> {
  const events = [...known];
  for (;;) {
    const { version } = events.at(-1) ?? {};
    const more = await moment.ofStream(stream, version === undefined ? least : BigInt(version));
    if (more.length === 0) return events;
    for (const event of more) events.push(event);
  }
}
