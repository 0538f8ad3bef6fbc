import { createHash } from "node:crypto";
import type { Claim } from "../event.ts";
import { claimKey } from "./claim-key.ts";

/** What a claim or a quota is found by where its texts must not be seen, or may be too long. */
export function digestOfKey(claim: Claim): Buffer {
  return createHash("sha256").update(claimKey(claim)).digest();
}
