import type { LogIdentity } from "../store/chain/chain.ts";
import type { Condition } from "../store/condition.ts";
import type { SealsCheck } from "../store/verify/sealed.ts";
import type { LogPlace } from "./place.ts";

/** When and how a log is checked while it is served. */
export const auditLimits = {
  /** Milliseconds after the start until it begins: the first calls come first. */
  afterMs: 1_000,
  /** Milliseconds after it has come to its end until it begins anew. */
  everyMs: 24 * 60 * 60_000,
  /** Milliseconds after it has failed before its end until it begins anew. */
  retryMs: 10 * 60_000,
  /** Hundredths of a core that it takes, at the lowest priority where threads have one. */
  corePercent: 25,
  /** Milliseconds that it reads and works before it rests. */
  pieceMs: 20,
} as const;

interface AuditOptions {
  readonly place: Pick<LogPlace, "checkSeals">;
  readonly lines: Record<"fatal" | "error" | "info", (members: object, line: string) => void>;
  /** Does the work after so many milliseconds; answers what calls that off. */
  readonly after?: (ms: number, work: () => void) => () => void;
}

function afterTimeout(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}

/**
 * Makes the audit of a log, the service's own check while it takes calls: it counts its positions,
 * follows its chain from the first event on, and looks at the MAC of each object, in short reads
 * with long rests. The first damage is told, also where a read found it, and ends it.
 */
export function createAudit({ place, lines, after = afterTimeout }: AuditOptions) {
  const { promise: found, resolve: find } = Promise.withResolvers<string>();
  let fault: string | undefined;
  let checkedEvents: number | undefined;
  let problem: string | undefined;
  let callOff = () => {};
  let running: SealsCheck | undefined;

  /** Takes up what another process has found. */
  function take(damage: string): void {
    if (fault !== undefined) return;
    fault = damage;
    lines.fatal(
      { damage },
      "the event log is not what was written, so the service no longer writes: stop the " +
        "service, run verify, which lists all damage, and restore the newest copy",
    );
  }

  /** Takes up what a read or an append of this process has found. */
  function report(damage: string): void {
    if (fault !== undefined) return;
    take(damage);
    find(damage);
    void running?.stop();
  }

  async function check(identity: LogIdentity): Promise<void> {
    const count = (events: number) => {
      checkedEvents = events;
    };
    running = place.checkSeals(identity, { report, count });
    try {
      const { events } = await running.checked;
      checkedEvents = events;
      problem = undefined;
      if (fault === undefined)
        lines.info({ events }, "the event log was checked: nothing is damaged");
    } catch (error) {
      if (isClosed || fault !== undefined) return;
      const { message, code = "" } = error as NodeJS.ErrnoException;
      problem = message;
      lines.error({ code, why: message }, "the event log could not be checked to its end");
    }
    if (isClosed || fault !== undefined) return;
    const { everyMs, retryMs } = auditLimits;
    callOff = after(problem === undefined ? everyMs : retryMs, () => void check(identity));
  }

  let isClosed = false;
  return {
    ...{ take, report },
    /** Resolves with what is wrong with the log where this process finds it. */
    found,
    /** The same, once this process knows it, from another one as well. */
    fault: () => fault,
    /** Begins to check the log, soon, and again every day. Called once. */
    begin: ({ id, key }: LogIdentity) => {
      checkedEvents = 0;
      callOff = after(auditLimits.afterMs, () => void check({ id, key }));
    },
    /** How the log fares, with how far the check has come. */
    tell: ({ figures, warnings }: Condition): Condition => {
      const warning = `The event log could not be checked to its end: ${problem}.`;
      return {
        figures: { ...figures, ...(checkedEvents === undefined ? {} : { checkedEvents }) },
        warnings: problem === undefined ? warnings : [...warnings, warning],
      };
    },
    close: async () => {
      isClosed = true;
      callOff();
      await running?.stop();
    },
  };
}
