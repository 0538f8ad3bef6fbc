import { createShares } from "../../slots.ts";
import {
  type ArtifactChange,
  type Artifacts,
  artifactChanges,
  artifactsForgottenAtOnce,
  artifactsOfAlias,
  isThere,
  type KeptArtifact,
  kindOf,
} from "../artifact.ts";
import type { ArtifactRow, ArtifactSeal } from "../chain/artifact-mac.ts";
import { StoreUnavailable } from "../store.ts";
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
  const read = async (key: string) => {
    const [row] = await pool.query<ArtifactRow>(findText, [key]);
    return row;
  };
  const change = createChange(pool, read, options);
  return {
    async put(artifact, ofKindMax) {
      const { key, family } = artifact;
      // Most keys are new.
      const kept = change(key, artifactChanges.put(artifact), async () => undefined);
      if (family === undefined || ofKindMax === undefined) return void (await kept);
      const trimmed = pool.query(trimText, [family, kindOf(key), key, ofKindMax - 1]);
      await Promise.all([kept, trimmed]);
    },
    async find(key, nowMs) {
      const kept = open(await read(key));
      return isThere(kept, nowMs) ? kept : undefined;
    },
    async findAlias(alias, nowMs) {
      const rows = await pool.query<ArtifactRow>(findAliasText, [alias, nowMs, artifactsOfAlias]);
      return open(rows.find((row) => open(row) !== undefined));
    },
    use: async (key, nowMs) => (await change(key, artifactChanges.use(nowMs)))?.uses ?? 0,
    count: async (key, expiresMs, nowMs) =>
      (await change(key, artifactChanges.count(key, expiresMs, nowMs)))?.uses ?? 0,
    async giveBack(key, nowMs) {
      await change(key, artifactChanges.giveBack(nowMs));
    },
    async remove(key) {
      await pool.query("DELETE FROM iam.artifacts WHERE key = $1", [key]);
    },
    async removeFamily(family) {
      await pool.query("DELETE FROM iam.artifacts WHERE family = $1", [family]);
    },
    async forget(nowMs) {
      const removed = await pool.query(forgetText, [nowMs, artifactsForgottenAtOnce]);
      return removed.length >= artifactsForgottenAtOnce;
    },
  };
}

type Read = (key: string) => Promise<ArtifactRow | undefined>;

/** Changes what is kept under a key, and answers what is there then. */
type Change = (
  key: string,
  by: ArtifactChange,
  /** What is taken to be there at first, where that is known without a look. */
  readFirst?: Read,
) => Promise<KeptArtifact | undefined>;

/**
 * Makes the function that changes artifacts. Only who knows the key of the log seals them, so what
 * is there is read, and replaced where it is that still: a lock would be held while two statements
 * travel. Changes of one process wait for each other, so few of them meet.
 */
function createChange(
  pool: Pick<Pool, "query">,
  read: Read,
  { seal, open, limits }: ArtifactOptions,
): Change {
  const tooMany = () =>
    new StoreUnavailable("Too many processes change one row of artifacts at once.");
  const turns = createShares({
    ...{ concurrentMax: 1, waitingMax: limits.waitingAppends, overloaded: tooMany },
  });
  const write = async (next: ArtifactRow, before: ArtifactRow | undefined) => {
    const { key, alias, family, payload, expires, uses, mac } = next;
    const values = [key, alias, family, payload, expires, uses, mac];
    const written =
      before === undefined
        ? await pool.query(insertText, values)
        : await pool.query(updateText, [...values, before.mac]);
    return written.length > 0;
  };
  const attempt = async (key: string, by: ArtifactChange, readFirst: Read) => {
    for (let tries = 0; tries < limits.artifactTries; tries += 1) {
      const before = await (tries === 0 ? readFirst : read)(key);
      const next = by(open(before));
      if (next === undefined || (await write(seal(next), before))) return next;
    }
    throw tooMany();
  };
  return (key, by, readFirst = read) => turns.run(key, () => attempt(key, by, readFirst));
}

const findText = `SELECT ${columns} FROM iam.artifacts WHERE key = $1`;

const findAliasText = `
  SELECT ${columns} FROM iam.artifacts WHERE alias = $1 AND expires > $2
    ORDER BY expires DESC LIMIT $3`;

const insertText = `
  INSERT INTO iam.artifacts (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (key) DO NOTHING RETURNING key`;

const updateText = `
  UPDATE iam.artifacts
    SET alias = $2, family = $3, payload = $4, expires = $5, uses = $6, mac = $7
    WHERE key = $1 AND mac = $8 RETURNING key`;

// Those that another one removes at the same time are left to it.
const trimText = `
  DELETE FROM iam.artifacts WHERE key IN (
    SELECT key FROM iam.artifacts WHERE key = ANY (ARRAY(
      SELECT key FROM iam.artifacts WHERE family = $1 AND starts_with(key, $2) AND key <> $3
        ORDER BY expires DESC, key OFFSET $4)) FOR UPDATE SKIP LOCKED)`;

const forgetText = `
  DELETE FROM iam.artifacts WHERE key IN (
    SELECT key FROM iam.artifacts WHERE expires <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING key`;
