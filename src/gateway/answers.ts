import { type DescMessage, type Message, toBinary, toJsonString } from "@bufbuild/protobuf";
import { rejectionFor } from "../domain/decision.ts";
import type { Budget, Lease } from "./budget.ts";
import { failure } from "./errors.ts";
import type { GatewayLimits } from "./limits.ts";

/** What answers of all calls hold until their callers have taken them. */
export interface Answers {
  /** Holds one answer until the lease ends. Throws where there is no room for its bytes. */
  hold(bytes: number): Lease;
}

/** Creates the budget: whoever is answered much leaves room for those who are answered little. */
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

/** The bytes of a message in a body of this content type. */
export function bytesIn(output: DescMessage, message: Message, contentType: string): number {
  return /json/i.test(contentType)
    ? Buffer.byteLength(toJsonString(output, message))
    : toBinary(output, message).byteLength;
}

/** The messages of a stream, each held until the next one is asked for. */
export async function* holdEach<T extends Message>(
  messages: AsyncIterable<T>,
  output: DescMessage,
  answers: Answers,
) {
  for await (const message of messages) {
    const lease = answers.hold(toBinary(output, message).byteLength);
    try {
      yield message;
    } finally {
      lease.end();
    }
  }
}
