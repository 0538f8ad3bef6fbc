import type { Violation } from "../../domain/decision.ts";

/** The refusal of fields that would do nothing, by their names in the contract, if they are set. */
export function refuseEffectless(fields: {
  readonly [name: string]: boolean | string | object | undefined;
}): readonly Violation[] {
  return Object.entries(fields)
    .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value)))
    .map(([field]) => ({ field, description: "has no effect in this service: leave it out" }));
}
