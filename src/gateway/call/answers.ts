import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { rejectionFor } from "../../domain/decision.ts";
import type { Budget, Lease } from "./budget.ts";
import { failure } from "./errors.ts";
import type { GatewayLimits } from "./limits.ts";

/**
 * What answers of calls with a token hold until their callers have taken them, and what streams
 * without one hold after that.
 */
export interface Answers {
  /**
   * Holds one answer until the lease ends. Throws where there is no room for its bytes. One that is
   * not taken at once counts as a part of all bytes at least.
   */
  hold(bytes: number): Lease;
  /**
   * Counts the answer that a stream sent last until its end is called. Where those of all streams
   * have too many bytes, the streams that were answered longest ago are over.
   */
  keep(bytes: number, over: (error: ConnectError) => void): Pick<Lease, "end">;
}

/** Milliseconds, at most, until an answer that is left counts as one that waits. */
const settleMs = 20;

/** Creates the budget: large answers leave room for small ones. */
export function createAnswers(
  budget: Budget,
  { answersBytesMax, answersMax, smallAnswerBytesMax, streamAnswersBytesMax }: GatewayLimits,
): Answers {
  const isSmall = (bytes: number) => bytes <= smallAnswerBytesMax;
  const leastBytes = answersBytesMax / answersMax;
  const fresh: Lease[] = [];
  // Answers that are made together are taken together: those that are left by then wait.
  const settle = () => {
    for (const lease of fresh.splice(0)) lease.hold(0, leastBytes);
  };
  const kept = new Map<object, { readonly bytes: number; over(error: ConnectError): void }>();
  let keptBytes = 0;
  const forget = (key: object) => {
    keptBytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  return {
    hold(bytes) {
      const lease = budget.lease(isSmall(bytes) ? answersBytesMax : answersBytesMax / 2);
      // One that is larger may become small when it is compressed.
      const least = bytes < leastBytes ? 0 : leastBytes;
      if (!lease.hold(bytes, least)) throw failure(rejectionFor("ANSWERS_OVERLOADED"));
      // One timer for all of them: each would cost more than what it does.
      if (bytes < leastBytes && fresh.push(lease) === 1) setTimeout(settle, settleMs).unref();
      return lease;
    },
    keep(bytes, over) {
      const key = {};
      // Small ones are few enough, since streams are.
      if (!isSmall(bytes)) {
        kept.set(key, { bytes, over });
        keptBytes += bytes;
      }
      for (const [oldest, one] of kept) {
        if (keptBytes <= streamAnswersBytesMax) break;
        forget(oldest);
        one.over(failure(rejectionFor("TOO_MANY_OPEN_CALLS")));
      }
      return { end: () => forget(key) };
    },
  };
}

/**
 * The messages of a stream, each kept from when it is sent until the next one or the end: Connect
 * has its bytes in memory for as long.
 */
export async function* keepEach<T extends Message>(
  messages: AsyncIterable<T>,
  answers: Answers,
  over: (error: ConnectError) => void,
) {
  let last: Pick<Lease, "end"> | undefined;
  try {
    for await (const message of messages) {
      last?.end();
      yield message;
      last = answers.keep(heldIn(message), over);
    }
  } finally {
    last?.end();
  }
}

/**
 * The bytes and characters in a message, which is a little less than it has when it is sent. To
 * serialize it for that would take twice what it needs, for each that waits.
 */
function heldIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + heldIn(one), 0);
}
