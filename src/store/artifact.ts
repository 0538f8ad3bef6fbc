/**
 * What logging in leaves behind for a while: sessions of browsers, codes, tokens, counts of tries.
 * It follows from no event, and nothing that is kept of it lets anybody in.
 */
export interface Artifact {
  /** By what it is found: its kind and a hash of what only its holder knows. */
  readonly key: string;
  /** Another name by which it is found; of several that have it, the newest. */
  readonly alias?: string;
  /** What is removed at once: all that came from one login to one application. */
  readonly family?: string;
  readonly payload: string;
  /** Unix milliseconds from which on it is as good as not there. */
  readonly expiresMs: number;
}

/** An artifact as it is kept, and how often it was used. */
export interface KeptArtifact extends Artifact {
  readonly uses: number;
}

/** The artifacts of a store; each method is one transaction, on the disk when it resolves. */
export interface Artifacts {
  /** Keeps an artifact. One that has the key is replaced, but for how often it was used. */
  put(artifact: Artifact): Promise<void>;
  find(key: string, nowMs: number): Promise<KeptArtifact | undefined>;
  findAlias(alias: string, nowMs: number): Promise<KeptArtifact | undefined>;
  /**
   * Counts a use, and answers how many there were with it: of all who use it, in whatever process,
   * one is told 1. Answers 0 where there is no such artifact.
   */
  use(key: string, nowMs: number): Promise<number>;
  /** The same of one that is made with its first use, and of which nothing is known besides. */
  count(key: string, expiresMs: number, nowMs: number): Promise<number>;
  remove(key: string): Promise<void>;
  /** The same as an append does that names the family: see `Append.families`. */
  removeFamily(family: string): Promise<void>;
  /** Removes what is over, so much at a time. Resolves to whether there may be more. */
  forget(nowMs: number): Promise<boolean>;
}

/** Artifacts that one transaction removes because their time is over: others are to have a turn. */
export const artifactsForgottenAtOnce = 1_000;

/** An artifact as a row of a table has it. */
export interface ArtifactRow {
  readonly key: string;
  readonly alias: string | null;
  readonly family: string | null;
  readonly payload: string;
  readonly expires: number | bigint;
  readonly uses: number | bigint;
}

/** The artifact of a row. */
export function toArtifact(row: ArtifactRow): KeptArtifact {
  const { key, alias, family, payload, expires, uses } = row;
  return {
    key,
    ...(alias === null ? {} : { alias }),
    ...(family === null ? {} : { family }),
    payload,
    expiresMs: Number(expires),
    uses: Number(uses),
  };
}
