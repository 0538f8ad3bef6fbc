import {
  type Artifacts,
  type ArtifactWrite,
  artifactsForgottenAtOnce,
  countsAheadMaxMs,
  type KeptArtifact,
  kindOf,
  ofUser,
} from "../../../src/store/artifact.ts";
import type { Database } from "./database.ts";

/** Makes of a method one that does its work at once, and nothing once the store is closed. */
export type Open = <Given extends unknown[], Answer>(
  method: (...given: Given) => Answer,
) => (...given: Given) => Promise<Answer>;

export function artifactsIn({ artifacts }: Database, open: Open): Artifacts {
  const there = (artifact: KeptArtifact | undefined, nowMs: number) =>
    artifact !== undefined && artifact.expiresMs > nowMs ? artifact : undefined;
  const keep = (artifact: KeptArtifact) => {
    artifacts.set(artifact.key, artifact);
    return artifact.uses;
  };
  const put = ({ artifact, ofKindMax = Number.POSITIVE_INFINITY }: Put) => {
    const { key, family } = artifact;
    const others = [...artifacts.values()]
      .filter((one) => family !== undefined && one.family === family && one.key !== key)
      .filter((one) => kindOf(one.key) === kindOf(key))
      .toSorted((a, b) => b.expiresMs - a.expiresMs);
    for (const { key: gone } of others.slice(ofKindMax - 1)) artifacts.delete(gone);
    return keep({ ...artifact, uses: artifacts.get(key)?.uses ?? 0 });
  };
  /** Carries one change out, and answers how often the artifact is used then. */
  const carryOut = (change: ArtifactWrite, nowMs: number): number => {
    if (change.kind === "removeFamily") {
      removeFamily({ artifacts }, change.family);
      return 0;
    }
    if (change.kind === "put") return put(change);
    const { kind, key } = change;
    const found = there(artifacts.get(key), nowMs);
    if (kind === "remove") artifacts.delete(key);
    if (kind === "use" && found !== undefined) return keep({ ...found, uses: found.uses + 1 });
    if (kind === "count") {
      const { expiresMs, isOnce } = change;
      const isAhead = !isOnce && found && found.expiresMs - expiresMs > countsAheadMaxMs;
      const begun = { key, payload: "", expiresMs, uses: 0 };
      const counted = isAhead ? begun : (found ?? begun);
      return keep({ ...counted, uses: counted.uses + 1 });
    }
    const isGivenBack = kind === "giveBack" && found !== undefined && found.uses > 0;
    return isGivenBack ? keep({ ...found, uses: found.uses - 1 }) : 0;
  };
  return {
    write: open((changes, nowMs) => {
      const isWrong = (one: ArtifactWrite) =>
        one.kind === "put" && Number.isNaN(one.artifact.expiresMs);
      if (changes.some(isWrong)) throw new RangeError("no time");
      const answers: number[] = [];
      for (const change of changes) {
        const uses = carryOut(change, nowMs);
        answers.push(uses);
        const { usesMax = Number.POSITIVE_INFINITY } = "usesMax" in change ? change : {};
        if ("usesMax" in change && (uses === 0 || uses > usesMax)) break;
      }
      return answers;
    }),
    find: open((key, nowMs) => there(artifacts.get(key), nowMs)),
    findAlias: open((alias, nowMs) => {
      const named = [...artifacts.values()].filter((one) => one.alias === alias);
      return there(named.toSorted((a, b) => b.expiresMs - a.expiresMs)[0], nowMs);
    }),
    forget: open((nowMs) => {
      const over = [...artifacts.values()].filter(({ expiresMs }) => expiresMs <= nowMs);
      const some = over.slice(0, artifactsForgottenAtOnce);
      for (const { key } of some) artifacts.delete(key);
      return some.length === artifactsForgottenAtOnce;
    }),
  };
}

type Put = Extract<ArtifactWrite, { readonly kind: "put" }>;

export function removeFamily({ artifacts }: Pick<Database, "artifacts">, family: string): void {
  for (const one of artifacts.values()) {
    if (one.family === family) artifacts.delete(one.key);
  }
}

/** Takes away what is kept of a user beside the log. */
export function removeUser(db: Pick<Database, "artifacts" | "answers">, userId: string): void {
  const of = ofUser(userId);
  const named = [...db.artifacts.values()].filter(({ alias }) => alias === of);
  for (const { family } of [{ family: of }, ...named]) {
    if (family !== undefined) removeFamily(db, family);
  }
  for (const [key, { actor }] of db.answers) if (actor === userId) db.answers.delete(key);
}
