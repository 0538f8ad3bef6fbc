import type { Message } from "@bufbuild/protobuf";
import { rejectionFor } from "../../domain/decision.ts";
import type { Budget, Lease } from "./budget.ts";
import { failure } from "./errors.ts";
import type { GatewayLimits } from "./limits.ts";

/** What answers of all calls hold until their callers have taken them. */
export interface Answers {
  /** Holds one answer until the lease ends. Throws where there is no room for its bytes. */
  hold(bytes: number): Lease;
}

/** Creates the budget: large answers leave room for small ones. */
export function createAnswers(
  budget: Budget,
  { answersBytesMax, smallAnswerBytesMax }: GatewayLimits,
): Answers {
  return {
    hold(bytes) {
      const isSmall = bytes <= smallAnswerBytesMax;
      const lease = budget.lease(isSmall ? answersBytesMax : answersBytesMax / 2);
      if (lease.hold(bytes)) return lease;
      throw failure(rejectionFor("ANSWERS_OVERLOADED"));
    },
  };
}

/** The messages of a stream, each held until the next one is asked for. */
export async function* holdEach<T extends Message>(messages: AsyncIterable<T>, answers: Answers) {
  for await (const message of messages) {
    const lease = answers.hold(heldIn(message));
    try {
      yield message;
    } finally {
      lease.end();
    }
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
