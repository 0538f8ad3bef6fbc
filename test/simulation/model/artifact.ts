import {
  type Artifacts,
  artifactsForgottenAtOnce,
  type KeptArtifact,
  kindOf,
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
  return {
    put: open((artifact, ofKindMax = Number.POSITIVE_INFINITY) => {
      if (Number.isNaN(artifact.expiresMs)) throw new RangeError("no time");
      const { key, family } = artifact;
      const others = [...artifacts.values()]
        .filter((one) => family !== undefined && one.family === family && one.key !== key)
        .filter((one) => kindOf(one.key) === kindOf(key))
        .toSorted((a, b) => b.expiresMs - a.expiresMs);
      for (const { key: gone } of others.slice(ofKindMax - 1)) artifacts.delete(gone);
      keep({ ...artifact, uses: artifacts.get(artifact.key)?.uses ?? 0 });
    }),
    find: open((key, nowMs) => there(artifacts.get(key), nowMs)),
    findAlias: open((alias, nowMs) => {
      const named = [...artifacts.values()].filter((one) => one.alias === alias);
      return there(named.toSorted((a, b) => b.expiresMs - a.expiresMs)[0], nowMs);
    }),
    use: open((key, nowMs) => {
      const found = there(artifacts.get(key), nowMs);
      return found === undefined ? 0 : keep({ ...found, uses: found.uses + 1 });
    }),
    count: open((key, expiresMs, nowMs) => {
      const fresh = { key, payload: "", expiresMs, uses: 0 };
      const counted = there(artifacts.get(key), nowMs) ?? fresh;
      return keep({ ...counted, uses: counted.uses + 1 });
    }),
    giveBack: open((key, nowMs) => {
      const found = there(artifacts.get(key), nowMs);
      if (found !== undefined && found.uses > 0) keep({ ...found, uses: found.uses - 1 });
    }),
    remove: open((key) => void artifacts.delete(key)),
    removeFamily: open((family) => removeFamily({ artifacts }, family)),
    forget: open((nowMs) => {
      const over = [...artifacts.values()].filter(({ expiresMs }) => expiresMs <= nowMs);
      const some = over.slice(0, artifactsForgottenAtOnce);
      for (const { key } of some) artifacts.delete(key);
      return some.length === artifactsForgottenAtOnce;
    }),
  };
}

export function removeFamily({ artifacts }: Pick<Database, "artifacts">, family: string): void {
  for (const one of artifacts.values()) {
    if (one.family === family) artifacts.delete(one.key);
  }
}
