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
import { planArtifacts } from "./artifact-plan.ts";
import { columns, type Statement, statementOf, undoing } from "./artifact-statement.ts";
import { isForOthers, sqlStateOf } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Pool } from "./pool.ts";
import { served } from "./revision.ts";

/** How artifacts are sealed, and how long a change of one is tried. */
export interface ArtifactOptions extends ArtifactSeal {
  readonly limits: Pick<PostgresLimits, "artifactTries" | "waitingAppends">;
}

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
        const statement = statementOf(plan.planned());
        if (statement === undefined || (await carryOut(pool, statement))) return uses;
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
async function carryOut(pool: Pick<Pool, "query">, { text, values }: Statement): Promise<boolean> {
  try {
    const [done] = await pool.query<{ readonly all: boolean }>(text, values);
    return done?.all === true;
  } catch (error) {
    if (sqlStateOf(error) === undoing || isForOthers(error)) return false;
    throw error;
  }
}

const findText = `WITH ${served}
  SELECT ${columns} FROM iam.artifacts WHERE key = ANY ($1::text[])`;

const findAliasText = `
  WITH ${served} SELECT ${columns} FROM iam.artifacts WHERE alias = $1 AND expires > $2
    ORDER BY expires DESC LIMIT $3`;

const forgetText = `
  WITH ${served} DELETE FROM iam.artifacts WHERE key IN (
    SELECT key FROM iam.artifacts WHERE expires <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING key`;
