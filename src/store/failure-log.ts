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

/** Tells of failures of the storage: of each kind at most one line in a time, with their number. */
export interface FailureLog {
  /** Counts what was thrown; what is no failure of the storage is left out. */
  note(error: unknown): void;
  /** Tells what was counted and not told yet. */
  close(): void;
}

/**
 * The first failure of a kind is told at once, and those that follow within so many milliseconds
 * together at their end. A kind is a code of what keeps the log, or a sentence where that has none.
 */
export function createFailureLog(log: Pick<StoreLog, "error">, everyMs: number): FailureLog {
  const kinds = new Map<string, { failures: number; timer: NodeJS.Timeout | undefined }>();

  function tell(kind: string, failures: number): void {
    log.error({ kind, failures }, "the storage of the log fails");
  }

  function wait(kind: string): void {
    const timer = setTimeout(() => {
      const { failures } = kinds.get(kind) ?? { failures: 0 };
      kinds.delete(kind);
      if (failures === 0) return;
      tell(kind, failures);
      wait(kind);
    }, everyMs).unref();
    kinds.set(kind, { failures: 0, timer });
  }

  return {
    note(error) {
      const kind = kindOf(error);
      if (kind === undefined) return;
      const known = kinds.get(kind);
      if (known !== undefined) {
        known.failures += 1;
        return;
      }
      tell(kind, 1);
      wait(kind);
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
