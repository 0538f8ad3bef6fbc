import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Logger } from "pino";
import { rejectionFor } from "../../domain/decision.ts";
import { bodyTooLarge, canceled, explain, failure, reasonOf } from "../call/errors.ts";
import type { ConnectCall } from "./call.ts";

/** What is read: messages of a type, of at most so many bytes, as sent and decompressed. */
export interface MessageBounds {
  readonly input: DescMessage;
  readonly bytesMax: number;
}

/** Explains what ended a call outside of our own parts, by how far the call had come. */
export function explainEnd(
  error: unknown,
  call: ConnectCall,
  reading: MessageBounds,
  log: Logger,
): ConnectError {
  const { gone, phase } = call;
  if (gone.aborted && gone.reason === error) return canceled();
  if (phase === "reading") return explainMisread(error, reading);
  return nobodysFault(error) ?? explain(error, call, log);
}

/** Explains why a request could not be read: no failure is ours while it is. */
export function explainMisread(error: unknown, { bytesMax }: MessageBounds): ConnectError {
  // Other than what connect finds wrong with the bytes, only the connection can fail.
  if (!(error instanceof ConnectError)) return canceled();
  const known = nobodysFault(error);
  if (known !== undefined) return known;
  const { code, rawMessage: message, metadata } = error;
  if (code === Code.ResourceExhausted) return bodyTooLarge(bytesMax);
  // Only where the compression is unknown does connect say in a header what it knows.
  if (code !== Code.Unimplemented || [...metadata].length === 0) {
    return failure({ reason: "MALFORMED_REQUEST", message });
  }
  const refused = failure({ reason: "UNSUPPORTED_COMPRESSION", message });
  for (const [name, value] of metadata) refused.metadata.set(name, value);
  return refused;
}

/** The error if it is ours, or the refusal that says that the time or the caller is gone. */
function nobodysFault(error: unknown): ConnectError | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  if (reasonOf(error) !== undefined) return error;
  if (error.code === Code.DeadlineExceeded) {
    return failure(rejectionFor("DEADLINE_EXCEEDED"));
  }
  return error.code === Code.Canceled || error.code === Code.Aborted ? canceled() : undefined;
}
