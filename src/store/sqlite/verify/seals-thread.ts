import { constants, setPriority } from "node:os";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { createSteps } from "../../progress.ts";
import type { NamedHead } from "../../verify/chain.ts";
import { restMs } from "../../verify/rest.ts";
import { type CheckedSeals, checkSeals, type SealsIdentity, sealsOf } from "../../verify/sealed.ts";
import { headsIn } from "../chain.ts";
import { codeOf } from "../connection.ts";
import type { SqliteLimits } from "../limits.ts";
import { strangersInServed } from "../tables.ts";
import { readInPieces } from "./pieces.ts";
import { createReader } from "./reader.ts";
import { openUnchanged } from "./snapshot.ts";

// What runs in the thread of `thread.ts`: it checks what is sealed, and ends.

/** What the thread is started with. */
export interface SealsData {
  readonly path: string;
  readonly identity: SealsIdentity;
  readonly heads: readonly NamedHead[];
  readonly limits: SqliteLimits;
  /** Whether only the chain is checked, and not the objects. */
  readonly isOfChain?: boolean;
  /** The part of a core that it takes at most; left out, all of one, at the usual priority. */
  readonly share?: number;
}

/** What it tells; the last of these is one of the two last. */
export type Told =
  | { readonly damage: string }
  | { readonly progress: string }
  /** How many it has looked at, where it rests. */
  | { readonly events: number }
  | { readonly checked: CheckedSeals }
  | { readonly failed: { readonly message: string; readonly code: string } };

const { path, identity, heads, limits, isOfChain = false, share = 1 }: SealsData = workerData;
const tell = (told: Told) => parentPort?.postMessage(told);

const stopped = new Error("the caller no longer waits for it");
let isStopped = false;
let events = 0;
parentPort?.once("message", () => {
  isStopped = true;
});

async function rest(tookMs: number): Promise<void> {
  if (share === 1) await turn();
  else {
    tell({ events });
    await pause(restMs(tookMs, share));
  }
  if (isStopped) throw stopped;
}

async function check(): Promise<void> {
  // On Linux threads have priorities of their own; elsewhere it would be that of the process.
  if (share < 1 && process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
  const db = openUnchanged(path, limits);
  try {
    const { begin, done } = createSteps(limits.progressSteps, (progress) => tell({ progress }));
    const count = () => {
      events += 1;
      done();
    };
    const steps = { begin, done: count };
    const pieces = readInPieces(db, limits, rest);
    const reader = createReader(db, pieces);
    const own = () => headsIn(db);
    const isAlone = share < 1;
    const strangers = isAlone ? await pieces(() => strangersInServed(db)) : [];
    for (const { said } of strangers) tell({ damage: `file: ${said}` });
    const seals = { ...sealsOf(identity), own, heads, steps, isAlone, isOfChain };
    tell({ checked: await checkSeals(reader, seals, (damage) => tell({ damage })) });
  } finally {
    db.close();
  }
}

try {
  await check();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  if (error !== stopped) tell({ failed: { message, code: codeOf(error) } });
}
parentPort?.close();
