// The process that abuses, at the pace of each abuse, so that what honest callers wait for is the
// service and not this one. It is told where, and when to stop; then it says what it has done, and
// thousands of connections and streams end with it, at once.

import { attacks } from "./attacks.ts";
import type { AbusePlace } from "./place.ts";
import { createPace } from "./wire.ts";

process.once("disconnect", () => process.exit(1));
process.once("message", ({ place, names, pace: part }: Order) => {
  const never = new AbortController().signal;
  const paces = names.map((name) => {
    const attack = attacks[name];
    if (attack === undefined) throw new Error(`there is no abuse ${name}`);
    const pace = createPace(attack.perSecond * part, never);
    void attack.run(place, pace);
    return [name, pace] as const;
  });
  process.once("message", () => {
    const counts = Object.fromEntries(paces.map(([name, pace]) => [name, pace.count()]));
    const { user, system } = process.cpuUsage();
    const done: Done = { counts, cpuMs: (user + system) / 1_000 };
    process.send?.(done, () => process.exit(0));
  });
});

/** What is to be done. */
export interface Order {
  readonly place: AbusePlace;
  readonly names: readonly string[];
  /** The part of the full pace of each abuse. */
  readonly pace: number;
}

/** What was done. */
export interface Done {
  /** Steps of each abuse. */
  readonly counts: { readonly [name: string]: number };
  /** What it took of a core. */
  readonly cpuMs: number;
}
