import type { Usage } from "../quota.ts";
import { digestOfKey, planQuotas } from "../quota-plan.ts";
import type { Append } from "../store.ts";
import type { Assumed, Planned } from "./batch.ts";
import type { Pool } from "./pool.ts";

/**
 * Counts the messages of a batch against their quotas as they are now, one append after the other.
 * The append looks whether they still are, and whether those before it went as planned.
 */
export async function planBatch(
  pool: Pool,
  appends: readonly Append[],
): Promise<readonly Planned[]> {
  const digests = appends.flatMap(({ changes }) =>
    changes.flatMap(({ messages }) =>
      messages.flatMap(({ quotas = [] }) => quotas.map(digestOfKey)),
    ),
  );
  const stored = digests.length === 0 ? new Map() : await readUsages(pool, digests);
  const later = new Map<string, Usage>();
  return appends.map((append) => {
    const assumed = new Map<string, Assumed>();
    const plan = planQuotas(append, (digest) => {
      const key = digest.toString("hex");
      assumed.set(key, { digest, usage: stored.get(key) });
      return later.get(key) ?? stored.get(key);
    });
    for (const { digest, usage } of plan.kept) later.set(digest.toString("hex"), usage);
    return { append, plan, assumed: [...assumed.values()] };
  });
}

async function readUsages(
  pool: Pool,
  digests: readonly Buffer[],
): Promise<ReadonlyMap<string, Usage>> {
  const rows = await pool.query<UsageColumns>(
    "SELECT digest, used, debt, told FROM iam.quotas WHERE digest = ANY($1::bytea[])",
    [digests],
  );
  return new Map(
    rows.map(({ digest, used, debt, told }) => [
      digest.toString("hex"),
      { usedMs: Number(used), debt: Number(debt), toldMs: Number(told) },
    ]),
  );
}

interface UsageColumns {
  readonly digest: Buffer;
  readonly used: bigint;
  readonly debt: bigint;
  readonly told: bigint;
}
