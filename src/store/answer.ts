/** Answers of appends, which are remembered for those who ask for the same again. */

/** For how long answers are remembered, and how many. */
export const answerLimits = {
  /** Milliseconds for which an answer is remembered: a day. */
  keptMs: 24 * 60 * 60 * 1_000,
  /** Milliseconds for which its secret is. */
  secretMs: 10 * 60 * 1_000,
  /** Answers of one caller; an older one is forgotten. A large answer counts as several. */
  ofCaller: 100_000,
  /** Bytes of an answer that count as one. */
  countedBytes: 4 * 1024,
} as const;

/** As how many an answer counts. */
export function countOf({ request, answer, secret }: RememberedAnswer): number {
  const bytes = request.byteLength + answer.byteLength + (secret?.byteLength ?? 0);
  return Math.max(1, Math.ceil(bytes / answerLimits.countedBytes));
}

/**
 * What is to be remembered of an append. Whose it is, and since when, are its actor and time. It is
 * made before the append and so holds no position: who asks for it again finds that in the log.
 */
export interface Remember extends RememberedAnswer {
  /** By what it is found again. Stores keep no key, only its name: see `chain/answer-name.ts`. */
  readonly key: string;
}

/** An answer as it is remembered: bytes that mean nothing to the store. */
export interface RememberedAnswer {
  /** Tells what was asked from anything else. */
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  /** What is remembered for a shorter time; undefined where there is none, or it is over. */
  readonly secret: Uint8Array | undefined;
}
