import type { Claim } from "../event.ts";

/** One text for the three parts of a claim, for maps and sets: JSON keeps the parts apart. */
export function claimKey({ kind, scope, value }: Claim): string {
  return JSON.stringify([kind, scope, value]);
}
