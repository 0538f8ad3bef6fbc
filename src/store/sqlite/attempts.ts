import type { Artifacts } from "../artifact.ts";
import type { FileArtifacts } from "./artifacts.ts";

/** Does work in one attempt, or in more where the file is busy. */
type Attempting = <T>(attempt: () => T) => Promise<T>;

/** Does work in a batch with others; what it answers may show that it has written something. */
export type Together = <T>(work: () => T, hasWritten: (result: T) => boolean) => Promise<T>;

/** The ways in which a store does its work. */
interface Attempts {
  readonly whenFree: Attempting;
  readonly whenWritable: Attempting;
  readonly together: Together;
}

/** The artifacts of a store, each method done in its way. */
export function artifactsBy(
  artifacts: FileArtifacts,
  { whenFree, whenWritable, together }: Attempts,
): Artifacts {
  return {
    write: async (changes, nowMs) => {
      const work = () => artifacts.write(changes, nowMs);
      return (await together(work, ({ isWritten }) => isWritten)).uses;
    },
    find: (key, nowMs) => whenFree(() => artifacts.find(key, nowMs)),
    findAlias: (alias, nowMs) => whenFree(() => artifacts.findAlias(alias, nowMs)),
    forget: (nowMs) => whenWritable(() => artifacts.forget(nowMs)),
  };
}
