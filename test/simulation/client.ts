import type { Outcome } from "../../src/execute/command.ts";
import { OutcomeUnknown, StoreUnavailable } from "../../src/store/store.ts";
import type { Cluster } from "./cluster.ts";
import type { Node } from "./node.ts";
import type { Server } from "./server.ts";
import type { Task } from "./task.ts";
import { sleep, type World } from "./world.ts";

/** What somebody was told of a task. */
export type Told =
  | { readonly kind: "done"; readonly position: string }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "conflict" }
  /** It surely did not happen. */
  | { readonly kind: "unavailable" }
  /** Nobody knows. */
  | { readonly kind: "unknown" };

/** One time that a task was asked for. */
export interface Try {
  /** The actor of what it wrote, and of nothing else. */
  readonly actor: string;
  told: Told;
  /** How many commits there were when it was asked for, and when it was told. */
  readonly from: number;
  until: number;
  /** The time of the node by then. */
  nowMs: number;
}

/** A task, and how often it was asked for. */
export interface Record {
  readonly task: Task;
  readonly tries: Try[];
  /** Under which its end is remembered, where it is. */
  readonly key: string | undefined;
  /** The last that was heard of it. */
  told: Told;
}

/** Milliseconds for which a client waits for an answer, and at most between two tries. */
const answerMs = 8_000;
const againMs = 500;

/** Has tasks done, one after the other, and notes what it is told. */
export function createClient(world: World, server: Server, cluster: Cluster, records: Record[]) {
  const { random } = world;

  async function node(): Promise<Node> {
    for (;;) {
      const found = cluster.anyNode();
      if (found !== undefined) return found;
      await sleep(world, againMs);
    }
  }

  async function tryOnce(record: Record): Promise<Told> {
    const { task, key, tries } = record;
    const on = await node();
    const remembered = await recall(on, key);
    if (remembered !== "nothing") return remembered;
    const actor = `op-${records.indexOf(record)}.${tries.length}`;
    const from = server.commits.length;
    const one: Try = { actor, told: { kind: "unknown" }, from, until: from, nowMs: 0 };
    tries.push(one);
    world.say(() => `${actor}: ${task.what}, on ${on.name}`);
    const remembering = key === undefined ? undefined : { key, keep: keepOf(key) };
    const { promise, resolve } = Promise.withResolvers<Told>();
    on.execute({ ...task.command, actor, remembering }).then(
      (outcome) => resolve(toldOf(outcome)),
      (error) => resolve(toldOfError(world, error)),
    );
    on.onEnd(() => resolve({ kind: "unknown" }));
    const callOff = world.time.after(answerMs, () => resolve({ kind: "unknown" }));
    one.told = await promise;
    callOff();
    one.until = server.commits.length;
    one.nowMs = on.now();
    world.say(() => `${actor}: ${JSON.stringify(one.told)}`);
    if (one.told.kind === "done") {
      const { position } = one.told;
      await readBack(world, random.once(2) ? on : await node(), position, actor);
    }
    return one.told;
  }

  return {
    /** Has one task done; what has no key is not asked for again once it may have happened. */
    async do(task: Task, key: string | undefined): Promise<void> {
      const record: Record = { task, tries: [], key, told: { kind: "unknown" } };
      records.push(record);
      for (;;) {
        record.told = await tryOnce(record);
        const { kind } = record.told;
        const isOpen = kind === "unknown" || (kind === "conflict" && record.tries.length > 1);
        if (kind !== "unavailable" && !(isOpen && key !== undefined)) return;
        await sleep(world, random.below(againMs));
      }
    },
  };
}

/** What is remembered of a task: what it wrote, since the log alone knows its position. */
type Kept = { readonly stream: string; readonly version: number } | Exclude<Told, { kind: "done" }>;

/** The end of a task that is remembered under its key. */
async function recall(on: Node, key: string | undefined): Promise<Told | "nothing"> {
  if (key === undefined) return "nothing";
  try {
    const ended = new Promise<never>((_, reject) => on.onEnd(() => reject(new Error("it ended"))));
    const kept = await Promise.race([on.store.recall(key, on.now()), ended]);
    if (kept === undefined) return "nothing";
    const end: Kept = JSON.parse(Buffer.from(kept.answer).toString());
    if ("kind" in end) return end;
    const read = on.store.readStream(end.stream, end.version - 1, 1);
    const [event] = await Promise.race([read, ended]);
    return { kind: "done", position: String(event?.position) };
  } catch {
    return { kind: "unknown" };
  }
}

function keepOf(key: string) {
  const bytes = (text: string) => new TextEncoder().encode(text);
  return (outcome: Outcome<unknown>) => ({
    request: bytes(key),
    answer: bytes(JSON.stringify(keptOf(outcome as Outcome<string>))),
    secret: undefined,
  });
}

function keptOf(outcome: Outcome<string>): Kept {
  const told = toldOf(outcome);
  if (told.kind !== "done" || outcome.kind !== "done") return told as Kept;
  const { stream = "", version = 0 } = outcome.written[0] ?? {};
  return { stream, version };
}

function toldOf(outcome: Outcome<string>): Told {
  switch (outcome.kind) {
    case "done":
      return { kind: "done", position: outcome.answer };
    case "rejected":
      return { kind: "rejected", reason: outcome.rejection.reason };
    case "conflict":
      return { kind: "conflict" };
  }
}

function toldOfError({ problems }: World, error: unknown): Told {
  if (error instanceof StoreUnavailable) return { kind: "unavailable" };
  if (!(error instanceof OutcomeUnknown)) problems.push(`a command failed: ${error}`);
  return { kind: "unknown" };
}

/** One who was told that something is done reads it, on whichever node. */
async function readBack(world: World, on: Node, told: string, actor: string): Promise<void> {
  const position = BigInt(told);
  const read = async () => {
    const { events } = await on.store.search({ after: position - 1n, limit: 1 });
    const [stored] = await on.store.load([events[0]?.stream ?? ""]);
    if (events[0]?.actor === actor && (stored?.position ?? 0n) >= position) return;
    world.problems.push(`${actor} was told of ${told}, which ${on.name} does not read then`);
  };
  // A node that ends meanwhile never answers.
  const ended = new Promise<void>((resolve) => on.onEnd(resolve));
  await Promise.race([ended, read().catch(passing)]);
}

function passing(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}
