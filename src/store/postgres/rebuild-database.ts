import { createCheck, type LogIdentity } from "../chain/chain.ts";
import type { LogKeys } from "../chain/keys.ts";
import { createRowMac } from "../chain/row-mac.ts";
import type { LogCounts } from "../log-counts.ts";
import { createSteps, type Progress } from "../progress.ts";
import type { Projector } from "../projector.ts";
import { inDatabase } from "./database.ts";
import { readOwn } from "./identity.ts";
import { longMs, type PostgresLimits, postgresLimits } from "./limits.ts";
import type { Pool } from "./pool.ts";
import { assertChain, type Rebuilding, rebuild, revisionIn, whileLocked } from "./rebuild.ts";
import { migrate } from "./schema.ts";
import { assertOwn } from "./verify/tables.ts";

/** The database, and who knows its keys. */
export interface RebuildOptions {
  readonly url: string;
  readonly projector: Projector;
  readonly keys: Pick<LogKeys, "open">;
  readonly limits?: Partial<PostgresLimits>;
  readonly progress?: Progress | undefined;
}

/**
 * Makes everything that follows from the log in a database anew, in one transaction that others
 * wait for who append. Messages stay due when they were, and of quotas stays used what was. Rejects
 * and changes nothing where there is no log, where it is damaged, and where a newer program wrote
 * it.
 */
export async function rebuildPostgres({
  url,
  projector,
  keys,
  ...options
}: RebuildOptions): Promise<LogCounts> {
  const limits = { ...postgresLimits, statementMs: longMs, ...options.limits };
  return await inDatabase(
    url,
    async (pool) => {
      const { id, events } = await pool.using(readOwn);
      await migrate(pool, projector);
      await assertOwn(pool, projector);
      const key = await keys.open(id, events);
      const steps = createSteps(limits.progressSteps, options.progress);
      const rebuilding = { ...rebuildingOf({ id, key }), projector, limits, steps };
      return await whileLocked(pool, async (connection) => {
        await revisionIn(connection, projector);
        await assertChain(connection, rebuilding);
        await rebuild(connection, rebuilding);
        return await countAll(connection);
      });
    },
    limits,
    projector.revision,
  );
}

/** By what a log is checked, and its rows made. */
export function rebuildingOf(identity: LogIdentity): Pick<Rebuilding, "log" | "check" | "rowMac"> {
  const { id } = identity;
  return { log: id, check: createCheck(identity), rowMac: createRowMac(identity) };
}

/** The sizes of all tables. */
export async function countAll(connection: Pick<Pool, "query">): Promise<LogCounts> {
  const [row = {}] = await connection.query<{ [table: string]: bigint }>(
    `SELECT (SELECT count(*) FROM iam.events) AS events,
       (SELECT count(DISTINCT stream) FROM iam.events) AS streams,
       (SELECT count(*) FROM derived.objects) AS objects,
       (SELECT count(*) FROM derived.texts WHERE tie = 0) AS claims,
       (SELECT count(*) FROM derived.texts WHERE listed) AS fields,
       (SELECT count(*) FROM iam.messages) AS messages`,
  );
  const { events, streams, objects, claims, fields, messages } = row;
  return {
    events: Number(events),
    streams: Number(streams),
    objects: Number(objects),
    claims: Number(claims),
    fields: Number(fields),
    messages: Number(messages),
  };
}
