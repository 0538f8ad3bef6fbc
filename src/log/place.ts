import type { ProcessLimits } from "../config/limits.ts";
import type { RecordedEvent } from "../event.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { KnownEnd, LogIdentity } from "../store/chain/chain.ts";
import type { LogKeys } from "../store/chain/keys.ts";
import type { LogCounts } from "../store/log-counts.ts";
import type { Opening as StoreOpening } from "../store/opening.ts";
import type { Progress } from "../store/progress.ts";
import type { ReadLog } from "../store/read-log.ts";
import type { Store } from "../store/store.ts";
import type { Hear, SealsCheck } from "../store/verify/sealed.ts";
import type { Report } from "../store/verify/text.ts";
import type { Proofs, Verified } from "../store/verify/verified.ts";

/**
 * Where the event log lies: in a file of the data directory, or in a database. Code that only
 * commands need is loaded when they ask for it.
 */
export interface LogPlace {
  /** What operators call it, after "the event log"; no secret is in it. */
  readonly name: string;
  /** Whether nodes that have data directories of their own share it, and may join it. */
  readonly isShared: boolean;
  /** How somebody brings back the newest copy of it, as a sentence. */
  readonly bringBack: string;
  /** Whether it is there and holds something, as far as that shows without opening it. */
  isThere(): Promise<boolean>;
  /** What it says of itself, without changing it. Rejects where it cannot be read. */
  readOwn(): Promise<OwnEvents>;
  /** Whether a path leads to it. */
  isAt(path: string): Promise<boolean>;
  /** Opens it; makes it where there is none. Rejects as the store does that keeps it. */
  open(opening: Opening): Promise<Store>;
  /** Begins to check what is sealed in it, in short pieces with long rests. */
  checkSeals(identity: LogIdentity, hear: Hear): SealsCheck;
  /** For commands: where it ends. Rejects where its last event is not what was appended. */
  readEnd(keys: LogKeys): Promise<KnownEnd>;
  /** For commands: its events, to be read beside a process that writes. */
  readEvents(): Promise<ReadLog>;
  /** For commands: proves that it is whole, and changes nothing. */
  verify(proofs: Proofs, report: Report): Promise<Verified>;
  /** For commands: makes all that follows from it anew. */
  rebuild(rebuilding: Rebuilding): Promise<LogCounts>;
  /** For commands: takes bytes of what was erased or deleted out of its files. */
  vacuum(): Promise<void>;
}

/** What a log says of itself. */
export interface OwnEvents {
  /** Empty where its events are not chained, as those of older programs are not. */
  readonly id: string;
  /** Those of its own stream. */
  readonly events: readonly RecordedEvent[];
}

/** What a log is opened with. */
export interface Opening extends StoreOpening<ProcessLimits["store"]> {
  /** Called once where another process has to read what the disk holds. */
  readonly lost?: (cause: Error) => void;
}

/** What a rebuild needs. */
export interface Rebuilding {
  readonly keys: LogKeys;
  readonly random: RandomBytes;
  readonly progress: Progress;
}
