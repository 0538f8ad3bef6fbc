import { type ShownKey, showKey } from "../../secrets/answer-seal.ts";
import { failure } from "./errors.ts";

/** The header with which a call that changes something may be repeated. */
export const idempotencyHeader = "idempotency-key";

/** Characters of an idempotency key. */
export const idempotencyKeyMax = 128;

/** Visible ASCII, without the blank with which repeated headers are joined. */
const form = /^[\x21-\x7e]+$/;

/** The key of a call together with its token. Throws where it has not the form of one. */
export function idempotencyKeyIn(given: string, token: string): ShownKey {
  if (form.test(given) && given.length <= idempotencyKeyMax) return showKey(token, given);
  const message =
    `Send ${idempotencyHeader} once, with 1 to ${idempotencyKeyMax} visible ASCII ` +
    "characters without blanks, for example a random UUID.";
  throw failure({ reason: "IDEMPOTENCY_KEY_INVALID", message });
}
