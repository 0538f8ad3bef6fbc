import type Database from "better-sqlite3";
import type { Quota, RecordedEvent } from "../../event.ts";
import type { Asking } from "../message.ts";
import { prepareQuotas } from "./quota.ts";
import { prepareRows } from "./row.ts";

/**
 * Prepares what counts anew what a log has used of quotas, and when what waits is due by them,
 * inside a transaction that makes everything else anew as well. It holds what it hears in a table
 * for the time.
 */
export function prepareRecount(db: Database.Database, asking: Asking) {
  db.exec(`
    DELETE FROM quotas;
    CREATE TEMP TABLE asked (
      position INTEGER, field TEXT, time INTEGER, quotas TEXT, PRIMARY KEY (position, field)
    ) WITHOUT ROWID;
  `);
  const keep = db.prepare("INSERT INTO asked VALUES (?, ?, ?, ?)");
  return {
    /** Hears all events of a stream. */
    hear(events: readonly RecordedEvent[]) {
      const times = new Map(events.map(({ position, timeMs }) => [position, timeMs]));
      for (const { position, field, quotas } of asking(events)) {
        keep.run(position, field, times.get(position), JSON.stringify(quotas));
      }
    },
    /** Counts what it has heard of, in the order of the log. Called once. */
    count() {
      const counting = prepareQuotas(db);
      const wait = db.prepare(
        `UPDATE messages SET due = @due, since = @due
         WHERE position = @position AND field = @field`,
      );
      for (const { position, field, time, quotas } of eachAsked(db)) {
        const message = { event: 0, field, quotas: JSON.parse(quotas) as readonly Quota[] };
        const plan = counting.plan({ changes: [{ messages: [message] }], timeMs: Number(time) });
        // Where less is allowed by now than there was then, nothing is left, and that is counted.
        if (plan.refused !== undefined) continue;
        counting.keep(plan, Number(time));
        wait.run({ position, field, due: plan.due.get(message) });
      }
      db.exec("DROP TABLE asked");
    },
  };
}

interface AskedColumns {
  readonly position: bigint;
  readonly field: string;
  readonly time: bigint;
  readonly quotas: string;
}

/** All that was asked for, in the order of the log. */
function* eachAsked(db: Database.Database): Generator<AskedColumns> {
  // A connection cannot write while it iterates over a query.
  const next = prepareRows<[bigint, string], AskedColumns>(
    db,
    "SELECT * FROM asked WHERE (position, field) > (?, ?) ORDER BY position, field LIMIT 1000",
  );
  for (let page = next.all(0n, ""); page.length > 0; ) {
    yield* page;
    const { position, field } = page.at(-1) ?? { position: 0n, field: "" };
    page = next.all(position, field);
  }
}
