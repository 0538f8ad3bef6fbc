/** The limits of organizations whose applications keep calls waiting. */
export const slowLimits = {
  /** Milliseconds in which an application answers that keeps nobody waiting. */
  answeredMs: 1_000,
  /** Organizations that are remembered as slow. */
  slowOrganizationsMax: 1_000,
} as const;

/**
 * Makes a call to an application of an organization; answers undefined, and makes none, where one
 * of the organization is under way and its last one was slow.
 */
export type CallInTurn = <Result>(
  organization: string,
  call: () => Promise<Result>,
) => Promise<Result | undefined>;

/**
 * All organizations share the places of calls: whose applications keep them waiting has one at a
 * time, until one is answered in time.
 */
export function createTurns(nowMs: () => number): CallInTurn {
  const slow = new Set<string>();
  const underWay = new Map<string, number>();

  const judge = (organization: string, ms: number) => {
    slow.delete(organization);
    if (ms <= slowLimits.answeredMs) return;
    slow.add(organization);
    const [first = ""] = slow;
    if (slow.size > slowLimits.slowOrganizationsMax) slow.delete(first);
  };
  return async (organization, call) => {
    const others = underWay.get(organization) ?? 0;
    if (others > 0 && slow.has(organization)) return undefined;
    underWay.set(organization, others + 1);
    const beganMs = nowMs();
    try {
      return await call();
    } finally {
      judge(organization, nowMs() - beganMs);
      const left = (underWay.get(organization) ?? 1) - 1;
      if (left > 0) underWay.set(organization, left);
      else underWay.delete(organization);
    }
  };
}
