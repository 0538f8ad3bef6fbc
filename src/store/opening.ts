import type { LogIdentity } from "./chain/chain.ts";
import type { LogKeys } from "./chain/keys.ts";
import type { StoreLog } from "./failure-log.ts";
import type { Store } from "./store.ts";

/** Looks at a log before it is served. Rejects where it is not to be. */
export type Admit = (identity: LogIdentity, log: Pick<Store, "head" | "linkAt">) => Promise<void>;

/** What a log is opened with, wherever it lies. */
export interface Opening<Limits> {
  readonly keys: LogKeys;
  /** Called before anything is brought up to date: an older program serves on what is refused. */
  readonly admit?: Admit;
  /** For what is random in the log; `crypto.randomBytes` in the service, or a pool of it. */
  readonly random: (size: number) => Uint8Array;
  /** Replaces single values of the limits of the store. */
  readonly limits?: Partial<Limits>;
  /** Says what is known to be wrong with the log: from then on nothing is written. */
  readonly fault?: () => string | undefined;
  /** Hears what a read or an append found that is not what was written. */
  readonly found?: (damage: string) => void;
  /** Hears of trouble with the storage. */
  readonly log?: StoreLog;
  /** Hears of each commit how much was written in it: appends, and in a file artifacts as well. */
  readonly committed?: ((writes: number) => void) | undefined;
}
