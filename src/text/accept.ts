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
