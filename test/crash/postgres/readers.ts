import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../../gateway/native/random.ts";
import type { Problem } from "../ledger.ts";
import type { Nodes } from "./nodes.ts";

/** Somebody who follows the log from node to node, by the tokens that come with its events. */
export interface Reader {
  /** The tokens of all events, in order; begun anew whenever the log had lost the place. */
  readonly lives: readonly (readonly string[])[];
  /** Resolves when it has been told to end. */
  readonly ended: Promise<void>;
}

/** Milliseconds before a reader who finds no node tries again. */
const againMs = 20;
/** A reader goes to another node after so many answers, about. */
const answersMean = 30;

/** Follows the log until the signal, however often nodes end. */
export function startReader(nodes: Nodes, random: Random, over: AbortSignal): Reader {
  const lives: string[][] = [[]];

  async function follow(): Promise<void> {
    const node = await nodes.any();
    const watch = node.watch(lives.at(-1)?.at(-1) ?? "");
    try {
      do {
        const told = await watch.next();
        if (told.kind === "outdated") lives.push([]);
        if (told.kind === "outdated") return;
        lives.at(-1)?.push(...told.tokens);
      } while (!over.aborted && !random.once(answersMean));
    } finally {
      watch.leave();
    }
  }

  async function read(): Promise<void> {
    while (!over.aborted) await follow().catch(() => pause(againMs));
  }

  return { lives, ended: read() };
}

/**
 * What is wrong with what a reader was told, of a log whose events have these tokens: at last each
 * of them, once and in order. What it was told before the log lost its place began so, too, and
 * went on with what the log has not.
 */
export function judgeReader({ lives }: Reader, tokens: readonly string[]): readonly Problem[] {
  const there = new Set(tokens);
  const skipped = (text: string): readonly Problem[] => [{ kind: "skipped", text }];
  for (const [index, life] of lives.entries()) {
    const isLast = index === lives.length - 1;
    const at = life.findIndex((token, i) => token !== tokens[i]);
    if (at < 0 && (life.length === tokens.length || !isLast)) continue;
    if (at < 0) return skipped(`a watch was told of ${life.length} of ${tokens.length} events`);
    const told = String(life[at]);
    if (life.indexOf(told) < at) {
      return [{ kind: "repeated", text: `a watch was told of ${told} again` }];
    }
    const isOfLost = !isLast && life.slice(at).every((token) => !there.has(token));
    if (!isOfLost) return skipped(`a watch was told of ${told} instead of ${tokens[at]}`);
  }
  return [];
}
