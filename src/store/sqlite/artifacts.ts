import type Database from "better-sqlite3";
import {
  type Artifact,
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
import { createKnown, type Known, type Transactions } from "./known.ts";
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
 * found or written are remembered: see `Known`.
 */
export function prepareArtifacts(
  db: Database.Database,
  { seal, open }: ArtifactSeal,
  transactions: Transactions,
  { knownArtifactCharacters }: Pick<SqliteLimits, "knownArtifactCharacters"> = sqliteLimits,
): FileArtifacts {
  const known = createKnown<KeptArtifact>(transactions, knownArtifactCharacters);
  const counts = prepareCounts(db, createKnown(transactions, knownArtifactCharacters));
  const keep = (one: KeptArtifact) => known.keep(one.key, one, charactersOf(one));
  const { read, ...finds } = prepareFinds(db, open, known);
  const { insert, replace, use, remove, ...many } = prepareWriting(db);
  const { trim, removeFamily, removeUser, isOver, forget } = many;
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
    note((isUse ? use : replace).run(seal(next)));
    keep(next);
    return next;
  };
  const rows: ArtifactRows = {
    change,
    put(artifact) {
      const { key } = artifact;
      const added = keptWith(artifact);
      counts.add(artifact);
      // Most are new: what is kept under the key is read only where something is.
      const isAdded = known.get(key) === undefined && insert.run(seal(added)).changes > 0;
      if (!isAdded) return change(key, (kept) => keptWith(artifact, kept));
      written += 1;
      keep(added);
      return added;
    },
    remove(key) {
      known.forget(key);
      note(remove.run(key));
    },
    removeFamily: (family) => void noteMany(removeFamily.run(family)),
    trim({ key, family }, ofKindMax) {
      if (counts.of(key, family, ofKindMax) < ofKindMax) return;
      noteMany(trim.run(...ofKind(key, family), key, ofKindMax - 1));
      counts.keep(key, family, ofKindMax - 1);
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

/** Characters that an artifact has. */
function charactersOf({ key, alias = "", family = "", payload }: KeptArtifact): number {
  return key.length + alias.length + family.length + payload.length;
}

/** What stands for a kind in a family, in this order, in statements about `whereOfKind`. */
const ofKind = (key: string, family: string) =>
  [family, kindOf(key), `${kindOf(key).slice(0, -1)};`] as const;
const whereOfKind = `family = ${bound} AND key >= ${bound} AND key < ${bound}`;

/**
 * Prepares what counts the artifacts of a kind in a family, and remembers that: as more than there
 * are where some were removed or replaced since, and never as fewer.
 */
function prepareCounts(db: Database.Database, known: Known<number>) {
  // The index of families has the keys as well, so to count them reads no row.
  const count = db
    .prepare<[string, string, string], number>(
      `SELECT count(*) FROM artifacts WHERE ${whereOfKind}`,
    )
    .pluck();
  const nameOf = (key: string, family: string) => kindOf(key) + family;
  const keep = (key: string, family: string, there: number) => {
    const name = nameOf(key, family);
    known.keep(name, there, name.length);
  };
  return {
    keep,
    /** Counts one that is put. */
    add({ key, family }: Artifact): void {
      known.look();
      const there = family === undefined ? undefined : known.get(nameOf(key, family));
      if (family !== undefined && there !== undefined) keep(key, family, there + 1);
    },
    /** How many there are, or more, but fewer than `most`; else how many there are. */
    of(key: string, family: string, most: number): number {
      known.look();
      const remembered = known.get(nameOf(key, family));
      if (remembered !== undefined && remembered < most) return remembered;
      const there = Number(count.get(...ofKind(key, family)));
      keep(key, family, there);
      return there;
    },
  };
}

/** The statements that write: one row, or all that are named in some way. */
function prepareWriting(db: Database.Database) {
  const insert = `INSERT INTO artifacts (${columns})
    VALUES (@key, @alias, @family, @payload, @expires, @uses, @mac) ON CONFLICT (key)`;
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
    trim: db.prepare<[string, string, string, string, number]>(
      `DELETE FROM artifacts WHERE key IN (
         SELECT key FROM artifacts WHERE ${whereOfKind} AND key <> ?
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
      if (kept !== undefined) known.keep(key, kept, charactersOf(kept));
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
