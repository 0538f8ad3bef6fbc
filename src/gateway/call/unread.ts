import { createWaiting } from "../../port/shares.ts";
import { type Call, knownCallKey } from "./call.ts";
import { type GatewayLimits, openCallsOf } from "./limits.ts";
import type { Sender } from "./sender.ts";

/** Refusals, and answers to those who show no token, that wait to be taken. */
export interface Unread {
  /**
   * Counts one by its bytes until what this answers is called. Where too many wait, of a sender or
   * in all, the oldest senders are cut off.
   */
  count(sender: Sender, bytes: number): () => void;
}

export function createUnread(limits: GatewayLimits): Unread {
  const waiting = createWaiting(openCallsOf(limits));
  const placeBytes = limits.unreadBytesMax / limits.openCallsMax;
  return {
    count(sender, bytes) {
      let leave = () => {};
      // Answers that are made together are taken together: those that are left by then wait.
      const due = setTimeout(() => {
        leave = waiting.join(sender, sender.cut, Math.max(1, Math.ceil(bytes / placeBytes)));
      });
      return () => {
        clearTimeout(due);
        leave();
      };
    },
  };
}

/**
 * Whether what a call is answered counts here, and not among answers with a token: it is refused,
 * or nobody has shown a token that the gate knows.
 */
export function isUnreadHere({ values, error }: Pick<Call, "values" | "error">): boolean {
  return error !== undefined || values.get(knownCallKey) === undefined;
}
