import { isDeepStrictEqual } from "node:util";
import { idOf } from "../../src/domain/noun.ts";
import { type CodeEvent, messageTypes } from "../../src/domain/user/credential/delivery.ts";
import { user } from "../../src/domain/user/state/user.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { clockLimits } from "../../src/log/clock.ts";
import { projector } from "../../src/log/projector.ts";
import { claimKey } from "../../src/store/claim-key.ts";
import {
  erasedPayload,
  erasureFaults,
  erasureOf,
  isErased,
  isErasing,
} from "../../src/store/erasure.ts";
import type { Delivery } from "./channel.ts";
import { type Database, messageKey } from "./model/database.ts";
import { linkAt } from "./model/link.ts";
import { simulatedSendLimits } from "./node.ts";
import type { Reader } from "./reader.ts";
import { isCalm, type Weather, workerTimes } from "./weather.ts";

/** What is wrong with the log, and with what follows from it; it was written so, erased or not. */
export function judgeLog(db: Database, written: readonly RecordedEvent[]): string[] {
  const problems: string[] = [];
  const versions = new Map<string, number>();
  for (const [index, { position, stream, version, timeMs }] of db.events.entries()) {
    const lateMs = (db.events[index - 1]?.timeMs ?? timeMs) - timeMs;
    if (lateMs > clockLimits.overlapMs) problems.push(`position ${position} is ${lateMs} ms late`);
    if (position !== BigInt(index + 1)) problems.push(`position ${index + 1} is ${position}`);
    const expected = (versions.get(stream) ?? 0) + 1;
    if (version !== expected) problems.push(`${stream} has version ${version}, not ${expected}`);
    versions.set(stream, version);
  }
  const claims = new Map<string, string>();
  const messages = new Set<string>();
  for (const stream of versions.keys()) {
    const projected = projector.project(db.events.filter((event) => event.stream === stream));
    const object = db.objects.get(stream);
    if (object?.state !== projected.state || !isDeepStrictEqual(object?.row, projected.row)) {
      problems.push(`the object of ${stream} is not what its events come to`);
    }
    for (const claim of projected.claims) {
      const key = claimKey(claim);
      if (claims.has(key)) problems.push(`${key} is held by ${claims.get(key)} and ${stream}`);
      claims.set(key, stream);
      if (db.claims.get(key)?.stream !== stream) problems.push(`${key} is not kept for ${stream}`);
    }
    for (const message of projected.messages) messages.add(messageKey(message));
  }
  if (claims.size !== db.claims.size) problems.push("claims are kept that nobody makes");
  const kept = [...db.messages.keys()].sort();
  if (!isDeepStrictEqual(kept, [...messages].sort())) {
    problems.push(`messages wait that were not asked for, or the other way round: ${kept}`);
  }
  return [...problems, ...judgeErasures(db), ...judgeQuotas(written)];
}

/** Nothing is left of who is erased, and nothing else is gone. */
function judgeErasures(db: Database): string[] {
  const streams = Map.groupBy(db.events, ({ stream }) => stream);
  const faults = [...streams.values()].flatMap(erasureFaults);
  const erased = db.events.filter(({ type }) => type === "user.erased");
  const owners = new Set(erased.map(({ stream }) => idOf(user, stream)));
  const left = [...db.objects.values()].filter(({ state = "{}" }) =>
    owners.has((JSON.parse(state) as { readonly userId?: string }).userId ?? ""),
  );
  return [
    ...faults.map(({ event, fault }) => `position ${event.position}: ${fault}`),
    ...left.map(({ stream }) => `${stream} is left of a user who was erased`),
  ];
}

const dayMs = 24 * 60 * 60 * 1_000;

/** Each number has had its SMS of a day, and one more for each part of the day that passed. */
function judgeQuotas(events: readonly RecordedEvent[]): string[] {
  const { smsPerNumber: most } = simulatedSendLimits;
  const numbers = new Map<string, string>();
  const levels = new Map<string, { readonly level: number; readonly timeMs: number }>();
  const problems: string[] = [];
  for (const { stream, type, payload, timeMs, position } of events) {
    const { phone } = JSON.parse(payload);
    if (phone !== undefined) numbers.set(stream, phone);
    if (type !== "user.human.phone.code.added") continue;
    const number = numbers.get(stream) ?? "";
    const before = levels.get(number) ?? { level: 0, timeMs };
    // A clock that is set back gives nothing back.
    const passedMs = Math.max(0, timeMs - before.timeMs);
    const level = Math.max(0, before.level - (passedMs * most) / dayMs) + 1;
    if (level > most + 1e-6) problems.push(`${number} is past its quota at ${position}`);
    levels.set(number, { level, timeMs });
  }
  return problems;
}

/**
 * What is wrong with what readers were told: whatever was read on a page that goes past an erasure
 * is erased by then.
 */
export function judgeReader(
  { kinds, events, through }: Reader,
  db: Database,
  written: readonly RecordedEvent[],
): string[] {
  const isWanted = ({ stream }: RecordedEvent) =>
    kinds?.includes(stream.slice(0, stream.indexOf("-"))) ?? true;
  const erasures = erasersIn(written);
  const expected = written.filter((event) => isWanted(event) && event.position <= through());
  const at = events.findIndex(({ event, pageThrough }, index) => {
    const wanted = expected[index];
    if (wanted === undefined) return true;
    const isGone = isErased(event);
    const by = erasures.get(wanted.position);
    const isRight = isGone ? by !== undefined : by === undefined || by > pageThrough;
    const link = linkAt(db, wanted.position);
    const payload = isGone ? erasedPayload : wanted.payload;
    return !isRight || !isDeepStrictEqual(event, { ...wanted, payload, link });
  });
  const problems: string[] = [];
  if (at >= 0) {
    const [found, wanted] = [events[at]?.event.position, expected[at]?.position];
    problems.push(`a reader of ${kinds ?? "all"} was told of ${found} instead of ${wanted}`);
  } else if (events.length < expected.length) {
    problems.push(
      `a reader of ${kinds ?? "all"} was not told of ${expected[events.length]?.position}`,
    );
  }
  return problems;
}

/** The position of the first event that erases each one that is erased, by its position. */
function erasersIn(written: readonly RecordedEvent[]): ReadonlyMap<bigint, bigint> {
  const found = new Map<bigint, bigint>();
  for (const by of written.filter(({ type }) => isErasing(type))) {
    const erases = erasureOf(by);
    for (const event of written) {
      const isIts = event.stream === by.stream && erases(event) && !found.has(event.position);
      if (isIts) found.set(event.position, by.position);
    }
  }
  return found;
}

/** What is wrong with the messages, when all that waits has been sent. */
export function judgeMessages(
  { messages }: Database,
  events: readonly RecordedEvent[],
  deliveries: readonly Delivery[],
  weather: Weather,
): string[] {
  const problems: string[] = [];
  const types: readonly string[] = Object.values(messageTypes).flat();
  const ends = new Map<string, string[]>();
  for (const { type, payload } of events) {
    if (!/\.(?:code|notice)\.(?:sent|failed)$/.test(type)) continue;
    const { position } = JSON.parse(payload);
    ends.set(position, [...(ends.get(position) ?? []), type.endsWith("sent") ? "sent" : "failed"]);
  }
  for (const event of events.filter(({ type }) => types.includes(type))) {
    const { send = true } = JSON.parse(event.payload) as Partial<CodeEvent["payload"]> & object as {
      readonly send?: boolean;
    };
    if (!send) continue;
    const field = event.type === "user.human.notice.added" ? "about" : "code";
    const id = `${event.position}-${field}`;
    const tries = deliveries.filter((delivery) => delivery.id === id);
    const delivered = tries.filter(({ isDelivered }) => isDelivered).length;
    const told = ends.get(String(event.position)) ?? [];
    const waits = messages.has(`${event.position} ${field}`);
    if (told.includes("sent") && delivered === 0)
      problems.push(`${id} is told as sent and was not`);
    const isGone = !waits && told.length === 0;
    const isRemoved = events.some(
      ({ stream, type }) => stream === event.stream && type === "user.removed",
    );
    if (isGone && !isRemoved) problems.push(`${id} was never sent`);
    if (isCalm(weather) && !waits && told.length > 1) problems.push(`${id} is told ${told}`);
    if (isCalm(weather) && delivered > 1) problems.push(`${id} was sent ${delivered} times`);
    if (weather.jumps === 0) problems.push(...overlaps(id, tries));
  }
  return problems;
}

/** Nobody gets a message that is on its way. */
function overlaps(id: string, tries: readonly Delivery[]): string[] {
  return tries.flatMap(({ fromMs }, index) => {
    const before = tries[index - 1];
    return before !== undefined && before.untilMs > fromMs ? [`${id} is on its way twice`] : [];
  });
}

/** Whether all is at rest: readers have read all, and nothing waits that is due. */
export function isAtRest(db: Database, readers: readonly Reader[], nowMs: number): boolean {
  const head = db.events.at(-1)?.position ?? 0n;
  const isRead = readers.every((reader) => reader.through() >= head);
  // Mails that have to wait for their quota are not due for hours.
  const soonMs = nowMs + workerTimes.leaseMs + workerTimes.backoffMaxMs;
  return isRead && [...db.messages.values()].every(({ dueMs }) => dueMs > soonMs);
}
