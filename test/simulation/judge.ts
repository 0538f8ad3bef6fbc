import { isDeepStrictEqual } from "node:util";
import { streamOf } from "../../src/domain/noun.ts";
import type { NewEvent } from "../../src/event.ts";
import { claimKey } from "../../src/store/claim-key.ts";
import type { Record, Told, Try } from "./client.ts";
import { evolve, type Past } from "./past.ts";
import type { Commit, Server } from "./server.ts";
import type { Asked } from "./task.ts";

/** Refusals that rest on more than states: on the time of the node, or on quotas. */
const beyondStates = ["CODE_TOO_SOON", "TOO_MANY_SMS"];

/**
 * What is wrong with what clients were told: each command has to look as if it had been alone. What
 * it wrote is what its decision makes of all that was written before; what it was refused for was
 * so at one moment between the question and the answer; it was done once or not at all.
 */
export function judge(records: readonly Record[], { commits }: Server, past: Past): string[] {
  const problems: string[] = [];
  const written = new Map<string, number[]>();
  for (const [index, { actor }] of commits.entries()) {
    written.set(actor, [...(written.get(actor) ?? []), index]);
  }
  for (const { task, tries, key, told } of records) {
    const say = (what: string) => problems.push(`${tries.at(-1)?.actor} (${task.what}): ${what}`);
    const own = tries.flatMap(({ actor }) => written.get(actor) ?? []);
    if (own.length > 1) say(`was done ${own.length} times`);
    if (told.kind === "done" && own.length === 0)
      say(`${told.position} was acknowledged and is lost`);
    if (key !== undefined && told.kind === "unknown") say("nobody was ever told what became of it");
    for (const one of tries) {
      const [index, ...more] = written.get(one.actor) ?? [];
      if (index === undefined || more.length > 0) {
        const isKnown = own.length === 0 || one.told.kind !== "conflict";
        const wrong = isKnown ? judgeUnwritten(task.command, one, past) : undefined;
        if (wrong !== undefined) say(wrong);
      } else {
        const commit = commits[index];
        const wrong = commit && judgeWritten(task.command, one.told, commit, index, past);
        if (wrong !== undefined) say(wrong);
      }
    }
  }
  return problems;
}

/** The decision of a command after so many commits. */
function decideAt(command: Asked, commits: number, nowMs: number, past: Past) {
  const { writes, relies = {}, groups = {}, admission } = command;
  if (admission !== undefined) {
    const judged = Object.entries(admission.streams).map(([name, { noun, id }]) => {
      return [name, past.stateOf(streamOf(noun, id), commits)] as const;
    });
    const rejection = admission.refusal(Object.fromEntries(judged), nowMs);
    if (rejection !== undefined) return { rejection, events: {}, members: {} };
  }
  const refs = Object.entries({ ...relies, ...writes });
  const states = refs.map(([name, { noun, id }]) => {
    return [name, past.stateOf(streamOf(noun, id), commits)] as const;
  });
  const members = Object.entries(groups).map(([name, group]) => {
    return [name, past.holdersOf(group, commits)] as const;
  });
  const totals = members.map(([name, { length }]) => [name, length] as const);
  const given = Object.fromEntries<unknown>([...states, ...totals]);
  const decision = command.decide(given as never, nowMs);
  return { ...decision, members: Object.fromEntries(members) };
}

/** The events that a decision comes to, by stream. */
function eventsOf(
  command: Asked,
  { events, members }: Pick<ReturnType<typeof decideAt>, "events" | "members">,
): Map<string, readonly NewEvent[]> {
  const byName = Object.entries(events as { readonly [name: string]: readonly NewEvent[] });
  return new Map(
    byName.flatMap(([name, all]) => {
      const ref = command.writes[name];
      const streams = ref === undefined ? (members[name] ?? []) : [streamOf(ref.noun, ref.id)];
      return all.length === 0 ? [] : streams.map((stream) => [stream, all] as const);
    }),
  );
}

/** What is wrong with what a command wrote in a commit. */
function judgeWritten(
  command: Asked,
  told: Told,
  { events, timeMs }: Commit,
  index: number,
  past: Past,
): string | undefined {
  if (told.kind === "unavailable") return "it surely did not happen, and did";
  if (told.kind === "conflict") return "it gave way, and did not";
  const decision = decideAt(command, index, timeMs, past);
  const expected = Object.fromEntries(eventsOf(command, decision));
  const found: { [stream: string]: NewEvent[] } = {};
  for (const { stream, type, payload } of events) {
    found[stream] = [...(found[stream] ?? []), { type, payload: JSON.parse(payload) }];
  }
  if (!isDeepStrictEqual(found, plain(expected))) {
    return `it wrote ${JSON.stringify(found)} where it was to write ${JSON.stringify(expected)}`;
  }
  const { rejection } = decision;
  if (told.kind === "rejected" && rejection?.reason !== told.reason)
    return `${told.reason} is not so`;
  if (told.kind === "done" && rejection !== undefined) return `${rejection.reason} was not told`;
  const isItsOwn =
    told.kind !== "done" || events.some((event) => String(event.position) === told.position);
  return isItsOwn ? undefined : "it was told another position";
}

/** What is wrong with the end of a command that wrote nothing. */
function judgeUnwritten(
  command: Asked,
  { told, from, until, nowMs }: Try,
  past: Past,
): string | undefined {
  if (told.kind === "done") return `${told.position} was acknowledged and is lost`;
  if (told.kind !== "rejected" || beyondStates.includes(told.reason)) return undefined;
  for (let commits = from; commits <= until; commits += 1) {
    const decision = decideAt(command, commits, nowMs, past);
    const events = eventsOf(command, decision);
    const { rejection } = decision;
    if (events.size === 0 && rejection?.reason === told.reason) return undefined;
    if (refusesClaim(command, events, told.reason, commits, nowMs, past)) return undefined;
  }
  return `it was refused for ${told.reason}, which was never so`;
}

/** Whether another stream held what the events claim, and that is what was refused. */
function refusesClaim(
  { writes }: Asked,
  all: ReadonlyMap<string, readonly NewEvent[]>,
  reason: string,
  commits: number,
  timeMs: number,
  past: Past,
): boolean {
  return Object.values(writes).some(({ noun, id, owner = "org-1" }) => {
    const stream = streamOf(noun, id);
    let state = past.stateOf(stream, commits);
    for (const { type, payload } of all.get(stream) ?? []) {
      const envelope = { position: 0n, stream, version: 0, owner, actor: "", timeMs };
      state = evolve(state, { ...envelope, type, payload: JSON.stringify(payload) });
    }
    const claims = state === undefined ? [] : noun.claims(state);
    return claims.some((claim) => {
      const holder = past.holderOf(claimKey(claim), commits);
      const isTaken = holder !== undefined && holder !== stream;
      return isTaken && noun.claimRefusals?.[claim.kind]?.reason === reason;
    });
  });
}

function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}
