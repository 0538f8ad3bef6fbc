import { createSteps } from "../../progress.ts";
import type { Projector } from "../../projector.ts";
import type { LogReader } from "../../verify/reader.ts";
import { checkSeals, sealsOf } from "../../verify/sealed.ts";
import { checkStreams } from "../../verify/streams.ts";
import type { Report } from "../../verify/text.ts";
import {
  checkRevision,
  lostHead,
  nothingVerified,
  type Verified,
  type VerifyOptions,
  verifiedWith,
  withoutId,
} from "../../verify/verified.ts";
import { inDatabase } from "../database.ts";
import { ownEvents, readIds } from "../identity.ts";
import { type PostgresLimits, postgresLimits } from "../limits.ts";
import { momentOf, type PageLimits } from "../moment.ts";
import type { Pool } from "../pool.ts";
import { checkTables } from "./tables.ts";

/** The database, the projector of its objects, and who knows its keys. */
interface DatabaseOptions extends VerifyOptions<PostgresLimits> {
  readonly url: string;
}

/**
 * Proves that a log in a database is whole, without changing anything: its tables, the log up to
 * where it ended when this began, and that everything derived is what the projector makes of the
 * log. Reports each damage as one line, as `verifySqlite` does, whose words about damaged events
 * and other revisions hold here too. Others may append meanwhile: no transaction is longer than it
 * takes to look at `eventsAtOnce` rows. What PostgreSQL keeps below its rows, it checks itself.
 *
 * Rejects with `StoreUnavailable` when the database cannot be read now.
 */
export async function verifyPostgres(options: DatabaseOptions, report: Report): Promise<Verified> {
  const limits = { ...postgresLimits, statementMs: verifyMs, ...options.limits };
  const revision = await inDatabase(
    options.url,
    (pool) => revisionFor(pool, options.projector),
    limits,
  );
  return await inDatabase(
    options.url,
    (pool) => verify(pool, { ...options, limits, revision }, report),
    limits,
    revision,
  );
}

/** The revision whose tables are looked at: the one that serves, or else the projector's. */
async function revisionFor(pool: Pool, projector: Projector): Promise<number> {
  const [table] = await pool.query<{ there: boolean }>(
    "SELECT to_regclass('iam.projection') IS NOT NULL AS there",
  );
  const [stored = -1, ...more] = table?.there === true ? await revisionsIn(pool) : [];
  return stored < 0 || more.length > 0 ? projector.revision : stored;
}

/** Milliseconds for a statement: one counts all events. */
const verifyMs = 600_000;

async function verify(
  pool: Pool,
  {
    projector,
    keys,
    heads = [],
    erasures,
    limits,
    progress,
    revision,
  }: DatabaseOptions & { readonly limits: PostgresLimits; readonly revision: number },
  report: Report,
): Promise<Verified> {
  if (!(await checkTables(pool, projector, revision, report))) {
    return nothingVerified("Nothing else was checked: its tables are not as expected.");
  }
  const [id, ...more] = await pool.using(readIds);
  if (more.length > 0) report(`log: it has ${more.length + 1} ids, and not one`);
  if (id === undefined) {
    report(lostHead);
    return nothingVerified(withoutId);
  }
  const key = await keys?.open(id, await pool.using((connection) => ownEvents(connection, id)));
  const isCurrent = checkRevision(await pool.using(revisionsIn), projector, report);
  const reader = createReader(pool, limits);
  const newSteps = () => createSteps(limits.progressSteps, progress);
  const identity = { id, ...(key === undefined ? {} : { key }) };
  const seals = { ...sealsOf(identity), heads, steps: newSteps() };
  const { events, objects, damaged } = await checkSeals(reader, seals, report);
  const known = { projector, isCurrent, erasures, damaged, steps: newSteps() };
  const counts = { events, objects, ...(await checkStreams(reader, known, report)) };
  return verifiedWith(counts, { isCurrent, hasKey: key !== undefined });
}

async function revisionsIn(connection: Pick<Pool, "query">): Promise<readonly number[]> {
  const rows = await connection.query<{ revision: bigint }>(
    "SELECT revision FROM iam.projection LIMIT 2",
  );
  return rows.map(({ revision }) => Number(revision));
}

/** Makes what reads a database in short transactions. */
export function createReader(pool: Pool, limits: PageLimits): LogReader {
  return { at: (piece) => pool.transaction(begin, (it) => piece(momentOf(it, limits))) };
}

/** Whatever is known of the sizes of tables, rows are looked up by their keys, page by page. */
const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off; SET LOCAL enable_hashagg = off; SET LOCAL jit = off`;
