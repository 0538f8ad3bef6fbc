import { type ArtifactRows, type KeptArtifact, keptWith, kindOf } from "../artifact.ts";
import type { ArtifactRow, ArtifactSeal } from "../chain/artifact-mac.ts";

/** What is to be written, and what is to be there still as it was read. */
export interface PlannedArtifacts {
  /** Rows that were read, with the MAC that each had. */
  readonly changed: readonly (ArtifactRow & { readonly before: Uint8Array })[];
  readonly added: readonly ArtifactRow[];
  /** Keys of which nothing is kept. */
  readonly removed: readonly string[];
  readonly families: readonly string[];
  /** How many of a kind a family may have besides what is kept now. */
  readonly room: readonly {
    readonly family: string;
    readonly kind: string;
    readonly most: number;
  }[];
}

/**
 * Plans changes on rows as they were read, before anything of it is written: what was not read is
 * taken not to be there.
 */
export function planArtifacts(
  before: ReadonlyMap<string, ArtifactRow>,
  { seal, open }: ArtifactSeal,
) {
  /** What is there then, of all that is not as it was; undefined is what is removed. */
  const next = new Map<string, KeptArtifact | undefined>();
  const families = new Set<string>();
  const trims = new Map<string, { family: string; kind: string; ofKindMax: number }>();
  const find = (key: string) => (next.has(key) ? next.get(key) : open(before.get(key)));

  const change: ArtifactRows["change"] = (key, by) => {
    const changed = by(find(key));
    if (changed !== undefined) next.set(key, changed);
    return changed;
  };
  const rows: ArtifactRows = {
    change,
    put: (artifact) => change(artifact.key, (kept) => keptWith(artifact, kept)),
    remove: (key) => void next.set(key, undefined),
    removeFamily(family) {
      families.add(family);
      for (const key of new Set([...before.keys(), ...next.keys()])) {
        if (find(key)?.family === family) next.set(key, undefined);
      }
    },
    trim({ key, family }, ofKindMax) {
      const kind = kindOf(key);
      trims.set(`${kind}${family}`, { family, kind, ofKindMax });
    },
  };

  /** What the changes have come to. */
  function planned(): PlannedArtifacts {
    const kept = [...next.values()].flatMap((one) => (one === undefined ? [] : [one]));
    const sealed = kept.map((one) => ({ ...seal(one), before: before.get(one.key)?.mac }));
    return {
      changed: sealed.flatMap((row) =>
        row.before === undefined ? [] : [{ ...row, before: row.before }],
      ),
      added: sealed.filter((row) => row.before === undefined),
      removed: [...next].flatMap(([key, one]) => (one === undefined ? [key] : [])),
      families: [...families],
      room: [...trims.values()].map(({ family, kind, ofKindMax }) => {
        const own = kept.filter((one) => one.family === family && kindOf(one.key) === kind);
        return { family, kind, most: Math.max(0, ofKindMax - own.length) };
      }),
    };
  }

  return { rows, planned };
}
