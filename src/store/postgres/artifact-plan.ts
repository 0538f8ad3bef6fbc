import { type ArtifactRows, type KeptArtifact, kindOf } from "../artifact.ts";
import type { ArtifactRow, ArtifactSeal } from "../chain/artifact-mac.ts";

/** What changes come to on rows as they were read, before anything of it is written. */
export interface ArtifactPlan {
  readonly rows: ArtifactRows;
  /** The values of the statement that writes it; undefined where there is nothing to write. */
  values(): readonly unknown[] | undefined;
}

interface Trim {
  readonly family: string;
  readonly kind: string;
  readonly ofKindMax: number;
}

/** Plans changes on what was read of them: what was not read is taken not to be there. */
export function planArtifacts(
  before: ReadonlyMap<string, ArtifactRow>,
  { seal, open }: ArtifactSeal,
): ArtifactPlan {
  /** What is there then, of all that is not as it was; undefined is what is removed. */
  const next = new Map<string, KeptArtifact | undefined>();
  const families = new Set<string>();
  const trims = new Map<string, Trim>();
  const find = (key: string) => (next.has(key) ? next.get(key) : open(before.get(key)));

  const rows: ArtifactRows = {
    change(key, by) {
      const changed = by(find(key));
      if (changed !== undefined) next.set(key, changed);
      return changed;
    },
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

  function values(): readonly unknown[] | undefined {
    if (next.size + families.size === 0) return undefined;
    const kept = [...next.values()].flatMap((one) => (one === undefined ? [] : [one]));
    const removed = [...next].flatMap(([key, one]) => (one === undefined ? [key] : []));
    const sealed = kept.map(seal);
    const ofKept = (name: keyof ArtifactRow) => sealed.map((row) => row[name]);
    const room = [...trims.values()].map(({ family, kind, ofKindMax }) => {
      const own = kept.filter((one) => one.family === family && kindOf(one.key) === kind);
      return { family, kind, most: Math.max(0, ofKindMax - own.length) };
    });
    return [
      ...[ofKept("key"), ofKept("alias"), ofKept("family"), ofKept("payload")],
      ...[ofKept("expires"), ofKept("uses"), ofKept("mac")],
      sealed.map(({ key }) => before.get(key)?.mac ?? null),
      ...[removed, [...families]],
      ...[room.map(({ family }) => family), room.map(({ kind }) => kind)],
      room.map(({ most }) => most),
    ];
  }

  return { rows, values };
}
