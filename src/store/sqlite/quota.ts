import type Database from "better-sqlite3";
import { clearMs, type Usage } from "../quota.ts";
import { type Asked, type KeptUsage, planQuotas, type QuotaPlan } from "../quota-plan.ts";
import { bound, preparePerCount } from "./sql.ts";

/** Prepares what counts the messages of appends, inside the transactions of their batches. */
export function prepareQuotas(db: Database.Database) {
  const usage = db.prepare<[Buffer], Usage>(
    "SELECT used AS usedMs, debt, told AS toldMs FROM quotas WHERE digest = ?",
  );
  const keep = preparePerCount(
    db,
    (values) => `INSERT INTO quotas (digest, used, debt, told, clear) VALUES ${values}
      ON CONFLICT (digest) DO UPDATE SET used = excluded.used, debt = excluded.debt,
        told = excluded.told, clear = excluded.clear`,
    5,
  );
  // Two for each that is kept, so that those of no use are never many.
  const sweep = db.prepare(
    `DELETE FROM quotas WHERE digest IN
       (SELECT digest FROM quotas WHERE clear <= ? ORDER BY clear LIMIT ${bound})`,
  );
  const valuesOf = ({ digest, quota, usage: { usedMs, debt, toldMs } }: KeptUsage) => {
    return [digest, usedMs, debt, toldMs, clearMs(quota, { usedMs, debt, toldMs })];
  };
  return {
    plan: (asked: Asked) => planQuotas(asked, (digest) => usage.get(digest)),
    /** Keeps what was used at a time. */
    keep: ({ kept }: QuotaPlan, timeMs: number) => {
      if (kept.length === 0) return;
      sweep.run(timeMs, 2 * kept.length);
      keep(kept.map(valuesOf));
    },
  };
}
