import { isDeepStrictEqual } from "node:util";
import type { Claim, RecordedEvent } from "../../event.ts";
import { foldText } from "../../text/fold.ts";
import { toListed } from "../chain/state.ts";
import { claimKey } from "../claim-key.ts";
import type { MessageKey } from "../message.ts";
import type { Projection } from "../projector.ts";
import {
  claimText,
  type FieldColumns,
  fieldKey,
  fieldText,
  type Held,
  messageKey,
  messageText,
  type ObjectColumns,
  type StreamRows,
} from "./rows.ts";
import { legible, missing, type Report } from "./text.ts";

/** What is said of a row for which there is no reason in the log. */
export const unexplained = "no event explains it";

/**
 * Whether the log has lost events at the end of the stream: its object knows more, and says so of
 * its version and of its position.
 */
export function hasLostEnd(
  object: ObjectColumns | undefined,
  last: RecordedEvent | undefined,
  report: Report,
): boolean {
  if (object === undefined || last === undefined) return false;
  const version = Number(object.version);
  if (version <= last.version || object.position <= last.position) return false;
  const lost = missing("version", last.version + 1, version);
  report(`stream ${legible(last.stream)}: ${lost}, its object is from position ${object.position}`);
  return true;
}

/** What should follow from the events of a stream. */
export interface Expected extends Projection {
  readonly fields: readonly FieldColumns[];
}

/** The rows of claims, fields and messages that there should be, as texts that say all of each. */
export function textsOf(
  events: readonly RecordedEvent[],
  { claims, fields, messages }: Expected,
): readonly string[] {
  const asking = new Map(messages.length === 0 ? [] : events.map((one) => [one.position, one]));
  const asked = messages.map((key) => {
    const { type = "", owner = "" } = asking.get(key.position) ?? {};
    return messageText({ ...key, type, owner });
  });
  return [...claims.map(claimText), ...fields.map(fieldText), ...asked];
}

/** Compares the rows that there are of a stream, looked up one by one, with those expected. */
export function compareRows(
  stream: string,
  { claims, fields, messages }: StreamRows,
  found: Held,
  report: Report,
): void {
  for (const claim of claims) {
    const holder = found.get(claimKey(claim));
    if (holder === stream) continue;
    const whose = holder === undefined ? "it is missing" : `it is held by ${legible(holder)}`;
    report(`${nameOfClaim(claim)}: ${whose}, but ${legible(stream)} should hold it`);
  }
  for (const field of fields) {
    if (!found.has(fieldKey(field))) report(`${nameOfField(field, stream)}: it is missing`);
  }
  for (const key of messages) {
    if (found.has(messageKey(key))) continue;
    report(`${nameOfMessage(key)}: it is missing, but ${legible(stream)} asked for it`);
  }
}

/** Compares the object of a stream with the one that follows from its events. */
export function compareObject(
  stream: string,
  events: readonly RecordedEvent[],
  { row, state }: Expected,
  object: ObjectColumns | undefined,
  report: Report,
): void {
  const expected = { ...envelopeOf(events), ...toListed(row), state: state ?? null };
  compareColumns(stream, object, expected, report);
}

/** What does not depend on how events are folded. */
export function compareEnvelope(
  stream: string,
  events: readonly RecordedEvent[],
  object: ObjectColumns | undefined,
  report: Report,
): void {
  compareColumns(stream, object, envelopeOf(events), report);
}

type Envelope = Pick<
  ObjectColumns,
  "version" | "owner" | "first" | "position" | "created" | "changed"
>;

function envelopeOf(events: readonly RecordedEvent[]): Partial<Envelope> {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return {};
  return {
    version: BigInt(last.version),
    owner: first.owner,
    first: first.position,
    position: last.position,
    created: BigInt(first.timeMs),
    changed: BigInt(last.timeMs),
  };
}

function compareColumns(
  stream: string,
  found: ObjectColumns | undefined,
  expected: Partial<ObjectColumns>,
  report: Report,
): void {
  const name = `object ${legible(stream)}`;
  if (found === undefined) report(`${name}: it is missing`);
  else reportDifferences(name, found, expected, report);
}

/** One line with the names of all columns that are not as expected. */
export function reportDifferences<Columns extends object>(
  name: string,
  found: Columns,
  expected: Partial<Columns>,
  report: Report,
): void {
  const different: string[] = [];
  for (const column in expected) {
    const isJson = jsonColumns.has(column);
    if (!isSame(found[column], expected[column], isJson)) different.push(column);
  }
  if (different.length > 0) {
    report(`${name}: not what follows from its events: ${different.sort().join(", ")}`);
  }
}

const jsonColumns: ReadonlySet<string> = new Set(["fields", "state"]);

function isSame(found: unknown, expected: unknown, isJson: boolean): boolean {
  if (found === expected) return true;
  if (!isJson || typeof found !== "string" || typeof expected !== "string") return false;
  try {
    // The order of members means nothing.
    return isDeepStrictEqual(JSON.parse(found), JSON.parse(expected));
  } catch {
    return false;
  }
}

/** How lines name a claim. */
export function nameOfClaim({ kind, scope, value }: Claim): string {
  // What may be the hash of a secret is told apart by its beginning.
  const told = /[0-9a-f]{32}/.test(value) ? `${value.slice(0, 8)}…` : legible(value);
  return `claim ${legible(kind)} (scope ${legible(scope)}, value ${told})`;
}

/** The rows of `fields` that a stream should have, by the row of its object. */
export function fieldsOf(
  [begin]: readonly RecordedEvent[],
  row: Projection["row"],
): readonly FieldColumns[] {
  if (row === undefined) return [];
  const { kind, parent, fields } = row;
  const first = begin?.position ?? 0n;
  return Object.entries(fields).map(([name, exact]) => {
    return { kind, parent, name, folded: foldText(exact), first };
  });
}

/** How lines name a field, of a stream as far as that is known. */
export function nameOfField({ kind, name, first }: FieldColumns, stream?: string): string {
  const whose =
    stream === undefined ? `the ${legible(kind)} from position ${first}` : legible(stream);
  return `field ${legible(name)} of ${whose}`;
}

/** How lines name a message. */
export function nameOfMessage({ position, field }: MessageKey): string {
  return `message ${legible(field)} of the event at position ${position}`;
}
