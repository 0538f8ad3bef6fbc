import { Code } from "@connectrpc/connect";
import type { Call } from "./call.ts";

/**
 * Header fields of every answer to a call, by which nobody keeps it and no browser takes it for
 * anything but what it says: answers carry secrets and personal data.
 */
export const answerFields = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

/** The header fields of the answer to a call, or to a request that became none. */
export function fieldsOf(
  { requestId, error }: Pick<Call, "requestId" | "error">,
  httpVersion: string,
): { readonly [name: string]: string } {
  const fields = { "x-request-id": requestId, ...answerFields };
  // HTTP/1.1 can only stop a sender by closing; an HTTP/2 stream is reset on its own.
  const stops = error?.code === Code.DeadlineExceeded && httpVersion.startsWith("1.");
  return stops ? { ...fields, connection: "close" } : fields;
}
