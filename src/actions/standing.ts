import type { SandboxLimits } from "./limits.ts";

/** How the runs of organizations went lately. */
export interface Standings {
  /** Whether runs of it have ended, and took no more than its part. */
  isPrompt(organization: string): boolean;
  /** Whether they took more. */
  isSlow(organization: string): boolean;
  /** Notes that a run has held a thread for so long. */
  note(organization: string, heldMs: number): void;
}

/** What an organization took beyond its part, at that time. */
interface Standing {
  readonly debtMs: number;
  readonly atMs: number;
}

type StandingLimits = Pick<SandboxLimits, "debtMs" | "debtMostMs" | "partMs" | "organizations">;

/** Remembers those of whom something was noted last. Others are neither prompt nor slow. */
export function createStandings(
  { debtMs, debtMostMs, partMs, organizations }: StandingLimits,
  now: () => number,
): Standings {
  const standings = new Map<string, Standing>();

  function debtOf(organization: string): number | undefined {
    const known = standings.get(organization);
    if (known === undefined) return undefined;
    return Math.max(0, known.debtMs - ((now() - known.atMs) / 1_000) * partMs);
  }

  return {
    isPrompt: (organization) => (debtOf(organization) ?? Number.POSITIVE_INFINITY) <= debtMs,
    isSlow: (organization) => (debtOf(organization) ?? 0) > debtMs,
    note(organization, heldMs) {
      const debt = (debtOf(organization) ?? 0) + heldMs;
      standings.delete(organization);
      standings.set(organization, { debtMs: Math.min(debt, debtMostMs), atMs: now() });
      const [oldest] = standings.keys();
      if (standings.size > organizations && oldest !== undefined) standings.delete(oldest);
    },
  };
}
