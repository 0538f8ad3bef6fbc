import {
  type ArtifactRow,
  type Artifacts,
  artifactsForgottenAtOnce,
  toArtifact,
} from "../artifact.ts";
import type { Connection, Pool } from "./pool.ts";

const columns = "key, alias, family, payload, expires, uses";

/** Makes the artifacts of a log. */
export function createArtifacts(pool: Pool): Artifacts {
  const numberOf = async (text: string, values: readonly unknown[]) => {
    const [row] = await pool.query<{ uses: bigint }>(text, values);
    return Number(row?.uses ?? 0);
  };
  const one = async (text: string, values: readonly unknown[]) => {
    const [row] = await pool.query<ArtifactRow>(text, values);
    return row && toArtifact(row);
  };
  return {
    async put({ key, alias, family, payload, expiresMs }) {
      const values = [key, alias ?? null, family ?? null, payload, expiresMs];
      await pool.query(putText, values);
    },
    find: (key, nowMs) =>
      one(`SELECT ${columns} FROM iam.artifacts WHERE key = $1 AND expires > $2`, [key, nowMs]),
    findAlias: (alias, nowMs) => one(findAliasText, [alias, nowMs]),
    use: (key, nowMs) => numberOf(useText, [key, nowMs]),
    count: (key, expiresMs, nowMs) => numberOf(countText, [key, expiresMs, nowMs]),
    async remove(key) {
      await pool.query("DELETE FROM iam.artifacts WHERE key = $1", [key]);
    },
    removeFamily: (family) => removeFamilies(pool, [family]),
    async forget(nowMs) {
      const removed = await pool.query(forgetText, [nowMs, artifactsForgottenAtOnce]);
      return removed.length >= artifactsForgottenAtOnce;
    },
  };
}

/** Removes all artifacts of the families. */
export async function removeFamilies(
  connection: Connection | Pool,
  families: readonly string[],
): Promise<void> {
  if (families.length === 0) return;
  await connection.query("DELETE FROM iam.artifacts WHERE family = ANY($1::text[])", [families]);
}

const putText = `
  INSERT INTO iam.artifacts (key, alias, family, payload, expires, uses)
    VALUES ($1, $2, $3, $4, $5, 0)
    ON CONFLICT (key) DO UPDATE SET alias = excluded.alias, family = excluded.family,
      payload = excluded.payload, expires = excluded.expires`;

const findAliasText = `
  SELECT ${columns} FROM iam.artifacts WHERE alias = $1 AND expires > $2
    ORDER BY expires DESC LIMIT 1`;

const useText = `
  UPDATE iam.artifacts SET uses = uses + 1 WHERE key = $1 AND expires > $2 RETURNING uses`;

const countText = `
  INSERT INTO iam.artifacts AS kept (key, payload, expires, uses) VALUES ($1, '', $2::bigint, 1)
    ON CONFLICT (key) DO UPDATE SET
      uses = CASE WHEN kept.expires > $3::bigint THEN kept.uses + 1 ELSE 1 END,
      expires = CASE WHEN kept.expires > $3::bigint THEN kept.expires ELSE excluded.expires END
    RETURNING uses`;

const forgetText = `
  DELETE FROM iam.artifacts WHERE key IN (
    SELECT key FROM iam.artifacts WHERE expires <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING uses`;
