import type { Claim, RecordedEvent } from "../../../src/event.ts";
import { answerLimits } from "../../../src/store/answer.ts";
import { attachmentDigest } from "../../../src/store/attachment.ts";
import { claimKey } from "../../../src/store/claim-key.ts";
import { erasureOf, isErasing } from "../../../src/store/erasure.ts";
import type { NewMessage } from "../../../src/store/message.ts";
import type { Append, AppendResult, Change } from "../../../src/store/store.ts";
import { removeFamily, removeUser } from "./artifact.ts";
import { type Database, headOf, holdersOf, messageKey } from "./database.ts";
import { eraseIn } from "./link.ts";
import { planQuotas } from "./quota.ts";

/**
 * Carries out an append at once, or refuses it, or throws where no correct caller would ask for it.
 * All is decided before anything is written.
 */
export function appendTo(db: Database, append: Append): AppendResult {
  const { changes, unchanged, tallies, remember, timeMs } = append;
  const versionOf = (stream: string) => db.objects.get(stream)?.version ?? 0;
  if (remember !== undefined && isRemembered(db, remember.key, timeMs)) {
    return { kind: "key-taken" };
  }
  const stale =
    changes.find(({ stream, expected }) => versionOf(stream) !== expected) ??
    unchanged.find(({ stream, version }) => versionOf(stream) !== version);
  if (stale !== undefined) return { kind: "version-conflict", stream: stale.stream };
  for (const change of changes) assertPossible(db, change);
  const miscounted = tallies.find((group) => holdersOf(db, group, 0).total !== group.total);
  if (miscounted !== undefined) {
    const { kind, scope } = miscounted;
    return { kind: "tally-conflict", group: { kind, scope } };
  }
  const moved = moveClaims(db, changes);
  if ("taken" in moved) return { kind: "claim-taken", claim: moved.taken };
  const lateMs = (db.events.at(-1)?.timeMs ?? timeMs) - timeMs;
  if (lateMs > (append.behindMs ?? Number.POSITIVE_INFINITY)) return { kind: "time-behind" };
  const planned = planQuotas(db, append);
  if ("refused" in planned) return { kind: "quota-spent", ...planned.refused };

  const events = eventsOf(db, append);
  write(db, append, events, planned.due);
  for (const [key, claim] of moved.claims) {
    if (claim === undefined) db.claims.delete(key);
    else db.claims.set(key, claim);
  }
  planned.write();
  if (remember !== undefined) {
    const { key, ...answer } = remember;
    db.answers.delete(key);
    db.answers.set(key, { ...answer, actor: append.actor, timeMs });
  }
  for (const bytes of append.attachments ?? []) {
    db.attachments.set(attachmentDigest(bytes), bytes);
  }
  for (const family of append.families ?? []) removeFamily(db, family);
  for (const userId of append.users ?? []) removeUser(db, userId);
  return { kind: "appended", events, spent: planned.spent };
}

export function isRemembered(db: Database, key: string, nowMs: number): boolean {
  const answer = db.answers.get(key);
  return answer !== undefined && answer.timeMs > nowMs - answerLimits.keptMs;
}

function assertPossible(db: Database, { stream, owner, events, messages }: Change): void {
  const known = db.objects.get(stream)?.owner ?? owner;
  if (known !== owner) throw new Error(`${stream} belongs to ${known}, not to ${owner}.`);
  const wrong = messages.find(({ event }) => events[event] === undefined);
  if (wrong !== undefined) throw new Error(`${stream} has no event ${wrong.event} to send.`);
}

type Moved =
  | { readonly taken: Claim }
  | { readonly claims: ReadonlyMap<string, (Claim & { readonly stream: string }) | undefined> };

/** The claims that change hands, all releases before the first take. */
function moveClaims(db: Database, changes: readonly Change[]): Moved {
  const claims = new Map<string, (Claim & { readonly stream: string }) | undefined>();
  const holderOf = (key: string) => (claims.has(key) ? claims : db.claims).get(key)?.stream;
  for (const { stream, release } of changes) {
    for (const claim of release) {
      const key = claimKey(claim);
      if (holderOf(key) !== stream) throw new Error(`${stream} does not hold the claim ${key}.`);
      claims.set(key, undefined);
    }
  }
  for (const { stream, take } of changes) {
    for (const claim of take) {
      const key = claimKey(claim);
      if ((holderOf(key) ?? stream) !== stream) return { taken: claim };
      claims.set(key, { ...claim, stream });
    }
  }
  return { claims };
}

function eventsOf(db: Database, { actor, timeMs, changes }: Append): readonly RecordedEvent[] {
  let { position } = headOf(db);
  return changes.flatMap(({ stream, expected, owner, events }) =>
    events.map(({ type, payload }, index) => {
      position += 1n;
      const version = expected + 1 + index;
      return Object.freeze({ position, stream, version, type, owner, actor, timeMs, payload });
    }),
  );
}

function write(
  db: Database,
  { changes, timeMs }: Append,
  events: readonly RecordedEvent[],
  due: ReadonlyMap<NewMessage, number>,
): void {
  db.events.push(...events);
  for (const { stream, owner, state, row, messages, settles } of changes) {
    const own = events.filter((event) => event.stream === stream);
    const known = [...(db.streams.get(stream) ?? []), ...own];
    const erasing = own.findLast(({ type }) => isErasing(type));
    const erases = erasing === undefined ? () => false : erasureOf(erasing);
    const all = known.map((event) => (erases(event) ? eraseIn(db, event) : event));
    db.streams.set(stream, all);
    const { version = 0, position = 0n } = all.at(-1) ?? {};
    const { position: first = 0n, timeMs: createdMs = timeMs } = all[0] ?? {};
    const times = { createdMs, changedMs: timeMs };
    db.objects.set(stream, { stream, version, owner, state, ...times, position, row, first });
    for (const message of messages) {
      const key = { position: own[message.event]?.position ?? 0n, field: message.field };
      const dueMs = due.get(message) ?? timeMs;
      db.messages.set(messageKey(key), { ...key, dueMs, sinceMs: dueMs, attempts: 0 });
    }
    for (const key of settles) db.messages.delete(messageKey(key));
    if (state === undefined) {
      const isOwn = new Set(all.map((event) => event.position));
      for (const [key, message] of db.messages) {
        if (isOwn.has(message.position)) db.messages.delete(key);
      }
    }
  }
}
