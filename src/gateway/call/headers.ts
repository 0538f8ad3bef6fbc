import type { IncomingHttpHeaders } from "node:http2";

/** What HTTP/2 adds to the name and value of a field (RFC 9113, 6.5.2). */
export const fieldOverheadBytes = 32;

/** Fields of which the first or the last would count, depending on who reads the request. */
const singleFields: ReadonlyMap<string, number> = new Map(
  [
    "authorization",
    "connect-protocol-version",
    "connect-timeout-ms",
    "content-encoding",
    "content-type",
    "grpc-encoding",
    "grpc-timeout",
    "host",
  ].map((name, index) => [name, 1 << index]),
);

/** Fields that ask for something other than what is usual. */
const unusualFields = new Set(["content-encoding", "expect", "grpc-encoding"]);

/** The first field that was given a second time, of those of which one alone is read. */
export function repeatedIn(names: readonly string[]): string | undefined {
  const single = names.filter((name) => singleFields.has(name));
  return single.find((name, index) => single.indexOf(name) < index);
}

/** Whether the header fields, as they came, are those of most calls, and none is refused. */
export function isPlain(
  rawHeaders: readonly string[],
  httpVersion: "1.1" | "2.0",
  bytesMax: number,
): boolean {
  const isHttp1 = httpVersion === "1.1";
  let bytes = 0;
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] ?? "";
    const name = isHttp1 ? given.toLowerCase() : given;
    bytes += given.length + (rawHeaders[index + 1]?.length ?? 0) + fieldOverheadBytes;
    if (unusualFields.has(name)) return false;
    const value = rawHeaders[index + 1] ?? "";
    if (name === "transfer-encoding" && value !== "chunked") return false;
    const bit = singleFields.get(name);
    if (bit === undefined) continue;
    if ((seen & bit) !== 0) return false;
    seen |= bit;
  }
  // Node counts the bytes of HTTP/1.1 itself.
  return isHttp1 ? (seen & (singleFields.get("host") ?? 0)) !== 0 : bytes <= bytesMax;
}

/** The header fields as Fetch has them, without the parts of the request that Node adds. */
export function webHeaders(headers: IncomingHttpHeaders): Headers {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // The name that a caller gives the server is not to be believed.
    if (value === undefined || name.startsWith(":") || name === "host") continue;
    for (const one of Array.isArray(value) ? value : [value]) web.append(name, one);
  }
  return web;
}
