import { OutcomeUnknown, StoreUnavailable } from "./store.ts";

/** Where a store tells its operators what it meets; no line holds what events hold. */
export interface StoreLog {
  fatal(members: object, text: string): void;
  error(members: object, text: string): void;
  warn(members: object, text: string): void;
  info(members: object, text: string): void;
}

/** Tells nobody anything. */
export const silent: StoreLog = { fatal() {}, error() {}, warn() {}, info() {} };

/** What was done with the storage. One may fail while others succeed, as where a disk is full. */
export type Doing = "append" | "checkpoint" | "look" | "read";

/**
 * Tells of failures of the storage: of each kind at most one line in a time, with their number. One
 * line says when all that failed has succeeded again.
 */
export interface FailureLog {
  /** Counts what was thrown; what is no failure of the storage is left out. */
  note(error: unknown, doing: Doing): void;
  /** Says that it was done. */
  done(doing: Doing): void;
  /** Tells what was counted and not told yet. */
  close(): void;
}

/**
 * The first failure of a kind is told at once, and those that follow within so many milliseconds
 * together at their end, or with the line that says that it works again. A kind is a code of what
 * keeps the log, or a sentence where that has none.
 */
export function createFailureLog(
  log: Pick<StoreLog, "error" | "info">,
  everyMs: number,
): FailureLog {
  const kinds = new Map<string, { failures: number; timer: NodeJS.Timeout | undefined }>();
  const failing = new Set<Doing>();
  /** Whether the last line said that it fails. */
  let isTold = false;

  function tell(kind: string, failures: number): void {
    isTold = true;
    log.error({ kind, failures }, "the storage of the log fails");
  }

  function tellOfEnd(): void {
    if (!isTold || failing.size > 0) return;
    isTold = false;
    let failures = 0;
    for (const kind of kinds.values()) {
      failures += kind.failures;
      kind.failures = 0;
    }
    log.info({ failures }, "the storage of the log works again");
  }

  function wait(kind: string): void {
    const timer = setTimeout(() => {
      const { failures } = kinds.get(kind) ?? { failures: 0 };
      kinds.delete(kind);
      if (failures === 0) return;
      tell(kind, failures);
      wait(kind);
      tellOfEnd();
    }, everyMs).unref();
    kinds.set(kind, { failures: 0, timer });
  }

  return {
    note(error, doing) {
      const kind = kindOf(error);
      if (kind === undefined) return;
      failing.add(doing);
      const known = kinds.get(kind);
      if (known !== undefined) {
        known.failures += 1;
        return;
      }
      tell(kind, 1);
      wait(kind);
    },
    done(doing) {
      if (failing.delete(doing)) tellOfEnd();
    },
    close() {
      for (const [kind, { failures, timer }] of kinds) {
        clearTimeout(timer);
        if (failures > 0) tell(kind, failures);
      }
      kinds.clear();
    },
  };
}

function kindOf(error: unknown): string | undefined {
  const isOurs = error instanceof StoreUnavailable || error instanceof OutcomeUnknown;
  const code = codeOf(isOurs ? error.cause : error);
  if (code !== "" && (isOurs || code.startsWith("SQLITE_"))) return code;
  // Lost files have a line of their own.
  return error instanceof StoreUnavailable && error.why === "passing" ? error.message : undefined;
}

/** What a driver or the system calls what went wrong; empty where it says nothing. */
function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}
