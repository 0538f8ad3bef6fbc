import type { Attempt } from "../domain/sending.ts";
import type { Fate } from "../domain/user/credential/delivery.ts";
import type { LeasedMessage } from "../store/message.ts";
import type { Store } from "../store/store.ts";
import { backoffMs, type WorkerLimits } from "./limits.ts";

/** The part of a logger that is used here; its lines name no address, no code and no secret. */
export interface Log {
  info(members: object, text: string): void;
  warn(members: object, text: string): void;
  error(members: object, text: string): void;
}

/** What messages are carried out with, whatever they are. */
export interface CarryOptions {
  readonly store: Pick<Store, "load" | "postponeMessage">;
  readonly now: () => number;
  /** Whether the clock is reliable enough to give a message up; left out, it always is. */
  readonly isSettled?: () => boolean;
  /** From 0 to 1, as `backoffMs` wants it. */
  readonly jitter: () => number;
  readonly log: Log;
  readonly limits: WorkerLimits;
}

/** What is to be done about one message: to send it, or to record why nobody will. */
export type Errand = Recorded & (Sending | { readonly problem: string });

interface Recorded {
  /** Records what became of it. */
  record(fate: Fate): Promise<void>;
}

interface Sending {
  /** When it is of no use any more (Unix milliseconds). */
  readonly expirationMs: number;
  /** One attempt, which resolves in a bounded time and rejects with what nobody foresaw. */
  send(members: object): Promise<Attempt>;
}

/**
 * Makes the function that carries out one leased message and records what became of it, or makes it
 * due again. It does not reject: what cannot be done now is done when the lease is over. A message
 * for which there is no errand was settled meanwhile.
 */
export function createCarry(
  options: CarryOptions,
  findErrand: (message: LeasedMessage) => Promise<Errand | undefined>,
): (message: LeasedMessage) => Promise<void> {
  const { store, now, isSettled = () => true, log, limits } = options;

  async function carry(message: LeasedMessage, members: object): Promise<void> {
    const errand = await findErrand(message);
    if (errand === undefined) return;
    const record = async (fate: Fate) => {
      await errand.record(fate);
      if (fate.kind === "sent") log.info(members, "a message was sent");
      else log.warn({ ...members, problem: fate.problem }, "a message was given up");
    };
    if ("problem" in errand) return record({ kind: "failed", problem: errand.problem });
    const { expirationMs } = errand;
    const postpone = async (problem: string, dueMs: number) => {
      await store.postponeMessage(message, dueMs);
      log.warn({ ...members, problem, dueMs }, "a message was postponed");
    };
    if (expirationMs <= now()) {
      if (isSettled()) return record({ kind: "failed", problem: "expired" });
      return postpone("expired, if the clock is right", now() + limits.backoffMaxMs);
    }

    const attempt = await errand.send(members);
    if (attempt.kind === "sent") return record({ kind: "sent" });
    const { problem } = attempt;
    const dueMs = now() + backoffMs(message.attempts, options.jitter(), limits);
    const isLate = dueMs > message.sinceMs + limits.giveUpMs || dueMs >= expirationMs;
    const isLast = isLate && isSettled();
    if (attempt.kind === "refused" || isLast) return record({ kind: "failed", problem });
    return postpone(problem, dueMs);
  }

  return async (message) => {
    const { event, field, attempts } = message;
    const { stream, position } = event;
    const members = { stream, position: String(position), field, attempts };
    try {
      await carry(message, members);
    } catch (err) {
      log.error({ ...members, err }, "a message was left until its lease expires");
    }
  };
}
