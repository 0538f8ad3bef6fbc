import { hashSecret } from "../../secrets/tokens.ts";
import { type ArtifactWrite, isStopped } from "../../store/artifact.ts";
import type { ProviderParts } from "./parts.ts";

/**
 * Counts something that actions do, in rows that all processes share. It is written beside the
 * request, whatever becomes of that. Resolves to what takes it back; undefined where the bound is
 * passed.
 */
export async function countOfActions(
  { unit, now }: Pick<ProviderParts, "now" | "unit">,
  what: string,
  ms: number,
  usesMax: number,
): Promise<(() => Promise<void>) | undefined> {
  const key = `actions:${hashSecret(what)}`;
  const one = { kind: "count", key, expiresMs: now() + ms, usesMax } as const;
  const write = (change: ArtifactWrite) => unit.run(() => unit.artifacts.write([change]));
  const giveBack = async () => void (await write({ kind: "giveBack", key }));
  const [uses = 0] = await write(one);
  if (!isStopped(one, uses)) return giveBack;
  // A refused use does not count: it would bar later ones after others have given theirs back.
  await giveBack();
  return undefined;
}
