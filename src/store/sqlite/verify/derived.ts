import { isDeepStrictEqual } from "node:util";
import type { Claim, RecordedEvent } from "../../../event.ts";
import { foldText } from "../../../text/fold.ts";
import { isSealedObject, type StateMac } from "../../chain/state.ts";
import { claimKey } from "../../claim-key.ts";
import type { MessageKey } from "../../message.ts";
import type { Projection } from "../../projector.ts";
import { toListed } from "../fields.ts";
import { type ObjectColumns, toObject } from "../object-row.ts";
import type { ClaimColumns, DerivedRows, FieldColumns, MessageColumns } from "./rows.ts";
import { missing, type Report, shown } from "./text.ts";

/** What the derived tables have of one stream. */
export interface Derived {
  readonly object: ObjectColumns | undefined;
  readonly claims: readonly ClaimColumns[];
  readonly fields: readonly FieldColumns[];
  readonly messages: readonly MessageColumns[];
}

/** Whether the object is as it was written, whatever should be there. */
export function checkObject(object: Derived["object"], macOf: StateMac, report: Report): void {
  if (object === undefined || isSealedObject(macOf, toObject(object), object, object.mac)) return;
  report(`object ${shown(object.stream)}: it is not what was written (its MAC)`);
}

/** What they have of nothing that is in the log. */
export function reportOrphans({ object, claims, fields, messages }: Derived, report: Report): void {
  if (object !== undefined) report(`object ${shown(object.stream)}: ${unexplained}`);
  for (const claim of claims) reportOrphan(claim, report);
  for (const field of fields) {
    const { kind, name, first } = field;
    report(`field ${shown(name)} of the ${shown(kind)} from position ${first}: ${unexplained}`);
  }
  for (const message of messages) report(`${nameOfMessage(message)}: ${unexplained}`);
}

const unexplained = "no event explains it";

/**
 * Whether the log has lost events at the end of the stream: its object knows more, and says so of
 * its version and of its position.
 */
export function hasLostEnd(
  object: Derived["object"],
  last: RecordedEvent | undefined,
  report: Report,
): boolean {
  if (object === undefined || last === undefined) return false;
  const version = Number(object.version);
  if (version <= last.version || object.position <= last.position) return false;
  const lost = missing("version", last.version + 1, version);
  report(`stream ${shown(last.stream)}: ${lost}, its object is from position ${object.position}`);
  return true;
}

/** Compares what the tables have of a stream with what follows from its events. */
export function compare(
  stream: string,
  events: readonly RecordedEvent[],
  projection: Projection,
  found: Derived & Pick<DerivedRows, "holder">,
  report: Report,
): void {
  const { claims, messages, row } = projection;
  compareObject(stream, found.object, objectOf(events, projection), report);
  compareClaims(stream, found, claims, report);
  compareFields(stream, found.fields, fieldsOf(stream, events, row), report);
  compareMessages(stream, found.messages, messages, report);
}

/** What does not depend on how events are folded. */
export function compareEnvelope(
  stream: string,
  events: readonly RecordedEvent[],
  { object }: Derived,
  report: Report,
): void {
  compareObject(stream, object, envelopeOf(events), report);
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

function objectOf(
  events: readonly RecordedEvent[],
  { row, state }: Projection,
): Partial<ObjectColumns> {
  return { ...envelopeOf(events), ...toListed(row), state: state ?? null };
}

function compareObject(
  stream: string,
  found: ObjectColumns | undefined,
  expected: Partial<ObjectColumns>,
  report: Report,
): void {
  const name = `object ${shown(stream)}`;
  if (found === undefined) report(`${name}: it is missing`);
  else reportDifferences(name, found, expected, report);
}

/** One line with the names of all columns that are not as expected. */
function reportDifferences<Columns extends object>(
  name: string,
  found: Columns,
  expected: Partial<Columns>,
  report: Report,
): void {
  const foundOf = new Map<string, unknown>(Object.entries(found));
  const different = Object.entries(expected)
    .filter(([column, value]) => !isSame(foundOf.get(column), value, jsonColumns.has(column)))
    .map(([column]) => column);
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

function compareClaims(
  stream: string,
  { claims, holder }: Pick<Derived, "claims"> & Pick<DerivedRows, "holder">,
  expected: readonly Claim[],
  report: Report,
): void {
  const held = new Set(claims.map(claimKey));
  const due = new Map(expected.map((claim) => [claimKey(claim), claim]));
  for (const [key, claim] of due) {
    if (held.has(key)) continue;
    const other = holder(claim.kind, claim.scope, claim.value);
    const whose = other === undefined ? "it is missing" : `it is held by ${shown(other)}`;
    report(`${nameOfClaim(claim)}: ${whose}, but ${shown(stream)} should hold it`);
  }
  for (const claim of claims) {
    if (!due.has(claimKey(claim))) reportOrphan(claim, report);
  }
}

function reportOrphan(claim: ClaimColumns, report: Report): void {
  report(`${nameOfClaim(claim)}: no event explains that ${shown(claim.stream)} holds it`);
}

function nameOfClaim({ kind, scope, value }: Claim): string {
  // What may be the hash of a secret is told apart by its beginning.
  const told = /[0-9a-f]{32}/.test(value) ? `${value.slice(0, 8)}…` : shown(value);
  return `claim ${shown(kind)} (scope ${shown(scope)}, value ${told})`;
}

/** The rows of `fields` that a stream should have, by the row of its object. */
export function fieldsOf(
  stream: string,
  [begin]: readonly RecordedEvent[],
  row: Projection["row"],
): readonly FieldColumns[] {
  if (row === undefined) return [];
  const { kind, parent, fields } = row;
  const first = begin?.position ?? 0n;
  return Object.entries(fields).map(([name, exact]) => {
    return { stream, kind, parent, name, folded: foldText(exact), first, exact };
  });
}

function compareFields(
  stream: string,
  found: readonly FieldColumns[],
  expected: readonly FieldColumns[],
  report: Report,
): void {
  const left = new Set(found);
  const nameOf = (name: string) => `field ${shown(name)} of ${shown(stream)}`;
  const pairs = expected.map((field) => {
    const named = found.filter(({ name }) => name === field.name);
    const same = named.find((row) => row === field || isDeepStrictEqual(row, field));
    return [field, same ?? named[0]] as const;
  });
  for (const [field, row] of pairs) {
    if (row === undefined) report(`${nameOf(field.name)}: it is missing`);
    else reportDifferences(nameOf(field.name), row, field, report);
    if (row !== undefined) left.delete(row);
  }
  for (const { name } of left) report(`${nameOf(name)}: ${unexplained}`);
}

function compareMessages(
  stream: string,
  found: readonly MessageColumns[],
  expected: readonly MessageKey[],
  report: Report,
): void {
  const pending = new Set(found.map(nameOfMessage));
  const due = new Set(expected.map(nameOfMessage));
  for (const name of due) {
    if (!pending.has(name)) report(`${name}: it is missing, but ${shown(stream)} asked for it`);
  }
  for (const name of pending) {
    if (!due.has(name)) report(`${name}: ${unexplained}`);
  }
}

function nameOfMessage({ position, field }: MessageKey): string {
  return `message ${shown(field)} of the event at position ${position}`;
}
