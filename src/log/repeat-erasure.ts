import { streamOf } from "../domain/noun.ts";
import { eraseAgain } from "../domain/user/erase.ts";
import { operator } from "../domain/user/state/made.ts";
import { user } from "../domain/user/state/user.ts";
import { doneOr } from "../execute/done.ts";
import type { Execute } from "../execute/execute.ts";
import { userRemoval } from "../execute/user-removal.ts";
import type { ErasureEntry } from "../store/chain/erasure-entry.ts";
import { erasesAll } from "../store/erasure.ts";
import type { Store } from "../store/store.ts";

/** An erasure that has to be repeated, with the organization of the person. */
export interface MissingErasure extends ErasureEntry {
  readonly owner: string;
  /** The version of a person who is removed, and not erased; else left out. */
  readonly removed?: number;
}

/** Those of the erasures, of which each person is erased at once, that the log has not. */
export async function missingErasures(
  log: Pick<Store, "load" | "readStream">,
  entries: readonly ErasureEntry[],
  atOnce: number,
): Promise<readonly MissingErasure[]> {
  const missing: MissingErasure[] = [];
  const people = [...new Map(entries.map((entry) => [entry.user, entry])).values()];
  for (let at = 0; at < people.length; at += atOnce) {
    const some = people.slice(at, at + atOnce);
    const objects = await log.load(some.map((entry) => streamOf(user, entry.user)));
    for (const [i, entry] of some.entries()) {
      const { version = 0, state, stream = "", owner = "" } = objects[i] ?? {};
      if (version === 0) continue;
      const [last] = state === undefined ? await log.readStream(stream, version - 1, 1) : [];
      if (!erasesAll(last?.type ?? ""))
        missing.push({ ...entry, owner, ...(state === undefined ? { removed: version } : {}) });
    }
  }
  return missing;
}

/** Erases a person again, with what has streams of its own. Answers whether anything was left. */
export async function repeatErasure(
  execute: Execute,
  newId: () => string,
  { owner, user: userId, removed, ...earlier }: MissingErasure,
): Promise<boolean> {
  const outcome = await execute({
    actor: operator,
    ...userRemoval({ userId, owner, newId, version: removed }),
    decide: (states, nowMs) =>
      eraseAgain(states.user, { ...earlier, userId, isRemoved: removed !== undefined }, nowMs),
  });
  // Nothing else happens to one who is removed: another node was first.
  if (removed !== undefined && outcome.kind === "conflict") return false;
  return doneOr(outcome, "a person could not be erased again").written.length > 0;
}
