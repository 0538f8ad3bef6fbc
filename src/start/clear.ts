import { setImmediate as nextTurn } from "node:timers/promises";
import { action } from "../domain/action.ts";
import { endDependants, type Removed } from "../domain/dependants.ts";
import { group } from "../domain/group.ts";
import { idp } from "../domain/idp.ts";
import { idOf, isStreamOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { project } from "../domain/project.ts";
import { projectGrant } from "../domain/project-grant.ts";
import { role } from "../domain/role.ts";
import { operator } from "../domain/user/state/made.ts";
import { user } from "../domain/user/state/user.ts";
import { type Dependants, dependantLimits, findDependants } from "../execute/dependants.ts";
import type { Execute } from "../execute/execute.ts";
import type { Store } from "../store/store.ts";
import { type PieceOptions, startPeriodic, type Work } from "./periodic.ts";

/** The pace at which the rest of what was removed ends, piece by piece. */
export const clearLimits = {
  /** Milliseconds between two turns of a node, and at most until another node has one. */
  everyMs: 60_000,
  /** Pieces of one turn, each of which is one append: `dependantLimits`. */
  pieces: 50,
} as const;

/** The actor of the events by which it ends. */
const actor = "removal";

/** The events by which something ends with all that rests on it. */
const endings = [
  {
    types: [
      ...["org.removed", "project.removed", "project.grant.removed", "project.role.removed"],
      ...["group.removed", "idp.removed", "action.removed"],
    ],
  },
  // A cut copy repeats an erasure without the rest of its append: grants of the person are left.
  { types: ["user.erased"], actor: operator },
] as const;

/** What an event of these removed. */
function removedBy({ stream }: { readonly stream: string }): Removed {
  for (const noun of [org, project, projectGrant, role, group, idp, action, user]) {
    if (isStreamOf(noun, stream))
      return { kind: noun.kind as Removed["kind"], id: idOf(noun, stream) };
  }
  throw new TypeError(`nothing rests on ${stream}`);
}

interface ClearOptions {
  readonly store: Pick<Store, "search" | "list" | "holders">;
  readonly execute: Execute;
  readonly limits?: { readonly atOnce?: number; readonly pieces?: number };
}

/**
 * Makes the function that does one turn. It finds in the log what was removed, and ends what is
 * left of each. Where it is cut off, the next turn finds the rest, of whichever process.
 */
export function createClearing({ store, execute, limits }: ClearOptions): Work {
  const { atOnce, pieces } = { ...dependantLimits, ...clearLimits, ...limits };
  /** Up to there nothing is left of what was removed, by each of `endings`. */
  const through = endings.map(() => 0n);

  /** Ends one piece of what is left, as far as nobody else changes it meanwhile. */
  async function end(removed: Removed, { dependants, ...streams }: Dependants): Promise<void> {
    await execute({
      ...{ actor, isForRemoved: true, ...streams },
      decide: (states) => ({ events: endDependants(states, dependants, removed) }),
    });
  }

  return async (signal) => {
    let left: number = pieces;
    for (const [kind, ending] of endings.entries()) {
      for (; ; await nextTurn()) {
        const page = await store.search({ ...ending, after: through[kind] ?? 0n, limit: 1 });
        const [event] = page.events;
        if (event !== undefined) {
          const removed = removedBy(event);
          const found = await findDependants(store, removed, atOnce);
          if (found.dependants.length > 0) {
            if (left <= 0 || signal?.aborted) return;
            left -= 1;
            await end(removed, found);
            continue;
          }
        }
        through[kind] = event?.position ?? page.through;
        if (signal?.aborted) return;
        if (event === undefined && page.isEnd) break;
      }
    }
  };
}

/** Does so at once and every minute, and answers what ends it after the piece that has begun. */
export function startClearing({
  everyMs = clearLimits.everyMs,
  ...parts
}: ClearOptions & PieceOptions): () => Promise<void> {
  const options = { ...parts, name: "clear", everyMs, isUrgent: true };
  return startPeriodic(options, createClearing(parts));
}
