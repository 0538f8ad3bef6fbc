import type Database from "better-sqlite3";
import {
  type Artifact,
  type ArtifactRow,
  type Artifacts,
  artifactsForgottenAtOnce,
  toArtifact,
} from "../artifact.ts";

/**
 * The artifacts of a file, each method in one attempt: see `Artifacts`. What removes some answers
 * how many.
 */
export type FileArtifacts = {
  readonly [name in keyof Artifacts]: (
    ...given: Parameters<Artifacts[name]>
  ) => name extends "remove" | "removeFamily" ? number : Awaited<ReturnType<Artifacts[name]>>;
};

const columns = "key, alias, family, payload, expires, uses";

/** Prepares the statements of a connection. */
export function prepareArtifacts(db: Database.Database): FileArtifacts {
  const put = db.prepare(
    `INSERT INTO artifacts (key, alias, family, payload, expires, uses) VALUES (?, ?, ?, ?, ?, 0)
     ON CONFLICT (key) DO UPDATE SET alias = excluded.alias, family = excluded.family,
       payload = excluded.payload, expires = excluded.expires`,
  );
  const find = db.prepare<[string, number], ArtifactRow>(
    `SELECT ${columns} FROM artifacts WHERE key = ? AND expires > ?`,
  );
  const findAlias = db.prepare<[string, number], ArtifactRow>(
    `SELECT ${columns} FROM artifacts WHERE alias = ? AND expires > ?
     ORDER BY expires DESC LIMIT 1`,
  );
  const use = db
    .prepare<[string, number], number>(
      "UPDATE artifacts SET uses = uses + 1 WHERE key = ? AND expires > ? RETURNING uses",
    )
    .pluck();
  const count = db
    .prepare<[{ key: string; expiresMs: number; nowMs: number }], number>(
      `INSERT INTO artifacts (key, payload, expires, uses) VALUES (@key, '', @expiresMs, 1)
       ON CONFLICT (key) DO UPDATE SET
         uses = iif(expires > @nowMs, uses + 1, 1),
         expires = iif(expires > @nowMs, expires, excluded.expires)
       RETURNING uses`,
    )
    .pluck();
  const remove = db.prepare("DELETE FROM artifacts WHERE key = ?");
  const removeFamily = db.prepare("DELETE FROM artifacts WHERE family = ?");
  const isOver = db.prepare("SELECT 1 FROM artifacts WHERE expires <= ? LIMIT 1");
  const forget = db.prepare(
    "DELETE FROM artifacts WHERE key IN (SELECT key FROM artifacts WHERE expires <= ? LIMIT ?)",
  );
  const kept = (row: ArtifactRow | undefined) => row && toArtifact(row);
  return {
    put: ({ key, alias = null, family = null, payload, expiresMs }: Nullable<Artifact>) =>
      void put.run(key, alias, family, payload, expiresMs),
    find: (key, nowMs) => kept(find.get(key, nowMs)),
    findAlias: (alias, nowMs) => kept(findAlias.get(alias, nowMs)),
    use: (key, nowMs) => Number(use.get(key, nowMs) ?? 0),
    count: (key, expiresMs, nowMs) => Number(count.get({ key, expiresMs, nowMs })),
    remove: (key) => remove.run(key).changes,
    removeFamily: (family) => removeFamily.run(family).changes,
    forget: (nowMs) => {
      // Whoever looks while nothing is over need not take the only write lock.
      if (isOver.get(nowMs) === undefined) return false;
      return forget.run(nowMs, artifactsForgottenAtOnce).changes >= artifactsForgottenAtOnce;
    },
  };
}

type Nullable<Of> = { readonly [name in keyof Of]: Of[name] | null };
