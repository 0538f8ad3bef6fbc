import type { Random } from "../gateway/native/random.ts";
import { type KindName, kinds } from "./kinds.ts";
import type { Call, Outcome } from "./ledger.ts";

/** What somebody wants done: the name is that of a new thing, or the id of one that is there. */
export interface Asked {
  /** Of this call alone. */
  readonly key: string;
  readonly kind: Call["kind"];
  readonly name: string;
  /** The project in which an application is, or is made. */
  readonly projectId: string;
}

/** Has it done; answers what became of it, as far as the caller knows. */
export type Ask = (asked: Asked) => Promise<Outcome>;

/** What a load writes to, and what it remembers. */
export interface Load {
  /** The ways to ask; each writer has one of them. */
  readonly asks: readonly Ask[];
  readonly random: Random;
  /** The kinds of things that are made; left out, all. */
  readonly kindNames?: readonly KindName[];
  /** All calls so far, of earlier loads too; each further one is added. */
  readonly calls: Call[];
  /** Told of each call as soon as its answer is there. */
  readonly answered?: (call: Call) => void;
  /** Ends it, once the calls in flight have come to something. */
  readonly over: AbortSignal;
  /** Whether writers go on after a call that got no answer, or was refused for want of room. */
  readonly goesOn?: boolean;
}

/** As many write at once. */
const writersAtOnce = 24;

/**
 * Writes until it is told to end, or until the service has: each writer makes things, projects of
 * its own with applications in them, new secrets of these, and removes some of the projects. Names
 * of which nobody knows whether they were taken are asked for again first, and some are asked for
 * by two at once.
 */
export async function drive(load: Load): Promise<void> {
  const { asks, calls } = load;
  const known = new Set(calls.filter(isSettled).map(keyOf));
  const again = calls.filter((call) => isContested(call.kind) && !known.has(keyOf(call)));
  const writers = Array.from({ length: writersAtOnce }, (_, i) =>
    write(load, asks[i % asks.length]!, again),
  );
  await Promise.all(writers);
}

/** Whether a later call for the same name is no news. */
function isSettled({ outcome }: Call): boolean {
  return outcome.kind === "acknowledged" || isTaken(outcome);
}

function isTaken(outcome: Outcome): boolean {
  return outcome.kind === "refused" && outcome.reason === "NAME_TAKEN";
}

function keyOf({ kind, name }: Call): string {
  return `${kind} ${name}`;
}

/** What is never removed, and so never asked for again in vain. */
function isContested(kind: Call["kind"]): kind is KindName {
  return kind === "action" || kind === "person";
}

async function write(load: Load, ask: Ask, again: Call[]): Promise<void> {
  const { random, calls, over } = load;
  const kindNames = load.kindNames ?? (Object.keys(kinds) as KindName[]);
  let project: string | undefined;
  let app: string | undefined;

  async function make(kind: Call["kind"], name = `${kind}-${calls.length}`): Promise<Call> {
    const call: Call = { number: calls.length, kind, name, outcome: { kind: "unknown" } };
    calls.push(call);
    const key = `${kind}-${call.number}`;
    call.outcome = await ask({ key, kind, name, projectId: project ?? "" });
    if (call.outcome.kind !== "unknown") load.answered?.(call);
    return call;
  }

  while (!over.aborted) {
    const call = await next();
    const { outcome } = call;
    if (call.kind === "removal") project = app = undefined;
    if (call.kind === "project" && outcome.kind === "acknowledged") project = outcome.id;
    if (call.kind === "api" && outcome.kind === "acknowledged") app = outcome.id;
    if (!load.goesOn && !isSettled(call)) return;
  }

  function next(): Promise<Call> {
    const old = again.pop();
    if (old !== undefined && isContested(old.kind)) return make(old.kind, old.name);
    if (project === undefined) return make("project");
    if (random.once(8)) return make("removal", project);
    if (app !== undefined && random.once(6)) return make("secret", app);
    const kind = random.pick(kindNames);
    const last = calls.findLast((call) => call.kind === kind);
    // Two that ask for one name at once: one gets it.
    if (isContested(kind) && last !== undefined && random.once(6)) return make(kind, last.name);
    return make(kind === "project" ? "api" : kind);
  }
}
