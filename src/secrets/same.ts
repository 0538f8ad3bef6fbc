import { timingSafeEqual } from "node:crypto";

/** Whether both are the same, in a time that does not depend on where they differ. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
