import { createHash } from "node:crypto";
import type { Claim } from "../event.ts";
import { claimKey } from "./claim-key.ts";

/** What a quota is found by: its texts must not be seen. */
export function digestOfKey(claim: Claim): Buffer {
  return createHash("sha256").update(claimKey(claim)).digest();
}
