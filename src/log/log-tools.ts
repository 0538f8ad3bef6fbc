import type { Config } from "../config/config.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { KnownEnd } from "../store/chain/chain.ts";
import type { LogKeys } from "../store/chain/keys.ts";
import type { LogCounts } from "../store/log-counts.ts";
import type { Progress } from "../store/progress.ts";
import type { ReadLog } from "../store/read-log.ts";
import type { NamedHead } from "../store/verify/chain.ts";
import type { Report } from "../store/verify/text.ts";
import type { Verified } from "../store/verify/verified.ts";
import type { LogPlace } from "./log-place.ts";

/** What commands do with a log, wherever it lies. */
export interface LogTools extends Pick<LogPlace, "name" | "readOwn"> {
  /** Where it ends. Rejects where its last event is not what was appended. */
  readEnd(keys: LogKeys): Promise<KnownEnd>;
  /** Its events, to be read beside whoever writes. */
  readEvents(): Promise<ReadLog>;
  /** Proves that it is whole, and changes nothing. */
  verify(proofs: Proofs, report: Report): Promise<Verified>;
  /** Makes all that follows from it anew. */
  rebuild(rebuilding: Rebuilding): Promise<LogCounts>;
}

/** By what a log is proved. */
export interface Proofs {
  readonly keys: LogKeys | undefined;
  readonly heads: readonly NamedHead[];
  readonly progress?: Progress;
}

/** What a rebuild needs. */
export interface Rebuilding {
  readonly keys: LogKeys;
  readonly random: RandomBytes;
  readonly progress: Progress;
}

/** Where settings say that a log lies: in the data directory, where no database is named. */
export type Where = Pick<Config, "dataDir" | "databaseUrl">;
