/**
 * What logging in leaves behind for a while: sessions of browsers, codes, tokens, counts of tries;
 * and that mails fail. It follows from no event. Reading it lets nobody in, because it is kept
 * under hashes. Writing it does not either, because a row counts only with its MAC.
 */
export interface Artifact {
  /** By what it is found: its kind, a colon and a hash of what only its holder knows. */
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

/**
 * The artifacts of a store; each method is one transaction, on the disk when it resolves. A row
 * that was written without the key of the log counts as missing.
 */
export interface Artifacts {
  /**
   * Keeps an artifact. One that has the key is replaced, but for how often it was used. Where a
   * family may have so many of a kind, those of them that would end first are removed past that.
   */
  put(artifact: Artifact, ofKindMax?: number): Promise<void>;
  find(key: string, nowMs: number): Promise<KeptArtifact | undefined>;
  /** Of the newest `artifactsOfAlias` that have the alias, the newest that counts. */
  findAlias(alias: string, nowMs: number): Promise<KeptArtifact | undefined>;
  /**
   * Counts a use, and answers how many there were with it: of all who use it, in whatever process,
   * one is told 1. Answers 0 where there is no such artifact.
   */
  use(key: string, nowMs: number): Promise<number>;
  /** The same of one that is made with its first use, and of which nothing is known besides. */
  count(key: string, expiresMs: number, nowMs: number): Promise<number>;
  /** Takes one use back; does nothing where there is no such artifact, or no use of it. */
  giveBack(key: string, nowMs: number): Promise<void>;
  remove(key: string): Promise<void>;
  /** The same as an append does that names the family: see `Append.families`. */
  removeFamily(family: string): Promise<void>;
  /** Removes what is over, so much at a time. Resolves to whether there may be more. */
  forget(nowMs: number): Promise<boolean>;
}

/** Artifacts that one transaction removes because their time is over: others are to have a turn. */
export const artifactsForgottenAtOnce = 1_000;

/** Rows of one alias that are looked at: more than one has it only where somebody forged some. */
export const artifactsOfAlias = 100;

/**
 * What is to be kept in the place of what there is under a key, be it over or not; undefined where
 * nothing is to be written.
 */
export type ArtifactChange = (kept: KeptArtifact | undefined) => KeptArtifact | undefined;

/** How the keys of all artifacts begin that are of the same kind as this one. */
export function kindOf(key: string): string {
  return key.slice(0, key.indexOf(":") + 1);
}

/** Whether an artifact is there, and its time is not over. */
export function isThere(kept: KeptArtifact | undefined, nowMs: number): kept is KeptArtifact {
  return kept !== undefined && kept.expiresMs > nowMs;
}

/** What the methods that write do to what there is. */
export const artifactChanges = {
  put:
    (artifact: Artifact): ArtifactChange =>
    (kept) => ({ ...artifact, uses: kept?.uses ?? 0 }),
  use:
    (nowMs: number): ArtifactChange =>
    (kept) =>
      isThere(kept, nowMs) ? usedBy(kept, 1) : undefined,
  count:
    (key: string, expiresMs: number, nowMs: number): ArtifactChange =>
    (kept) =>
      usedBy(isThere(kept, nowMs) ? kept : { key, payload: "", expiresMs, uses: 0 }, 1),
  giveBack:
    (nowMs: number): ArtifactChange =>
    (kept) =>
      isThere(kept, nowMs) && kept.uses > 0 ? usedBy(kept, -1) : undefined,
} as const;

function usedBy(kept: KeptArtifact, times: number): KeptArtifact {
  return { ...kept, uses: kept.uses + times };
}
