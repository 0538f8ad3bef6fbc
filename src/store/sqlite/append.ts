import type Database from "better-sqlite3";
import type { Claim, RecordedEvent } from "../../event.ts";
import { type Listed, type StateMac, unlisted } from "../chain/state.ts";
import { claimKey } from "../claim-key.ts";
import { isBehind } from "../is-behind.ts";
import type { NewMessage } from "../message.ts";
import type { Append, AppendResult, Change, StoredObject } from "../store.ts";
import type { Answers } from "./answers.ts";
import type { FileArtifacts } from "./artifacts.ts";
import type { LogEnd } from "./end.ts";
import { prepareTally } from "./holders.ts";
import { prepareObjects, prepareRow, prepareVersion, versionIn } from "./object-row.ts";
import { prepareQuotas } from "./quota.ts";
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
  end: Pick<LogEnd, "record" | "timeMs">,
  macOf: StateMac,
  { answers, artifacts }: Beside,
): (append: Append) => AppendResult {
  const writes = { ...prepareWrites(db, macOf), record: end.record };
  const tallyOf = prepareTally(db);
  const quotas = prepareQuotas(db);
  const row = prepareRow(db);
  const versionOf = prepareVersion(db);
  const toObject = prepareObjects(macOf);
  const holder = db
    .prepare<[string, string, string], string>(
      "SELECT stream FROM claims WHERE kind = ? AND scope = ? AND value = ?",
    )
    .pluck();
  const holderOf = ({ kind, scope, value }: Claim) => holder.get(kind, scope, value);
  const currentOf = (columns: ReturnType<typeof row>): Current | undefined => {
    const object = toObject(columns);
    if (columns.first === null) return undefined;
    const { first, kind, parent, fields } = columns;
    return { ...object, first, kind, parent, fields };
  };
  return (append) => {
    if (answers.isTaken(append)) return { kind: "key-taken" };
    const rows = append.changes.map(({ stream }) => row(stream));
    const stale = findStale(append, rows.map(versionIn), versionOf);
    if (stale !== undefined) return { kind: "version-conflict", stream: stale };
    // What is written next is sealed with what it takes from the row of before.
    const found = rows.map(currentOf);
    assertOwners(append, found);
    const miscounted = append.tallies.find((group) => tallyOf(group) !== group.total);
    if (miscounted !== undefined) {
      const { kind, scope } = miscounted;
      return { kind: "tally-conflict", group: { kind, scope } };
    }
    const { taken, takes } = planClaims(append.changes, holderOf);
    if (taken !== undefined) return { kind: "claim-taken", claim: taken };
    if (isBehind(append, end.timeMs())) return { kind: "time-behind" };
    const plan = quotas.plan(append);
    quotas.keep(plan, append.timeMs);
    const { refused, due, spent } = plan;
    if (refused !== undefined) return { kind: "quota-spent", ...refused };
    moveClaims(append.changes, takes, writes);
    const events = append.changes.flatMap((change, i) => {
      const written = writeChange(append, change, found[i], writes);
      writeMessages(change, written, due, writes);
      return written;
    });
    answers.keep(append);
    for (const family of append.families ?? []) artifacts.removeFamily(family);
    return { kind: "appended", events, spent };
  };
}

/** What is written with an append and follows from no event. */
interface Beside {
  readonly answers: Answers;
  readonly artifacts: Pick<FileArtifacts, "removeFamily">;
}

/** The row of an object before the append. */
type Current = StoredObject & Listed;

/** The first stream that is not at the version which the append relies on. */
function findStale(
  { changes, unchanged }: Append,
  versions: readonly number[],
  versionOf: (stream: string) => number,
): string | undefined {
  const changed = changes.find(({ expected }, i) => versions[i] !== expected);
  const stale = changed ?? unchanged.find(({ stream, version }) => versionOf(stream) !== version);
  return stale?.stream;
}

/** Throws where a stream belongs to another owner than the append says. */
function assertOwners({ changes }: Append, found: readonly (Current | undefined)[]): void {
  for (const [i, { stream, owner }] of changes.entries()) {
    const known = found[i]?.owner ?? owner;
    if (known !== owner) throw new Error(`${stream} belongs to ${known}, not to ${owner}.`);
  }
}

/** Claims that nobody holds any more when all releases are done, and the streams to take them. */
type Takes = readonly (readonly [claim: Claim, stream: string])[];

/**
 * What is left to take, and the first claim that cannot be taken because another stream will hold
 * it. It throws when a stream releases what it does not hold.
 */
function planClaims(
  changes: readonly Change[],
  holderOf: (claim: Claim) => string | undefined,
): { readonly taken?: Claim; readonly takes: Takes } {
  const holders = new Map<string, string | undefined>();
  const laterHolderOf = (claim: Claim, key: string) =>
    holders.has(key) ? holders.get(key) : holderOf(claim);
  for (const { stream, release } of changes) {
    for (const claim of release) {
      const key = claimKey(claim);
      if (laterHolderOf(claim, key) !== stream) {
        throw new Error(`${stream} does not hold the claim ${key} that it releases.`);
      }
      holders.set(key, undefined);
    }
  }
  const takes: [Claim, string][] = [];
  for (const { stream, take } of changes) {
    for (const claim of take) {
      const key = claimKey(claim);
      const other = laterHolderOf(claim, key);
      if (other !== undefined && other !== stream) return { taken: claim, takes };
      // A stream may take what it has: claims are taken by what the object is to hold.
      if (other === undefined) takes.push([claim, stream]);
      holders.set(key, stream);
    }
  }
  return { takes };
}

function moveClaims(changes: readonly Change[], takes: Takes, writes: Writes): void {
  for (const { release } of changes) {
    for (const claim of release) writes.release(claim);
  }
  for (const [claim, stream] of takes) writes.take(claim, stream);
}

function writeChange(
  append: Append,
  change: Change,
  found: Current | undefined,
  writes: Writes & Pick<LogEnd, "record">,
): RecordedEvent[] {
  const { actor, timeMs } = append;
  const { stream, expected, owner, state, row } = change;
  const version = expected + change.events.length;
  const events = change.events.map(({ type, payload }, i) =>
    writes.record({ stream, version: expected + 1 + i, type, owner, actor, timeMs, payload }),
  );
  const position = events.at(-1)?.position ?? 0n;
  const first = found?.first ?? events[0]?.position ?? position;
  const times = { createdMs: found?.createdMs ?? timeMs, changedMs: timeMs };
  const object = { stream, version, owner, state, row, first, position, ...times };
  writes.object(object, found ?? unlisted);
  return events;
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
