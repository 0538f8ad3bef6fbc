import Negotiator from "negotiator";

/**
 * Whether an `accept` header asks for a page rather than for JSON (RFC 9110, 12.5.1), as browsers
 * do. Who takes anything, or says nothing, gets JSON.
 */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes([
    "application/json",
    "text/html",
  ]);
  return best === "text/html";
}

/** Whether an `accept-encoding` header takes gzip (RFC 9110, 12.5.3); without one it does not. */
export function takesGzip(accepted: string | readonly string[] | undefined): boolean {
  if (accepted === undefined || accepted.length === 0) return false;
  const headers = { "accept-encoding": String(accepted) };
  return new Negotiator({ headers }).encodings(["gzip"]).length > 0;
}
