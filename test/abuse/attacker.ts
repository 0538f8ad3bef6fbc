// The process that abuses: it gives way to the others, so that what honest callers wait for is the
// service and not this one. It is told where, and ends when who started it lets go.

import { setPriority } from "node:os";
import { attacks } from "./attacks.ts";
import type { AbusePlace } from "./place.ts";

setPriority(10);
const stop = new AbortController();
process.once("disconnect", () => {
  stop.abort();
  // Thousands of connections take long to end one by one: they end with the process.
  setTimeout(() => process.exit(0), 500);
});
process.once("message", async ({ place, names }: Order) => {
  await Promise.all(names.map((name) => attacks[name]?.(place, stop.signal)));
  process.exit(0);
});

/** What is to be done. */
export interface Order {
  readonly place: AbusePlace;
  readonly names: readonly string[];
}
