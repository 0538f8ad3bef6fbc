import { createUnit, type Unit } from "../../src/provider/base/unit.ts";
import type { Store } from "../../src/store/store.ts";

/** What counts and keeps on a store beside a server that has it. */
export function unitOf(
  store: Store,
  now: () => number,
): { readonly unit: Unit; readonly now: () => number } {
  return { unit: createUnit({ store, now }), now };
}
