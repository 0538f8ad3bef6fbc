/** A time (Unix milliseconds) as a text of a row: later ones come behind earlier ones. */
export function sortableTime(ms: number): string {
  return String(ms).padStart(16, "0");
}
