import type Database from "better-sqlite3";
import {
  type ArtifactChange,
  type ArtifactRows,
  type Artifacts,
  type ArtifactWrite,
  artifactsForgottenAtOnce,
  artifactsOfAlias,
  isThere,
  type KeptArtifact,
  keptWith,
  kindOf,
  ofUser,
  writeTo,
} from "../artifact.ts";
import type { ArtifactRow, ArtifactSeal } from "../chain/artifact-mac.ts";
import { createKnown, type Known, type Writes } from "./known.ts";
import { type SqliteLimits, sqliteLimits } from "./limits.ts";
import { bound } from "./sql.ts";

/** The artifacts of a file, each method in one attempt: see `Artifacts`. */
export interface FileArtifacts {
  write(changes: readonly ArtifactWrite[], nowMs: number): FileWritten;
  find(key: string, nowMs: number): KeptArtifact | undefined;
  findAlias(alias: string, nowMs: number): KeptArtifact | undefined;
  /** As an append does that names the family. */
  removeFamily(family: string): void;
  /** As an append does that names the user. */
  removeUser(userId: string): void;
  forget(nowMs: number): boolean;
}

/** What changes have come to, and whether any row is not what it was. */
interface FileWritten {
  readonly uses: Awaited<ReturnType<Artifacts["write"]>>;
  readonly isWritten: boolean;
}

const columns = "key, alias, family, payload, expires, uses, mac";

/**
 * Prepares the statements of a connection to a log whose artifacts are sealed so. Those that were
 * found are remembered until they are written: see `Known`.
 */
export function prepareArtifacts(
  db: Database.Database,
  { seal, open }: ArtifactSeal,
  writes: Writes,
  { knownArtifactCharacters }: Pick<SqliteLimits, "knownArtifactCharacters"> = sqliteLimits,
): FileArtifacts {
  const known = createKnown<KeptArtifact>(writes, knownArtifactCharacters);
  const { read, ...finds } = prepareFinds(db, open, known);
  const { insert, replace, use, remove, ...many } = prepareWriting(db);
  const { count, trim, removeFamily, removeUser, isOver, forget } = many;
  let written = 0;
  const note = ({ changes }: Database.RunResult) => {
    written += changes;
  };
  /** The same of what names no key. Answers how many rows it was. */
  const noteMany = (result: Database.RunResult) => {
    if (result.changes > 0) known.forgetAll();
    note(result);
    return result.changes;
  };
  const change = (key: string, by: ArtifactChange): KeptArtifact | undefined => {
    const kept = read(key);
    const next = by(kept);
    if (next === undefined) return undefined;
    // To set a column anew, be it to what it is, writes the pages of its index.
    const isUse = kept !== undefined && others.every((name) => kept[name] === next[name]);
    known.forget(key);
    note((isUse ? use : replace).run(seal(next)));
    return next;
  };
  const rows: ArtifactRows = {
    change,
    put(artifact) {
      const { key } = artifact;
      const added = keptWith(artifact);
      // Most are new: what is kept under the key is read only where something is.
      const isAdded = known.get(key) === undefined && insert.run(seal(added)).changes > 0;
      if (!isAdded) return change(key, (kept) => keptWith(artifact, kept));
      written += 1;
      return added;
    },
    remove(key) {
      known.forget(key);
      note(remove.run(key));
    },
    removeFamily: (family) => void noteMany(removeFamily.run(family)),
    trim: ({ key, family }, ofKindMax) => {
      const [from, to] = [kindOf(key), `${kindOf(key).slice(0, -1)};`];
      const isFull = Number(count.get(family, from, to)) >= ofKindMax;
      if (isFull) noteMany(trim.run(family, from, to, key, ofKindMax - 1));
    },
  };
  return {
    write: (changes, nowMs) => {
      written = 0;
      const uses = writeTo(rows, changes, nowMs);
      return { uses, isWritten: written > 0 };
    },
    ...finds,
    removeFamily: rows.removeFamily,
    removeUser: (userId) => void noteMany(removeUser.run({ of: ofUser(userId) })),
    forget: (nowMs) => {
      // While nothing has expired, there is no need to take the only write lock.
      if (isOver.get(nowMs) === undefined) return false;
      return noteMany(forget.run(nowMs, artifactsForgottenAtOnce)) >= artifactsForgottenAtOnce;
    },
  };
}

/** The statements that write: one row, or all that are named in some way. */
function prepareWriting(db: Database.Database) {
  const insert = `INSERT INTO artifacts (${columns})
    VALUES (@key, @alias, @family, @payload, @expires, @uses, @mac) ON CONFLICT (key)`;
  const ofKind = `family = ${bound} AND key >= ${bound} AND key < ${bound}`;
  return {
    insert: db.prepare<[ArtifactRow]>(`${insert} DO NOTHING`),
    replace: db.prepare<[ArtifactRow]>(
      `${insert} DO UPDATE SET alias = excluded.alias, family = excluded.family,
         payload = excluded.payload, expires = excluded.expires, uses = excluded.uses,
         mac = excluded.mac`,
    ),
    use: db.prepare<[ArtifactRow]>(
      "UPDATE artifacts SET uses = @uses, mac = @mac WHERE key = @key",
    ),
    remove: db.prepare<[string]>("DELETE FROM artifacts WHERE key = ?"),
    // The index of families has the keys as well, so to count them reads no row.
    count: db
      .prepare<[string, string, string], number>(`SELECT count(*) FROM artifacts WHERE ${ofKind}`)
      .pluck(),
    trim: db.prepare<[string, string, string, string, number]>(
      `DELETE FROM artifacts WHERE key IN (
         SELECT key FROM artifacts WHERE ${ofKind} AND key <> ?
           ORDER BY expires DESC, key LIMIT -1 OFFSET ?)`,
    ),
    removeFamily: db.prepare<[string]>("DELETE FROM artifacts WHERE family = ?"),
    removeUser: db.prepare<{ of: string }>(
      `DELETE FROM artifacts
         WHERE family = @of OR family IN (SELECT family FROM artifacts WHERE alias = @of)`,
    ),
    isOver: db.prepare<[number]>("SELECT 1 FROM artifacts WHERE expires <= ? LIMIT 1"),
    forget: db.prepare<[number, number]>(
      `DELETE FROM artifacts
         WHERE rowid IN (SELECT rowid FROM artifacts WHERE expires <= ? LIMIT ?)`,
    ),
  };
}

/** The statements that read. What has a key is remembered, but for what a transaction has read. */
function prepareFinds(
  db: Database.Database,
  open: ArtifactSeal["open"],
  known: Known<KeptArtifact>,
): Pick<FileArtifacts, "find" | "findAlias"> & { read(key: string): KeptArtifact | undefined } {
  const ofKey = db.prepare<[string], ArtifactRow>(`SELECT ${columns} FROM artifacts WHERE key = ?`);
  const ofAlias = db.prepare<[string, number, number], ArtifactRow>(
    `SELECT ${columns} FROM artifacts WHERE alias = ${bound} AND expires > ${bound}
     ORDER BY expires DESC LIMIT ${bound}`,
  );
  const read = (key: string) => {
    known.look();
    return known.get(key) ?? open(ofKey.get(key));
  };
  return {
    read,
    find(key, nowMs) {
      const kept = read(key);
      if (kept !== undefined) known.keep(key, kept, kept.payload.length);
      return isThere(kept, nowMs) ? kept : undefined;
    },
    findAlias(alias, nowMs) {
      const found = ofAlias.all(alias, nowMs, artifactsOfAlias);
      return open(found.find((row) => open(row) !== undefined));
    },
  };
}

/** What a use leaves as it is. */
const others = ["alias", "family", "payload", "expiresMs"] as const;
