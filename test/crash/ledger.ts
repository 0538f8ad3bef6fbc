import Database from "better-sqlite3";
import { type KindName, kinds } from "./kinds.ts";

/** A row of the log, as any program reads it that speaks SQLite. */
export interface Row {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly owner: string;
  readonly actor: string;
  readonly time: number;
  readonly payload: string;
}

/**
 * A call that makes a thing of a name, removes the project with a name that is its id, or makes the
 * secret of such an application anew, which can be done any number of times.
 */
export interface Call {
  readonly number: number;
  readonly kind: KindName | "removal" | "secret";
  readonly name: string;
  outcome: Outcome;
}

/** What became of a call, as far as its caller knows. */
export type Outcome =
  | { readonly kind: "acknowledged"; readonly id: string; readonly sequence: number }
  /** It did not happen: another has the name, or there was no room for it. */
  | { readonly kind: "refused"; readonly reason: string }
  /** No answer came, or one that says that nobody knows: it happened, or it did not. */
  | { readonly kind: "unknown" };

/**
 * What may be wrong with a log: something acknowledged is not there; something is there that nobody
 * did; a call was done more than once; one happened by half; an event has changed; `verify` finds
 * damage, or the service does not serve; a call was refused for no good reason; a message was lost
 * or recorded twice; a watch was not told of an event, or told of one again; a node ended by
 * itself, or did not go on while another stood still.
 */
export const problemKinds = [
  "lost",
  "phantom",
  "twice",
  "torn",
  "changed",
  "damaged",
  "refused",
  "message",
  "skipped",
  "repeated",
  "ended",
  "stalled",
] as const;

/** Something that is wrong, in a sentence. */
export interface Problem {
  readonly kind: (typeof problemKinds)[number];
  readonly text: string;
}

/**
 * The rows of the log in the file; none where there is no log in it yet. What a crash has left
 * beside a file it brings into it, unless it is to leave everything as it is.
 */
export function readRows(path: string, { readonly = true } = {}): readonly Row[] {
  const log = new Database(path, { readonly, fileMustExist: true });
  try {
    const hasTable = log.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get();
    if (hasTable === undefined) return [];
    const columns = "position, stream, version, type, owner, actor, time, payload";
    return log.prepare(`SELECT ${columns} FROM events ORDER BY position`).all() as Row[];
  } finally {
    log.close();
  }
}

/** The reasons with which a call may be refused that then did not happen. */
const reasons = ["NAME_TAKEN", "UNAVAILABLE", "SHUTTING_DOWN"];

/**
 * Compares a log with all calls that were ever made: what was acknowledged is there as it was
 * answered, what was refused is not, the rest is wholly there or not at all, and nothing else is.
 */
export function compare(rows: readonly Row[], calls: readonly Call[]): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (kind: Problem["kind"], text: string) => problems.push({ kind, text });
  const streams = Map.groupBy(rows, ({ stream }) => stream);
  const made = madeIn(streams);
  for (const [index, { position }] of rows.entries()) {
    if (position === index + 1) continue;
    report("torn", `position ${position} stands where ${index + 1} should`);
    break;
  }

  const making = calls.filter(({ kind }) => kind in kinds);
  const asked = Map.groupBy(making, ({ kind, name }) => `${kind} ${name}`);
  for (const [key, asking] of asked) {
    const found = made.get(key) ?? [];
    const outcomes = asking.map(({ outcome }) => outcome);
    for (const outcome of outcomes) {
      if (outcome.kind === "acknowledged") {
        const row = rows[outcome.sequence - 1];
        const isThere = found.some(({ stream }) => stream.endsWith(`-${outcome.id}`));
        if (!isThere || row?.stream !== found[0]?.stream) {
          report("lost", `${key}, acknowledged as ${outcome.id} at ${outcome.sequence}`);
        }
      } else if (outcome.kind === "refused") {
        const { reason } = outcome;
        if (!reasons.includes(reason)) report("refused", `${key} was refused with ${reason}`);
        if (reason === "NAME_TAKEN" && found.length === 0) {
          report("lost", `${key} was taken, and nobody has it`);
        }
      }
    }
    const happened = outcomes.filter(({ kind }) => kind !== "refused").length;
    if (found.length > Math.min(happened, 1)) report("phantom", `${key}: ${found.length} of it`);
  }
  const setUp = rows.find(({ type }) => type === "instance.set.up");
  for (const [key, found] of made) {
    const isOfStart = found.every(({ time }) => time === setUp?.time);
    if (!asked.has(key) && !isOfStart) report("phantom", `${key} was never asked for`);
  }
  reportTorn(calls, rows, streams, report);
  reportRemovals(calls, streams, report);
  reportSecrets(calls, streams, report);
  for (const [position, sent] of sentIn(rows)) {
    if (sent.length > 1) report("message", `the message of ${position} was recorded twice`);
  }
  return problems;
}

/** The events that record that a message went out, by the position of the one that asked for it. */
export function sentIn(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const sent = rows.filter(({ type }) => type.endsWith(".sent"));
  return Map.groupBy(sent, ({ payload }) => String(JSON.parse(payload).position));
}

type Streams = ReadonlyMap<string, readonly Row[]>;
type Report = (kind: Problem["kind"], text: string) => void;

/** The first rows of what was made, by kind and name. */
function madeIn(streams: Streams): ReadonlyMap<string, readonly Row[]> {
  const firsts = [...streams.values()].flatMap(([first, second]) => {
    if (first === undefined) return [];
    const kind = kindOf(first, second);
    return kind === undefined ? [] : [[kind, first] as const];
  });
  const named = Map.groupBy(firsts, ([kind, { payload }]) => {
    const { name, userName } = JSON.parse(payload) as { name?: string; userName?: string };
    return `${kind} ${userName ?? name}`;
  });
  return new Map([...named].map(([key, found]) => [key, found.map(([, first]) => first)]));
}

function kindOf(first: Row, second: Row | undefined): KindName | undefined {
  const ofNoun = (Object.keys(kinds) as KindName[]).filter(
    (name) => kinds[name].noun === first.stream.split("-", 1)[0],
  );
  // Two kinds of applications differ in their second event only.
  return ofNoun.find((name) => second?.type.includes(`.${name}.`)) ?? ofNoun[0];
}

/** What a call writes is there at once: the events that an acknowledged one of its kind has. */
function reportTorn(
  calls: readonly Call[],
  rows: readonly Row[],
  streams: Streams,
  report: Report,
): void {
  const shapes = new Map<string, readonly string[]>();
  for (const { kind, outcome } of calls) {
    if (!(kind in kinds) || outcome.kind !== "acknowledged" || shapes.has(kind)) continue;
    const stream = rows[outcome.sequence - 1]?.stream ?? "";
    const ofCall = (streams.get(stream) ?? []).filter((row) => row.position <= outcome.sequence);
    shapes.set(
      kind,
      ofCall.map(({ type }) => type),
    );
  }
  for (const [stream, [first, second, ...more]] of streams) {
    if (first === undefined) continue;
    const shape = shapes.get(kindOf(first, second) ?? "") ?? [];
    // What the first start made begins in another way.
    if (first.type !== shape[0]) continue;
    const isWhole = shape.every((type, index) => {
      const row = [first, second, ...more][index];
      return row?.type === type && row.position === first.position + index;
    });
    if (!isWhole) report("torn", `${stream} lacks events`);
  }
}

/** A project goes with its applications, or stays with them. */
function reportRemovals(calls: readonly Call[], streams: Streams, report: Report): void {
  const isRemoved = (stream: readonly Row[] | undefined) =>
    stream?.at(-1)?.type.endsWith(".removed") ?? false;
  const apps = [...streams.values()].filter(([first]) => first?.stream.startsWith("app-"));
  const byProject = Map.groupBy(apps, ([first]) => JSON.parse(first!.payload).projectId as string);
  for (const { kind, name, outcome } of calls) {
    if (kind !== "removal") continue;
    const isGone = isRemoved(streams.get(`project-${name}`));
    const left = (byProject.get(name) ?? []).filter((app) => isRemoved(app) !== isGone);
    if (left.length > 0) report("torn", `the removal of ${name} left ${left.length} applications`);
    if (outcome.kind === "acknowledged" && !isGone) report("lost", `the removal of ${name}`);
    if (outcome.kind === "refused" && isGone) report("phantom", `the removal of ${name}`);
  }
}

/** Each secret that was acknowledged is there, and no more than were asked for. */
function reportSecrets(calls: readonly Call[], streams: Streams, report: Report): void {
  const asked = calls.filter(({ kind }) => kind === "secret");
  for (const [id, asking] of Map.groupBy(asked, ({ name }) => name)) {
    const outcomes = Map.groupBy(asking, ({ outcome }) => outcome.kind);
    const least = outcomes.get("acknowledged")?.length ?? 0;
    const most = least + (outcomes.get("unknown")?.length ?? 0);
    const events = streams.get(`app-${id}`) ?? [];
    const found = events.filter(({ type }) => type.endsWith(".secret.changed")).length;
    if (found < least) report("lost", `${least} new secrets of ${id}: it has had ${found}`);
    if (found > most) report("twice", `${id} has had ${found} new secrets, of ${most}`);
    for (const { outcome } of outcomes.get("refused") ?? []) {
      if (outcome.kind !== "refused" || reasons.includes(outcome.reason)) continue;
      report("refused", `a new secret of ${id} was refused with ${outcome.reason}`);
    }
  }
}
