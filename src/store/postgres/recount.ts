import type { Quota, RecordedEvent } from "../../event.ts";
import type { Asking } from "../message.ts";
import { clearMs } from "../quota.ts";
import { type KeptUsage, planQuotas } from "../quota-plan.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Connection } from "./pool.ts";
import { fromStored, toStored } from "./text.ts";

export type Recount = Awaited<ReturnType<typeof createRecount>>;

/**
 * Prepares what counts anew what a log has used of quotas, and when what waits is due by them,
 * inside a transaction that makes everything else anew as well. It holds what it hears in a table
 * for the time, and in memory what counts at one time.
 */
export async function createRecount(
  connection: Connection,
  asking: Asking,
  { eventsAtOnce }: Pick<PostgresLimits, "eventsAtOnce">,
) {
  let heard: AskedColumns[] = [];
  await connection.query("DELETE FROM iam.quotas");
  await connection.query(
    `CREATE TEMP TABLE iam_asked (
       position bigint, field text COLLATE "C", time bigint, quotas text,
       PRIMARY KEY (position, field)
     ) ON COMMIT DROP`,
  );

  /** All that was asked for, in the order of the log. */
  async function* pages(): AsyncGenerator<readonly AskedColumns[]> {
    let last: AskedColumns | undefined;
    do {
      const page: readonly AskedColumns[] = await connection.query<AskedColumns>(
        `SELECT * FROM iam_asked WHERE (position, field) > ($1, $2)
           ORDER BY position, field LIMIT $3`,
        [last?.position ?? 0n, last?.field ?? "", eventsAtOnce],
      );
      yield page;
      last = page.at(-1);
    } while (last !== undefined);
  }

  return {
    /** Hears all events of a stream. */
    hear(events: readonly RecordedEvent[]) {
      const times = new Map(events.map(({ position, timeMs }) => [position, BigInt(timeMs)]));
      for (const { position, field, quotas } of asking(events)) {
        const time = times.get(position) ?? 0n;
        const texts = { field: toStored(field), quotas: toStored(JSON.stringify(quotas)) };
        heard.push({ position, time, ...texts });
      }
    },
    /** Puts aside what it has heard. */
    async keep() {
      await connection.query(
        `INSERT INTO iam_asked (position, field, time, quotas)
           SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[])`,
        (["position", "field", "time", "quotas"] as const).map((name) =>
          heard.map((one) => one[name]),
        ),
      );
      heard = [];
    },
    /** Counts all of that, in the order of the log. Called once. */
    async count() {
      const used = new Map<string, KeptUsage>();
      let nowMs = 0;
      for await (const page of pages()) {
        const due = page.flatMap((asked) => countOne(used, asked) ?? []);
        nowMs = Number(page.at(-1)?.time ?? nowMs);
        for (const [key, { quota, usage }] of used) {
          if (clearMs(quota, usage) <= nowMs) used.delete(key);
        }
        await connection.query(
          `UPDATE iam.messages m SET due = w.due, since = w.due
             FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS w(position, field, due)
             WHERE m.position = w.position AND m.field = w.field`,
          [
            due.map(({ position }) => position),
            due.map(({ field }) => field),
            due.map(({ dueMs }) => dueMs),
          ],
        );
      }
      const kept = [...used.values()];
      await connection.query(
        `INSERT INTO iam.quotas (digest, used, debt, told, clear)
           SELECT * FROM
             unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])`,
        [
          kept.map(({ digest }) => digest),
          kept.map(({ usage }) => usage.usedMs),
          kept.map(({ usage }) => usage.debt),
          kept.map(({ usage }) => usage.toldMs),
          kept.map(({ quota, usage }) => clearMs(quota, usage)),
        ],
      );
    },
  };
}

/** Counts a message against its quotas; answers when it is due, where there was room for it. */
function countOne(used: Map<string, KeptUsage>, { position, field, time, quotas }: AskedColumns) {
  const asked: readonly Quota[] = JSON.parse(fromStored(quotas));
  const message = { event: 0, field, quotas: asked };
  const timeMs = Number(time);
  const usageOf = (digest: Buffer) => used.get(digest.toString("hex"))?.usage;
  const plan = planQuotas({ changes: [{ messages: [message] }], timeMs }, usageOf);
  // Where less is allowed by now than there was then, nothing is left, and that is counted.
  if (plan.refused !== undefined) return undefined;
  for (const one of plan.kept) used.set(one.digest.toString("hex"), one);
  return { position, field, dueMs: plan.due.get(message) ?? timeMs };
}

interface AskedColumns {
  readonly position: bigint;
  readonly field: string;
  /** Unix milliseconds. */
  readonly time: bigint;
  /** JSON. */
  readonly quotas: string;
}
