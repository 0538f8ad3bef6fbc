import { hashSecret } from "../../secrets/tokens.ts";
import { isStopped } from "../../store/artifact.ts";
import type { ProviderParts } from "./parts.ts";

/**
 * Counts something that actions do, in rows that all processes share. It is written beside the
 * request, whatever becomes of that. Resolves to whether the bound is not passed.
 */
export async function countOfActions(
  { unit, now }: Pick<ProviderParts, "now" | "unit">,
  what: string,
  ms: number,
  usesMax: number,
): Promise<boolean> {
  const key = `actions:${hashSecret(what)}`;
  const one = { kind: "count", key, expiresMs: now() + ms, usesMax } as const;
  const [uses = 0] = await unit.run(() => unit.artifacts.write([one]));
  return !isStopped(one, uses);
}
