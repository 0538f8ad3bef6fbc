import { instance, instanceId } from "../../domain/instance.ts";
import { streamOf } from "../../domain/noun.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findInstance } from "../base/rows.ts";

const stream = streamOf(instance, instanceId);

/** Bytes of the ids that devices of widespread kinds make. */
const lengths = [16, 20, 32, 48, 64] as const;

/** As many ids as browsers are told at the least: most people have no more passkeys. */
const decoysAtLeast = 3;

/**
 * The ids of the passkeys that browsers are told to look for where somebody has typed a name: those
 * that are there, and as many as are missing that are not. These are always the same for a name,
 * and nobody without the master key tells them from others (WebAuthn Level 3, 14.6.2).
 */
export async function withDecoys(
  site: Pick<ProviderParts, "store" | "keyring">,
  whose: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const [check] = (await findInstance(site))?.keyChecks ?? [];
  if (check === undefined) throw new Error("the instance is not set up");
  const decoys = Array.from({ length: decoysAtLeast }, (_, index) => {
    const field = `passkey.decoy ${index} ${whose}`;
    return decoyOf(site.keyring.derive(check, { stream, field }));
  });
  return [...ids, ...decoys.slice(ids.length)].toSorted();
}

function decoyOf(secret: string): string {
  const bytes = Buffer.from(["", " "].map((end) => hashSecret(secret + end)).join(""), "hex");
  const length = lengths[bytes.readUInt8() % lengths.length];
  return bytes.subarray(-Number(length)).toString("base64url");
}
