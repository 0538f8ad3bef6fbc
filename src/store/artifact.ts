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
  /** What is removed at once: all that came from one login to one application, or `ofUser`. */
  readonly family?: string;
  readonly payload: string;
  /** Unix milliseconds from which on it counts as missing. */
  readonly expiresMs: number;
}

/** An artifact as it is kept, and how often it was used. */
export interface KeptArtifact extends Artifact {
  readonly uses: number;
}

/** One change of what is kept: see `Artifacts.write`. */
export type ArtifactWrite =
  /**
   * Keeps an artifact. One that has the key is replaced, but for how often it was used. Where a
   * family may have so many of a kind, those of them that would end first are removed past that.
   */
  | { readonly kind: "put"; readonly artifact: Artifact; readonly ofKindMax?: number }
  /**
   * Counts a use: of all who use it, in whatever process, one is told 1. There are 0 where there is
   * no such artifact. With a bound, what follows happens only where there are 1 to so many.
   */
  | { readonly kind: "use"; readonly key: string; readonly usesMax?: number }
  /**
   * The same of one that is made with its first use, and of which nothing is known besides. It is
   * made anew where a clock that was ahead has made it: see `countsAheadMaxMs`. That is not done
   * with what may happen once, so that no use passes for one that was before.
   */
  | {
      readonly kind: "count";
      readonly key: string;
      readonly expiresMs: number;
      readonly usesMax?: number;
      readonly isOnce?: true;
    }
  /** Takes one use back; does nothing where there is no such artifact, or no use of it. */
  | { readonly kind: "giveBack"; readonly key: string }
  | { readonly kind: "remove"; readonly key: string }
  /** The same as an append does that names the family: see `Append.families`. */
  | { readonly kind: "removeFamily"; readonly family: string };

/**
 * The artifacts of a store; each method is one transaction, on the disk when it resolves. A row
 * that was written without the key of the log counts as missing.
 */
export interface Artifacts {
  /**
   * Carries out the changes in their order: all of them, or those up to one whose bound is passed.
   * Answers for each that was carried out how often the artifact is used then; 0 where it is gone.
   */
  write(changes: readonly ArtifactWrite[], nowMs: number): Promise<readonly number[]>;
  find(key: string, nowMs: number): Promise<KeptArtifact | undefined>;
  /** Of the newest `artifactsOfAlias` that have the alias, the newest that counts. */
  findAlias(alias: string, nowMs: number): Promise<KeptArtifact | undefined>;
  /** Removes what is over, so much at a time. Resolves to whether there may be more. */
  forget(nowMs: number): Promise<boolean>;
}

/** Artifacts that one transaction removes because their time is over: others are to have a turn. */
export const artifactsForgottenAtOnce = 1_000;

/**
 * Milliseconds by which what is counted may end later than it would if it began now. Clocks that
 * are believed differ by no more.
 */
export const countsAheadMaxMs = 5 * 60_000;

/** Rows of one alias that are looked at: more than one has it only where somebody forged some. */
export const artifactsOfAlias = 100;

/**
 * What is to be kept in the place of what there is under a key, be it over or not; undefined where
 * nothing is to be written.
 */
export type ArtifactChange = (kept: KeptArtifact | undefined) => KeptArtifact | undefined;

/**
 * The family of what is kept of a user alone, and the alias of each artifact that names a family of
 * the user: with both, all of it is found.
 */
export function ofUser(userId: string): string {
  return `user:${userId}`;
}

/** How the keys of all artifacts begin that are of the same kind as this one. */
export function kindOf(key: string): string {
  return key.slice(0, key.indexOf(":") + 1);
}

/** Whether an artifact is there, and its time is not over. */
export function isThere(kept: KeptArtifact | undefined, nowMs: number): kept is KeptArtifact {
  return kept !== undefined && kept.expiresMs > nowMs;
}

/** An artifact as it is put: with the uses of what is kept under its key, be that over or not. */
export function keptWith(artifact: Artifact, kept?: KeptArtifact): KeptArtifact {
  return { ...artifact, uses: kept?.uses ?? 0 };
}

/** What changes are carried out on. */
export interface ArtifactRows {
  /** Changes what is kept under a key, and answers what is there then. */
  change(key: string, by: ArtifactChange): KeptArtifact | undefined;
  /** Keeps an artifact, and answers it as it is kept: see `keptWith`. */
  put(artifact: Artifact): KeptArtifact | undefined;
  remove(key: string): void;
  removeFamily(family: string): void;
  /** Makes room for one of a kind in a family that may have so many of it. */
  trim(artifact: Artifact & { readonly family: string }, ofKindMax: number): void;
}

/** Carries changes out: see `Artifacts.write`. */
export function writeTo(
  rows: ArtifactRows,
  changes: readonly ArtifactWrite[],
  nowMs: number,
): readonly number[] {
  const answers: number[] = [];
  for (const change of changes) {
    const uses = writeOne(rows, change, nowMs);
    answers.push(uses);
    if (isStopped(change, uses)) break;
  }
  return answers;
}

function writeOne(rows: ArtifactRows, change: ArtifactWrite, nowMs: number): number {
  switch (change.kind) {
    case "put": {
      const { artifact, ofKindMax } = change;
      const { family } = artifact;
      if (family !== undefined && ofKindMax !== undefined) {
        rows.trim({ ...artifact, family }, ofKindMax);
      }
      return rows.put(artifact)?.uses ?? 0;
    }
    case "remove":
      rows.remove(change.key);
      return 0;
    case "removeFamily":
      rows.removeFamily(change.family);
      return 0;
    default:
      return rows.change(change.key, (kept) => countedBy(change, kept, nowMs))?.uses ?? 0;
  }
}

type Counting = Extract<ArtifactWrite, { readonly kind: "use" | "count" | "giveBack" }>;

function countedBy(
  change: Counting,
  kept: KeptArtifact | undefined,
  nowMs: number,
): KeptArtifact | undefined {
  const there = isThere(kept, nowMs) ? kept : undefined;
  switch (change.kind) {
    case "use":
      return there && usedBy(there, 1);
    case "count": {
      const { key, expiresMs, isOnce = false } = change;
      const isCounted = isOnce || (there?.expiresMs ?? 0) <= expiresMs + countsAheadMaxMs;
      return usedBy((isCounted && there) || { key, payload: "", expiresMs, uses: 0 }, 1);
    }
    case "giveBack":
      return there && there.uses > 0 ? usedBy(there, -1) : undefined;
  }
}

function usedBy(kept: KeptArtifact, times: number): KeptArtifact {
  return { ...kept, uses: kept.uses + times };
}

/** Whether a change has a bound that is passed with so many uses: nothing behind it happens. */
export function isStopped(change: ArtifactWrite, uses: number): boolean {
  const usesMax = "usesMax" in change ? change.usesMax : undefined;
  return usesMax !== undefined && (uses < 1 || uses > usesMax);
}
