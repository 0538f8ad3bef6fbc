import type Database from "better-sqlite3";
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

/**
 * The artifacts of a file, each method in one attempt: see `Artifacts`. What removes some, or gives
 * a use back, answers how many.
 */
export type FileArtifacts = {
  readonly [name in keyof Artifacts]: (
    ...given: Parameters<Artifacts[name]>
  ) => name extends "remove" | "removeFamily" | "giveBack"
    ? number
    : Awaited<ReturnType<Artifacts[name]>>;
};

const columns = "key, alias, family, payload, expires, uses, mac";

/** Prepares the statements of a connection to a log whose artifacts are sealed so. */
export function prepareArtifacts(
  db: Database.Database,
  { seal, open }: ArtifactSeal,
): FileArtifacts {
  const find = db.prepare<[string], ArtifactRow>(`SELECT ${columns} FROM artifacts WHERE key = ?`);
  const findAlias = db.prepare<[string, number, number], ArtifactRow>(
    `SELECT ${columns} FROM artifacts WHERE alias = ? AND expires > ?
     ORDER BY expires DESC LIMIT ?`,
  );
  const put = db.prepare<[ArtifactRow]>(
    `INSERT INTO artifacts (${columns})
       VALUES (@key, @alias, @family, @payload, @expires, @uses, @mac)
     ON CONFLICT (key) DO UPDATE SET alias = excluded.alias, family = excluded.family,
       payload = excluded.payload, expires = excluded.expires, uses = excluded.uses,
       mac = excluded.mac`,
  );
  const use = db.prepare<[ArtifactRow]>(
    "UPDATE artifacts SET uses = @uses, mac = @mac WHERE key = @key",
  );
  const remove = db.prepare("DELETE FROM artifacts WHERE key = ?");
  // The index of families has the keys as well, so to count them reads no row.
  const ofKind = "family = ? AND key >= ? AND key < ?";
  const count = db
    .prepare<[string, string, string], number>(`SELECT count(*) FROM artifacts WHERE ${ofKind}`)
    .pluck();
  const trim = db.prepare<[string, string, string, string, number]>(
    `DELETE FROM artifacts WHERE key IN (
       SELECT key FROM artifacts WHERE ${ofKind} AND key <> ?
         ORDER BY expires DESC, key LIMIT -1 OFFSET ?)`,
  );
  const removeFamily = db.prepare("DELETE FROM artifacts WHERE family = ?");
  const isOver = db.prepare("SELECT 1 FROM artifacts WHERE expires <= ? LIMIT 1");
  const forget = db.prepare(
    "DELETE FROM artifacts WHERE key IN (SELECT key FROM artifacts WHERE expires <= ? LIMIT ?)",
  );
  const change = (key: string, by: ArtifactChange): KeptArtifact | undefined => {
    const row = find.get(key);
    const next = by(open(row));
    if (next === undefined) return undefined;
    const sealed = seal(next);
    // To set a column anew, be it to what it is, writes the pages of its index.
    const isUse = row !== undefined && others.every((name) => row[name] === sealed[name]);
    (isUse ? use : put).run(sealed);
    return next;
  };
  return {
    put: (artifact, ofKindMax) => {
      const { key, family } = artifact;
      if (family !== undefined && ofKindMax !== undefined) {
        const [from, to] = [kindOf(key), `${kindOf(key).slice(0, -1)};`];
        const isFull = Number(count.get(family, from, to)) >= ofKindMax;
        if (isFull) trim.run(family, from, to, key, ofKindMax - 1);
      }
      change(key, artifactChanges.put(artifact));
    },
    find: (key, nowMs) => {
      const kept = open(find.get(key));
      return isThere(kept, nowMs) ? kept : undefined;
    },
    findAlias: (alias, nowMs) => {
      const rows = findAlias.all(alias, nowMs, artifactsOfAlias);
      return open(rows.find((row) => open(row) !== undefined));
    },
    use: (key, nowMs) => change(key, artifactChanges.use(nowMs))?.uses ?? 0,
    count: (key, expiresMs, nowMs) =>
      change(key, artifactChanges.count(key, expiresMs, nowMs))?.uses ?? 0,
    giveBack: (key, nowMs) => (change(key, artifactChanges.giveBack(nowMs)) === undefined ? 0 : 1),
    remove: (key) => remove.run(key).changes,
    removeFamily: (family) => removeFamily.run(family).changes,
    forget: (nowMs) => {
      // While nothing has expired, there is no need to take the only write lock.
      if (isOver.get(nowMs) === undefined) return false;
      return forget.run(nowMs, artifactsForgottenAtOnce).changes >= artifactsForgottenAtOnce;
    },
  };
}

/** What a use leaves as it is. */
const others = ["alias", "family", "payload", "expires"] as const;
