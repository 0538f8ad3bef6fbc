import Negotiator from "negotiator";

/** The bound on headers that say what a caller accepts. */
export const acceptLimits = {
  /** Characters that are read: the work of libraries grows with the square of them. */
  characters: 512,
} as const;

/** The part of an accept header that is read. */
export function readPart(header: string): string {
  return header.slice(0, acceptLimits.characters);
}

/**
 * Whether an `accept` header asks for a page rather than for JSON (RFC 9110, 12.5.1), as browsers
 * do. Who takes anything, or says nothing, gets JSON.
 */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const [best] = new Negotiator({ headers: { accept: readPart(accept) } }).mediaTypes([
    "application/json",
    "text/html",
  ]);
  return best === "text/html";
}

/** Whether an `accept-encoding` header takes gzip (RFC 9110, 12.5.3); without one it does not. */
export function takesGzip(accepted: string | readonly string[] | undefined): boolean {
  if (accepted === undefined || accepted.length === 0) return false;
  const headers = { "accept-encoding": readPart(String(accepted)) };
  return new Negotiator({ headers }).encodings(["gzip"]).length > 0;
}
