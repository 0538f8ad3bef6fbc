import type { Artifact, Artifacts, ArtifactWrite } from "../../src/store/artifact.ts";
import type { Store } from "../../src/store/store.ts";

/** Artifacts of which each change is a method, and a transaction of its own. */
export function singly(artifacts: Artifacts) {
  const write = async (change: ArtifactWrite, nowMs = 0): Promise<number> => {
    const [uses = -1] = await artifacts.write([change], nowMs);
    return uses;
  };
  return {
    ...artifacts,
    put: async (artifact: Artifact, ofKindMax?: number): Promise<void> => {
      const bound = ofKindMax === undefined ? {} : { ofKindMax };
      await write({ kind: "put", artifact, ...bound });
    },
    use: (key: string, nowMs: number) => write({ kind: "use", key }, nowMs),
    count: (key: string, expiresMs: number, nowMs: number) =>
      write({ kind: "count", key, expiresMs }, nowMs),
    giveBack: async (key: string, nowMs: number) =>
      void (await write({ kind: "giveBack", key }, nowMs)),
    remove: async (key: string) => void (await write({ kind: "remove", key })),
    removeFamily: async (family: string) => void (await write({ kind: "removeFamily", family })),
  };
}

/** A store with such artifacts. */
export type SingleStore = Store & { readonly artifacts: ReturnType<typeof singly> };

/** Opens stores with such artifacts. */
export function openSingly(open: () => Promise<Store>): () => Promise<SingleStore> {
  return async () => {
    const store = await open();
    return { ...store, artifacts: singly(store.artifacts) };
  };
}
