import { createShares } from "../../slots.ts";
import {
  type Artifacts,
  type ArtifactWrite,
  artifactsForgottenAtOnce,
  artifactsOfAlias,
  isThere,
  writeTo,
} from "../artifact.ts";
import type { ArtifactRow, ArtifactSeal } from "../chain/artifact-mac.ts";
import { StoreUnavailable } from "../store.ts";
import { type ArtifactPlan, planArtifacts } from "./artifact-plan.ts";
import { failureOf, sqlStateOf } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Pool } from "./pool.ts";

/** How artifacts are sealed, and how long a change of one is tried. */
export interface ArtifactOptions extends ArtifactSeal {
  readonly limits: Pick<PostgresLimits, "artifactTries" | "waitingAppends">;
}

const columns = "key, alias, family, payload, expires, uses, mac";

/** Makes the artifacts of a log. */
export function createArtifacts(pool: Pick<Pool, "query">, options: ArtifactOptions): Artifacts {
  const { open } = options;
  return {
    write: createWrite(pool, options),
    async find(key, nowMs) {
      const [row] = await pool.query<ArtifactRow>(findText, [[key]]);
      const kept = open(row);
      return isThere(kept, nowMs) ? kept : undefined;
    },
    async findAlias(alias, nowMs) {
      const rows = await pool.query<ArtifactRow>(findAliasText, [alias, nowMs, artifactsOfAlias]);
      return open(rows.find((row) => open(row) !== undefined));
    },
    async forget(nowMs) {
      const removed = await pool.query(forgetText, [nowMs, artifactsForgottenAtOnce]);
      return removed.length >= artifactsForgottenAtOnce;
    },
  };
}

/**
 * Makes the function that changes artifacts. Only who knows the key of the log seals them, so what
 * is there is read, and replaced where all of it is that still: locks would be held while two
 * statements travel. Changes of one process wait for each other, so few of them meet.
 */
function createWrite(
  pool: Pick<Pool, "query">,
  { seal, open, limits }: ArtifactOptions,
): Artifacts["write"] {
  const tooMany = () =>
    new StoreUnavailable("Too many processes change one row of artifacts at once.");
  const turns = createShares({
    ...{ concurrentMax: 1, waitingMax: limits.waitingAppends, overloaded: tooMany },
  });
  const inTurn = <Result>([key, ...keys]: readonly string[], work: () => Promise<Result>) =>
    key === undefined ? work() : turns.run(key, (): Promise<Result> => inTurn(keys, work));

  const read = async (keys: readonly string[]) => {
    const rows = keys.length === 0 ? [] : await pool.query<ArtifactRow>(findText, [keys]);
    return new Map(rows.map((row) => [row.key, row]));
  };

  return async (changes, nowMs) => {
    const keys = [...new Set(changes.flatMap(changedBy))].toSorted();
    return await inTurn(keys, async () => {
      for (let tries = 0; tries < limits.artifactTries; tries += 1) {
        // Most keys of what is put are new, and what is removed need not be known.
        const before = await read(tries === 0 ? keys.filter(isCounted(changes)) : keys);
        const plan = planArtifacts(before, { seal, open });
        const uses = writeTo(plan.rows, changes, nowMs);
        if (await carryOut(pool, plan)) return uses;
      }
      throw tooMany();
    });
  };
}

/** The key of what a change is of; none where that is a family. */
function changedBy(change: ArtifactWrite): readonly string[] {
  if (change.kind === "removeFamily") return [];
  return [change.kind === "put" ? change.artifact.key : change.key];
}

/** Whether the uses of what is under a key are counted. */
function isCounted(changes: readonly ArtifactWrite[]): (key: string) => boolean {
  const counted = new Set(
    changes.flatMap((one) =>
      one.kind === "use" || one.kind === "count" || one.kind === "giveBack" ? [one.key] : [],
    ),
  );
  return (key) => counted.has(key);
}

/** Whether all was done as planned; else none of it was, since others have changed a row. */
async function carryOut(pool: Pick<Pool, "query">, plan: ArtifactPlan): Promise<boolean> {
  const values = plan.values();
  if (values === undefined) return true;
  try {
    const [done] = await pool.query<{ readonly all: boolean }>(writeText, values);
    return done?.all === true;
  } catch (error) {
    if (sqlStateOf(error) === divisionByZero || failureOf(error) === "again") return false;
    throw error;
  }
}

/** What a statement fails with that has done a part, to have that undone. */
const divisionByZero = "22012";

const findText = `SELECT ${columns} FROM iam.artifacts WHERE key = ANY ($1::text[])`;

const findAliasText = `
  SELECT ${columns} FROM iam.artifacts WHERE alias = $1 AND expires > $2
    ORDER BY expires DESC LIMIT $3`;

/**
 * Keeps rows that are new, or are still as they were read, and removes others. They are locked in
 * the order of their keys, so that no two wait for each other. Of rows of a kind that are too many,
 * those that somebody else removes at the same time are left to that.
 */
const writeText = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[],
        $6::bigint[], $7::bytea[], $8::bytea[])
      AS g(key, alias, family, payload, expires, uses, mac, before)
  ), same AS MATERIALIZED (
    SELECT a.key FROM given g JOIN iam.artifacts a ON a.key = g.key AND a.mac = g.before
      ORDER BY a.key FOR UPDATE OF a
  ), updated AS (
    UPDATE iam.artifacts a SET alias = g.alias, family = g.family, payload = g.payload,
        expires = g.expires, uses = g.uses, mac = g.mac
      FROM same s JOIN given g ON g.key = s.key WHERE a.key = s.key RETURNING a.key
  ), inserted AS (
    INSERT INTO iam.artifacts (${columns})
      SELECT ${columns} FROM given WHERE before IS NULL ORDER BY key
      ON CONFLICT (key) DO NOTHING RETURNING key
  ), gone AS (
    DELETE FROM iam.artifacts
      WHERE (key = ANY ($9::text[]) OR family = ANY ($10::text[])) AND key <> ALL ($1::text[])
      RETURNING key
  ), trimmed AS (
    DELETE FROM iam.artifacts WHERE key IN (
      SELECT key FROM iam.artifacts WHERE key = ANY (ARRAY(
        SELECT o.key FROM unnest($11::text[], $12::text[], $13::bigint[]) AS t(family, kind, most)
          CROSS JOIN LATERAL (
            SELECT a.key FROM iam.artifacts a
              WHERE a.family = t.family AND starts_with(a.key, t.kind) AND a.key <> ALL ($1::text[])
              ORDER BY a.expires DESC, a.key OFFSET t.most) AS o)) FOR UPDATE SKIP LOCKED)
      RETURNING key
  ), done AS (
    SELECT (SELECT count(*) FROM updated) + (SELECT count(*) FROM inserted) AS kept,
      (SELECT count(*) FROM gone) + (SELECT count(*) FROM trimmed) AS removed
  )
  SELECT CASE
      WHEN kept = cardinality($1::text[]) THEN true
      WHEN kept + removed = 0 THEN false
      -- What was done in part is undone.
      ELSE 1 / (kept - kept) > 0
    END AS all FROM done`;

const forgetText = `
  DELETE FROM iam.artifacts WHERE key IN (
    SELECT key FROM iam.artifacts WHERE expires <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING key`;
