import { Code, ConnectError } from "@connectrpc/connect";
import type { Logger } from "pino";
import { bodyTooLarge, canceled, describe, internal, reasonOf } from "./errors.ts";
import type { CallRecord } from "./record.ts";
import type { SentJson } from "./sent.ts";

/** What went wrong outside of our own parts, told by how far the call had come. */
export function endedBy(
  error: unknown,
  { gone, phase, requestId, sent }: CallRecord,
  { log, bytesMax }: { readonly log: Logger; readonly bytesMax: number },
): ConnectError {
  if (gone?.aborted && gone.reason === error) return canceled();
  if (phase === "reading") return misread(error, bytesMax, sent);
  if (!(error instanceof ConnectError)) return internal(error, requestId, log);
  return nobodysFault(error) ?? Object.assign(error, internal(error, requestId, log));
}

/** The error of a request that could not be read: no failure is ours while it is. */
export function misread(error: unknown, bytesMax: number, sent?: SentJson): ConnectError {
  // Other than what connect finds wrong with the bytes, only the connection can fail.
  if (!(error instanceof ConnectError)) return canceled();
  const known = nobodysFault(error);
  if (known !== undefined) return known;
  const { code, rawMessage: message } = error;
  if (code === Code.ResourceExhausted) return Object.assign(error, bodyTooLarge(bytesMax));
  // What is wrong with frames has no cause: only the parser's error is handed on as one.
  if (sent !== undefined && code === Code.InvalidArgument && error.cause !== undefined) {
    describe(error, sent.refusal(bytesMax));
    return error;
  }
  // Only where the compression is unknown does connect say in a header what it knows.
  const isCompression = code === Code.Unimplemented && [...error.metadata].length > 0;
  describe(error, {
    reason: isCompression ? "UNSUPPORTED_COMPRESSION" : "MALFORMED_REQUEST",
    message,
  });
  return error;
}

/** The error if it is ours, or in our form if it says that the time or the caller is gone. */
function nobodysFault(error: ConnectError): ConnectError | undefined {
  if (reasonOf(error) !== undefined) return error;
  if (error.code === Code.DeadlineExceeded) {
    describe(error, { reason: "DEADLINE_EXCEEDED", message: "The caller's deadline has passed." });
    return error;
  }
  const isGone = error.code === Code.Canceled || error.code === Code.Aborted;
  return isGone ? Object.assign(error, canceled()) : undefined;
}
