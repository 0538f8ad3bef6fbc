import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../parts.ts";

/** The bounds of the JWTs by which applications prove themselves (RFC 7523, 3). */
export const assertionLimits = {
  /** Milliseconds for which one may be good from when it is shown. */
  assertionMs: 60 * 60_000,
} as const;

/** Milliseconds by which clocks may differ. */
const skewMs = 5_000;

/** Whether an assertion that says it ends then is good now, and not for too long. */
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
  { store, now, machineNow }: Pick<ProviderParts, "store" | "now" | "machineNow">,
  { clientId, jti, exp }: ShownAssertion,
): Promise<boolean> {
  const key = `Assertion:${hashSecret(`${clientId} ${jti}`)}`;
  // By the time of the log, by which it is swept; who signs may write fractions of a second.
  const keptMs = now() + Math.ceil(exp * 1_000) - machineNow() + skewMs;
  return (await store.artifacts.count(key, keptMs, now())) === 1;
}
