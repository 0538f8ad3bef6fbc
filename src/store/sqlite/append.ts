import type Database from "better-sqlite3";
import type { Claim, RecordedEvent } from "../../event.ts";
import { type Listed, rowOf, type StateMac, unlisted } from "../chain/state.ts";
import { isBehind } from "../check-append.ts";
import { claimKey } from "../claim-key.ts";
import { isErasing } from "../erasure.ts";
import type { NewMessage } from "../message.ts";
import { prepareObjects, versionIn } from "../object-row.ts";
import type { Append, AppendResult, Change, StoredObject } from "../store.ts";
import { type TextRow, textRows, without } from "../texts.ts";
import type { Answers } from "./answers.ts";
import type { FileArtifacts } from "./artifacts.ts";
import { prepareAttachments } from "./attachments.ts";
import type { LogEnd } from "./end.ts";
import { prepareRow } from "./object-row.ts";
import { prepareQuotas } from "./quota.ts";
import { prepareTexts, type Texts } from "./texts.ts";
import type { Writes } from "./write.ts";
import { prepareWrites } from "./write.ts";

/**
 * Makes the function that carries out one append inside the transaction of its batch. It checks
 * everything before it writes anything, so a refusal has nothing to undo, and it sees what the
 * appends before it wrote. It throws when the caller broke the contract; the transaction must then
 * be rolled back.
 */
export function prepareAppend(
  db: Database.Database,
  end: Pick<LogEnd, "record" | "timeMs" | "versionsOf">,
  macOf: StateMac,
  { answers, artifacts }: Beside,
): (append: Append) => AppendResult {
  const writes = { ...prepareWrites(db, macOf), record: end.record };
  const texts = prepareTexts(db);
  const quotas = prepareQuotas(db);
  const attachments = prepareAttachments(db);
  const row = prepareRow(db);
  const toObject = prepareObjects(macOf);
  const currentOf = (columns: ReturnType<typeof row>): Current | undefined => {
    const object = toObject(columns);
    if (columns.first === null) return undefined;
    const { first, kind, parent, fields } = columns;
    return { ...object, first, kind, parent, fields };
  };
  return (append) => {
    if (answers.isTaken(append)) return { kind: "key-taken" };
    const rows = append.changes.map(({ stream }) => row(stream));
    const stale = findStale(append, rows.map(versionIn), end.versionsOf);
    if (stale !== undefined) return { kind: "version-conflict", stream: stale };
    // What is written next is sealed with what it takes from the row of before.
    const found = rows.map(currentOf);
    assertOwners(append, found);
    const miscounted = append.tallies.find((group) => texts.tallyOf(group) !== group.total);
    if (miscounted !== undefined) {
      const { kind, scope } = miscounted;
      return { kind: "tally-conflict", group: { kind, scope } };
    }
    const { taken, takes } = planClaims(append.changes, texts);
    if (taken !== undefined) return { kind: "claim-taken", claim: taken };
    if (isBehind(append, end.timeMs())) return { kind: "time-behind" };
    const plan = quotas.plan(append);
    quotas.keep(plan, append.timeMs);
    const { refused, due, spent } = plan;
    if (refused !== undefined) return { kind: "quota-spent", ...refused };
    const moves = append.changes.map((change, i) => movesOf(change, found[i], takes));
    // What one stream releases, another may take.
    for (const [i, { removed }] of moves.entries()) texts.remove(found[i]?.first ?? 0n, removed);
    const events = append.changes.flatMap((change, i) => {
      const { first, written } = writeChange(append, change, found[i], writes);
      const added = moves[i]?.added ?? [];
      if (found[i] === undefined) texts.addNew(first, added);
      else texts.add(first, added);
      writeMessages(change, written, due, writes);
      return written;
    });
    attachments.add(append.attachments ?? []);
    answers.keep(append);
    for (const family of append.families ?? []) artifacts.removeFamily(family);
    for (const userId of append.users ?? []) {
      answers.removeUser(userId);
      artifacts.removeUser(userId);
    }
    return { kind: "appended", events, spent };
  };
}

/** What is written with an append and follows from no event. */
interface Beside {
  readonly answers: Answers;
  readonly artifacts: Pick<FileArtifacts, "removeFamily" | "removeUser">;
}

/** The row of an object before the append. */
type Current = StoredObject & Listed;

/** The first stream that is not at the version which the append relies on. */
function findStale(
  { changes, unchanged }: Append,
  versions: readonly number[],
  versionsOf: LogEnd["versionsOf"],
): string | undefined {
  const changed = changes.find(({ expected }, i) => versions[i] !== expected);
  if (changed !== undefined || unchanged.length === 0) return changed?.stream;
  const now = versionsOf(unchanged.map(({ stream }) => stream));
  return unchanged.find(({ version }, i) => now[i] !== version)?.stream;
}

/** Throws where a stream belongs to another owner than the append says. */
function assertOwners({ changes }: Append, found: readonly (Current | undefined)[]): void {
  for (const [i, { stream, owner }] of changes.entries()) {
    const known = found[i]?.owner ?? owner;
    if (known !== owner) throw new Error(`${stream} belongs to ${known}, not to ${owner}.`);
  }
}

/** By streams, the claims to take: nobody holds them any more when all releases are done. */
type Takes = ReadonlyMap<string, readonly Claim[]>;

/**
 * What is left to take, and the first claim that cannot be taken because another stream will hold
 * it. It throws when a stream releases what it does not hold.
 */
function planClaims(
  changes: readonly Change[],
  { holdersOf }: Pick<Texts, "holdersOf">,
): { readonly taken?: Claim; readonly takes: Takes } {
  const asked = changes.flatMap(({ release, take }) => [...release, ...take]);
  const found = holdersOf(asked);
  const holders = new Map(asked.map((claim, i) => [claimKey(claim), found[i] ?? undefined]));
  for (const { stream, release } of changes) {
    for (const claim of release) {
      const key = claimKey(claim);
      if (holders.get(key) !== stream) {
        throw new Error(`${stream} does not hold the claim ${key} that it releases.`);
      }
      holders.set(key, undefined);
    }
  }
  const takes = new Map<string, Claim[]>();
  for (const { stream, take } of changes) {
    const free: Claim[] = [];
    for (const claim of take) {
      const key = claimKey(claim);
      const other = holders.get(key);
      if (other !== undefined && other !== stream) return { taken: claim, takes };
      // A stream may take what it has: claims are taken by what the object is to hold.
      if (other === undefined) free.push(claim);
      holders.set(key, stream);
    }
    takes.set(stream, free);
  }
  return { takes };
}

/** The texts that go with a change, and those that come. */
function movesOf(
  { stream, row, release }: Change,
  found: Current | undefined,
  takes: Takes,
): { readonly removed: readonly TextRow[]; readonly added: readonly TextRow[] } {
  const before = textRows(found && rowOf(found), release);
  const after = textRows(row, takes.get(stream) ?? []);
  return { removed: without(before, after), added: without(after, before) };
}

function writeChange(
  append: Append,
  change: Change,
  found: Current | undefined,
  writes: Writes & Pick<LogEnd, "record">,
): { readonly first: bigint; readonly written: readonly RecordedEvent[] } {
  const { actor, timeMs } = append;
  const { stream, expected, owner, state, row } = change;
  const version = expected + change.events.length;
  const events = writes.record(
    change.events.map(({ type, payload }, i) => {
      return { stream, version: expected + 1 + i, type, owner, actor, timeMs, payload };
    }),
  );
  const position = events.at(-1)?.position ?? 0n;
  const erasing = events.findLast(({ type }) => isErasing(type));
  if (erasing !== undefined) writes.erase(erasing);
  const first = found?.first ?? events[0]?.position ?? position;
  const times = { createdMs: found?.createdMs ?? timeMs, changedMs: timeMs };
  const object = { stream, version, owner, state, row, first, position, ...times };
  writes.object(object, found ?? unlisted);
  return { first, written: events };
}

function writeMessages(
  { stream, state, messages, settles }: Change,
  events: readonly RecordedEvent[],
  due: ReadonlyMap<NewMessage, number>,
  writes: Writes,
): void {
  for (const message of messages) {
    const { event, field } = message;
    const asking = events[event];
    if (asking === undefined) throw new Error(`${stream} has no event ${event} to send.`);
    writes.message(asking, field, due.get(message) ?? asking.timeMs);
  }
  const { timeMs = 0 } = events[0] ?? {};
  for (const key of settles) writes.settle(key, timeMs);
  if (state === undefined) writes.settleAll(stream, timeMs);
}
