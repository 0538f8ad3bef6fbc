import type { IncomingMessage } from "node:http";

/**
 * What of a request Node reads in a way of its own, and another server would not: versions that are
 * none of HTTP/1, bodies in other codings than one of chunks, and no host (RFC 9112, 2.3, 6.1 and
 * 3.2). What comes behind such a request may be a part of it, for a server that stands before.
 */
export function explainUnframed({ httpVersion, headers }: IncomingMessage): string | undefined {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    return "The HTTP version of the request line is not supported: send HTTP/1.1.";
  }
  const coding = headers["transfer-encoding"];
  // What does not end with chunks the parser refuses itself.
  const isChunked = coding !== undefined && /\bchunked\s*$/i.test(coding);
  if (isChunked && (httpVersion === "1.0" || !/^chunked$/i.test(coding))) {
    return "The header transfer-encoding must be chunked, and only HTTP/1.1 supports it.";
  }
  return httpVersion === "1.1" && headers.host === undefined
    ? "The header host is missing: HTTP/1.1 requires it."
    : undefined;
}
