import { isCurrent } from "../../domain/ending.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import type { FoundApp } from "../base/rows.ts";

/** The bounds of the JWTs by which applications prove themselves (RFC 7523, 3). */
export const assertionLimits = {
  /** Milliseconds for which one may be valid from when it is shown. */
  assertionMs: 60 * 60_000,
  /** Keys that are tried for one that names none: each costs who checks more than who sends. */
  keysTried: 5,
} as const;

/** The keys by which an assertion may be signed: the one that it names, else the newest. */
export function signersOf(
  { keys }: Pick<FoundApp, "keys">,
  keyId: unknown,
  nowMs: number,
): readonly (readonly [keyId: string, key: FoundApp["keys"][string]])[] {
  const good = Object.entries(keys).filter(([, key]) => isCurrent(key, nowMs));
  if (keyId !== undefined) return good.filter(([id]) => id === keyId);
  const byAge = good.toSorted(([, one], [, other]) => one.addedMs - other.addedMs);
  return byAge.slice(-assertionLimits.keysTried);
}

/** The id of the key that an assertion names; undefined where it names none, or is none. */
export function keyIdIn(assertion: unknown): unknown {
  try {
    const [head = ""] = String(assertion).split(".");
    return (JSON.parse(Buffer.from(head, "base64url").toString()) as { kid?: unknown } | null)?.kid;
  } catch {
    return undefined;
  }
}

/** Milliseconds by which clocks may differ. */
const skewMs = 5_000;

/** Whether an assertion that ends then is valid now, and not for too long. */
export function isTimely(exp: unknown, nowMs: number): boolean {
  const endsMs = typeof exp === "number" ? exp * 1_000 : 0;
  return endsMs > nowMs - skewMs && endsMs <= nowMs + assertionLimits.assertionMs + skewMs;
}

/** Whether an assertion that has begun is shown; one that does not say when always has. */
export function hasBegun(nbf: unknown, nowMs: number): boolean {
  return typeof nbf !== "number" || nbf * 1_000 <= nowMs + skewMs;
}

/** An assertion by what it can be told from all others, and when it ends (Unix seconds). */
export interface ShownAssertion {
  readonly clientId: string;
  readonly jti: string;
  readonly exp: number;
}

/** Whether an assertion is shown for the first time: to any process, at any endpoint. */
export async function isFirst(
  { unit, now, machineNow }: Pick<ProviderParts, "unit" | "now" | "machineNow">,
  { clientId, jti, exp }: ShownAssertion,
): Promise<boolean> {
  const key = `Assertion:${hashSecret(`${clientId} ${jti}`)}`;
  // By the time of the log, by which it is swept; who signs may write fractions of a second.
  const keptMs = now() + Math.ceil(exp * 1_000) - machineNow() + skewMs;
  const [uses] = await unit.artifacts.write([{ kind: "count", key, expiresMs: keptMs }]);
  return uses === 1;
}
