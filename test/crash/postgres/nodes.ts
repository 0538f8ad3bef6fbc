import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startChild } from "../../../bench/child.ts";
import type { Random } from "../../gateway/native/random.ts";
import type { Outcome } from "../ledger.ts";
import type { Ask, Asked } from "../load.ts";
import type { NodeAnswers, Told } from "./node.ts";

/** A node as its callers know it. */
export interface Node {
  /** Resolves to whether it serves: it never does where its database is away, or it is killed. */
  readonly ready: Promise<boolean>;
  /** Rejects where it does not live to answer. */
  readonly ask: Ask;
  /** Watches the log behind a token, or from its beginning. */
  watch(from: string): Watching;
  /** Lets it finish, or ends it at once, and waits until it is gone. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Has it stand still, or go on. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  readonly gone: Promise<unknown>;
}

/** A watch of one node. */
export interface Watching {
  /** What is new, if anything is soon; rejects where it has ended otherwise than it should. */
  next(): Promise<Told>;
  leave(): void;
}

/** Several nodes, each of which is started again when it has ended. */
export interface Nodes {
  /** One that serves, as soon as there is one; rejects when none does for far too long. */
  any(): Promise<Node>;
  /** All that serve. */
  all(): readonly Node[];
  /** Ends one at once, be it while it starts, or all. */
  kill(which: "one" | "all"): Promise<void>;
  /**
   * Has one stand still while the work is done, from a moment on that is chosen by its number; who
   * asks meanwhile asks others.
   */
  halt(moment: (node: number) => Promise<void>, work: () => Promise<void>): Promise<void>;
  /** How many that served have ended by themselves. */
  fallen(): number;
  /** Asks a node; what it did not live to answer, nobody knows. */
  readonly ask: Ask;
  /** Lets all finish. */
  close(): Promise<void>;
}

/** How nodes are started. */
interface NodesOptions {
  readonly random: Random;
  readonly starts: readonly (() => Node)[];
  /** Whether a call that got no answer is made again, until it is known what became of it. */
  readonly insists: boolean;
}

/** Milliseconds before one who got nothing done tries again. */
const againMs = 20;
/** Milliseconds in which a busy machine gets done what is waited for. */
export const patienceMs = 60_000;

/** Starts all, and each again when it is gone. */
export function startNodes({ random, starts, insists }: NodesOptions): Nodes {
  const running = new Set<Node>();
  /** Those that serve, by their numbers. */
  const serving = new Map<Node, number>();
  const ended = new WeakSet<Node>();
  let fallen = 0;
  let isOver = false;

  async function keep(start: () => Node, number: number): Promise<void> {
    while (!isOver) {
      const node = start();
      running.add(node);
      const isReady = await node.ready;
      if (isReady) serving.set(node, number);
      await node.gone;
      if (isReady && !isOver && !ended.has(node)) fallen += 1;
      running.delete(node);
      serving.delete(node);
      if (!isReady) await pause(againMs);
    }
  }

  const kept = starts.map(keep);

  /** One of at least so many that serve. */
  async function any(countMin = 1): Promise<Node> {
    for (let leftMs = patienceMs; serving.size < countMin; leftMs -= againMs) {
      if (isOver || leftMs <= 0) throw new Error(`${serving.size} nodes serve, not ${countMin}`);
      await pause(againMs);
    }
    return random.pick([...serving.keys()]);
  }

  async function askOne(asked: Asked): Promise<Outcome> {
    const outcome = await any()
      .then((node) => node.ask(asked))
      .catch((): Outcome => ({ kind: "unknown" }));
    if (outcome.kind !== "acknowledged") await pause(againMs);
    return outcome;
  }

  return {
    any: () => any(),
    all: () => [...serving.keys()],
    async kill(which) {
      const killed = which === "all" ? [...running] : [random.pick([...running])];
      for (const node of killed) ended.add(node);
      await Promise.all(killed.map((node) => node.kill()));
    },
    async halt(moment, work) {
      // Where one serves alone, all who asked it would wait with it.
      const node = await any(2);
      const number = serving.get(node) ?? 0;
      await moment(number);
      node.signal("SIGSTOP");
      serving.delete(node);
      try {
        await work();
      } finally {
        node.signal("SIGCONT");
        if (running.has(node)) serving.set(node, number);
      }
    },
    fallen: () => fallen,
    async ask(asked) {
      let outcome = await askOne(asked);
      if (!insists || outcome.kind !== "unknown") return outcome;
      // It may have happened, until one is told that it has, or what keeps it from that.
      while (!isOver && (outcome.kind === "unknown" || isPassing(outcome))) {
        outcome = await askOne(asked);
      }
      return isPassing(outcome) ? { kind: "unknown" } : outcome;
    },
    async close() {
      isOver = true;
      await Promise.all([...running].map((node) => node.stop()));
      await Promise.all(kept);
    },
  };
}

function isPassing(outcome: Outcome): boolean {
  return outcome.kind === "refused" && ["UNAVAILABLE", "SHUTTING_DOWN"].includes(outcome.reason);
}

/** What a node is started with. */
export interface NodeOptions {
  /** The settings of the log. */
  readonly env: { readonly [name: string]: string };
  /** The copy of the project that it runs. */
  readonly project: string;
  /** Where goes what it says: a file. */
  readonly stderr: number;
}

/** Starts a node that has no gateway. */
export function startBareNode({ env, project, stderr }: NodeOptions): Node {
  const file = join(project, "test/crash/postgres/node.ts");
  const { ask, stop, kill, signal, gone } = startChild<NodeAnswers>(file, { env, stderr });
  let watches = 0;
  return {
    ready: ask("ready").catch(() => false),
    ask: (asked) => ask("ask", asked),
    watch(from) {
      watches += 1;
      const id = watches;
      return {
        next: () => ask("watch", { id, from }),
        leave: () => void ask("leave", id).catch(() => {}),
      };
    },
    ...{ stop, kill, signal, gone },
  };
}
