import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Child, startChild } from "../../../bench/child.ts";
import type { Random } from "../../gateway/unary/random.ts";
import type { Outcome } from "../ledger.ts";
import type { Asked } from "../load.ts";
import type { NodeAnswers } from "./node.ts";

/** A node as its callers know it. */
export type Node = Child<NodeAnswers>;

/** Several nodes, each of which is started again when it has ended. */
export interface Nodes {
  /** One that serves, as soon as there is one; rejects when all are to finish. */
  any(): Promise<Node>;
  /** All that serve. */
  all(): readonly Node[];
  /** Ends one at once, be it while it starts, or all. */
  kill(which: "one" | "all"): Promise<void>;
  /** Asks a node; what it did not live to answer, nobody knows. */
  ask(asked: Asked): Promise<Outcome>;
  /** Lets all finish. */
  close(): Promise<void>;
}

/** How nodes are started. */
interface NodesOptions {
  readonly random: Random;
  /** The URL of the database, as each has it. */
  readonly urls: readonly string[];
  /** The copy of the project that they run. */
  readonly project: string;
  /** Where goes what they say: a file. */
  readonly stderr: number;
}

/** Milliseconds before whoever got nothing done tries again. */
const againMs = 20;

/** Starts a node for each URL. */
export function startNodes({ random, urls, project, stderr }: NodesOptions): Nodes {
  const file = join(project, "test/crash/postgres/node.ts");
  const running = new Set<Node>();
  const serving = new Set<Node>();
  let isOver = false;

  async function keep(url: string): Promise<void> {
    while (!isOver) {
      const node = startChild<NodeAnswers>(file, { args: [url], stderr });
      running.add(node);
      // It never answers where its database is away, or where it is killed before that.
      const isReady = await node.ask("ready").catch(() => false);
      if (isReady) serving.add(node);
      await node.gone;
      running.delete(node);
      serving.delete(node);
      if (!isReady) await pause(againMs);
    }
  }

  const kept = urls.map(keep);

  async function any(): Promise<Node> {
    while (serving.size === 0) {
      if (isOver) throw new Error("nodes have finished");
      await pause(againMs);
    }
    return random.pick([...serving]);
  }

  return {
    any,
    all: () => [...serving],
    async kill(which) {
      const killed = which === "all" ? [...running] : [random.pick([...running])];
      await Promise.all(killed.map((node) => node.kill()));
    },
    async ask(asked) {
      const outcome = await any()
        .then((node) => node.ask("ask", asked))
        .catch((): Outcome => ({ kind: "unknown" }));
      if (outcome.kind !== "acknowledged") await pause(againMs);
      return outcome;
    },
    async close() {
      isOver = true;
      await Promise.all([...running].map((node) => node.stop()));
      await Promise.all(kept);
    },
  };
}
