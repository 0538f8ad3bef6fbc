/** The limits of delivering messages; every time is in milliseconds. */
export const workerLimits = {
  /** Messages on their way at once. */
  concurrentMax: 8,
  /** Longer than any attempt takes, so that nobody else gets a message that is on its way. */
  leaseMs: 90_000,
  /** Between two looks for messages that are due, when nothing says that there are any. */
  pollMs: 1_000,
  /** The pause after the first attempt; each further one is twice as long. */
  backoffMinMs: 1_000,
  backoffMaxMs: 10 * 60 * 1_000,
  /** From when it was due to the last attempt, where the code does not expire before. */
  giveUpMs: 24 * 60 * 60 * 1_000,
  /** The time that messages on their way still get when the worker stops. */
  stopGraceMs: 5_000,
} as const;

/** The numbers of `workerLimits`. */
export type WorkerLimits = { readonly [name in keyof typeof workerLimits]: number };

/**
 * The milliseconds to wait after so many attempts: the jitter (0 to 1) takes up to half of it away,
 * so that messages that failed together do not all come back together.
 */
export function backoffMs(attempts: number, jitter: number, limits: WorkerLimits): number {
  const full = Math.min(limits.backoffMinMs * 2 ** (attempts - 1), limits.backoffMaxMs);
  return Math.round(full * (1 - jitter / 2));
}
