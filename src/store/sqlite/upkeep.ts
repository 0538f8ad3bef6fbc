import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Condition } from "../condition.ts";
import type { StoreLog } from "../failure-log.ts";
import { type CheckpointOptions, createCheckpoints } from "./checkpoints.ts";
import type { SqliteLimits } from "./limits.ts";
import type { OpenFiles } from "./open-files.ts";

/** The parts of an open file that are looked after. */
export interface UpkeepOptions extends CheckpointOptions {
  readonly path: string;
  /** Looks at some of what others have appended; answers whether it has come to the end. */
  readonly follow: () => boolean;
  readonly files: OpenFiles;
  readonly limits: SqliteLimits;
  readonly log: Pick<StoreLog, "warn" | "info">;
}

/**
 * Keeps an open file in order: looks at the WAL, the disk and what others have appended, every
 * `upkeepMs`. Each warning is told when it begins and when it is over.
 */
export function startUpkeep(options: UpkeepOptions) {
  const { path, follow, files, limits, log } = options;
  const checkpoints = createCheckpoints(options);
  checkpoints.begun();
  const told = new Set<string>();
  let isClosed = false;

  function tell(name: string, warning: string | undefined, figures: object): readonly string[] {
    if (warning === undefined) {
      if (told.delete(name)) log.info(figures, `the storage of the log has recovered: ${name}`);
      return [];
    }
    if (!told.has(name)) log.warn(figures, warning);
    told.add(name);
    return [warning];
  }

  function lookAtWal(): readonly string[] {
    const walBytes = files.walBytes();
    const isLong = walBytes > limits.walBytesMax;
    const warning = "the WAL is long: a reader takes long, or checkpoints fail";
    return tell("the WAL", isLong ? warning : undefined, { walBytes });
  }

  /** Looks how the storage fares now, and tells what has changed. */
  async function look(): Promise<Condition> {
    const freeBytes = await freeBytesAt(dirname(path));
    const isNearlyFull = freeBytes !== undefined && freeBytes < limits.freeBytesMin;
    return {
      figures: {
        ...(freeBytes === undefined ? {} : { freeBytes }),
        walBytes: files.walBytes(),
      },
      warnings: [
        ...tell("the disk", isNearlyFull ? "the disk is nearly full" : undefined, { freeBytes }),
        ...lookAtWal(),
        ...tell("checkpoints", checkpoints.warning(), {}),
      ],
    };
  }

  function tend(): void {
    try {
      files.assertSame();
    } catch {
      // It is told where that was found. Nothing is brought into a file of which nobody knows.
      return;
    }
    void checkpoints.tend();
    void look();
    void followOthers();
  }

  /** So that an append after a long time does not wait for all that others appended in it. */
  async function followOthers(): Promise<void> {
    while (!isClosed && !follow()) await turn();
  }

  const timer = setInterval(tend, limits.upkeepMs).unref();
  return {
    /** Says that this connection has written, which a checkpoint will bring into the file. */
    wrote() {
      lookAtWal();
      checkpoints.wrote();
    },
    /** Says that what it has written erased something. */
    erased: checkpoints.erased,
    look,
    close: () => {
      isClosed = true;
      checkpoints.close();
      clearInterval(timer);
    },
  };
}

async function freeBytesAt(directory: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
