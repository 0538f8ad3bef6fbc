import { setTimeout as pause } from "node:timers/promises";
import type { LogIdentity } from "../chain/chain.ts";
import type { Projector } from "../projector.ts";
import type { LogReader } from "../verify/reader.ts";
import { restMs } from "../verify/rest.ts";
import { checkSeals, type Hear, type SealsCheck, sealsOf } from "../verify/sealed.ts";
import { inDatabase } from "./database.ts";
import { longMs, postgresLimits } from "./limits.ts";
import type { Pool } from "./pool.ts";
import { checkServed } from "./verify/tables.ts";
import { createReader } from "./verify/verify.ts";

/**
 * Checks the chain of the log in a database up to where it ends, and then that each object is as it
 * was written, on a connection of its own: in short pieces with rests, so that it takes this part
 * of a core. Rejects with `StoreUnavailable` where the database cannot be read, and where it was
 * stopped.
 */
export function startCheck(
  { url, projector }: { readonly url: string; readonly projector: Projector },
  identity: LogIdentity,
  { report, count }: Hear,
  share: number,
): SealsCheck {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function check(pool: Pool) {
    let events = 0;
    const done = () => {
      events += 1;
    };
    const limits = { ...postgresLimits, eventsAtOnce: postgresLimits.checkedAtOnce };
    const { at } = createReader(pool, limits);
    const reader: LogReader = {
      at: async (piece) => {
        const sinceMs = performance.now();
        const result = await at(piece);
        count(events);
        await pause(restMs(performance.now() - sinceMs, share), undefined, { signal });
        return result;
      },
    };
    const steps = { begin: () => {}, done };
    await checkServed(pool, projector, report);
    return await checkSeals(reader, { ...sealsOf(identity), steps, isAlone: true }, report);
  }

  const limits = { ...postgresLimits, connections: 1, statementMs: longMs };
  const checked = inDatabase(url, check, limits, projector.revision);
  return {
    checked,
    stop: async () => {
      stopping.abort();
      await checked.catch(() => {});
    },
  };
}
