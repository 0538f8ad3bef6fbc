import type { RecordedEvent } from "../../../src/event.ts";
import { projector } from "../../../src/start/projector.ts";
import { claimKey } from "../../../src/store/claim-key.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { runOn } from "../../harness/postgres-cluster.ts";
import { readLog } from "../../store/fixture.ts";
import { sealing } from "../../store/keys.ts";
import { type Call, compare, type Problem, type Row } from "../ledger.ts";

/**
 * What is wrong with a log, of which all calls are known that were ever made: what `compare` says
 * of it, what its seals and links say, and what follows from it and is not what is kept.
 */
export async function judgeLog(url: string, calls: readonly Call[]): Promise<readonly Problem[]> {
  const damaged = (text: string): Problem => ({ kind: "damaged", text });
  try {
    // It checks so many events at the end when it is opened: here all.
    const limits = { checkedEvents: Number.MAX_SAFE_INTEGER };
    const store = await openPostgres({ url, projector, limits, ...sealing });
    const events = await readLog(store);
    await store.close();
    return [...compare(events.map(toRow), calls), ...(await derivedFrom(url, events)).map(damaged)];
  } catch (error) {
    return [damaged(error instanceof Error ? error.message : String(error))];
  }
}

function toRow({ position, timeMs, ...event }: RecordedEvent): Row {
  return { ...event, position: Number(position), time: timeMs };
}

/** What is kept and does not follow from the log, or follows from it and is not kept. */
async function derivedFrom(url: string, events: readonly RecordedEvent[]): Promise<string[]> {
  const objects = await runOn<{ stream: string; state: string | null }>(
    url,
    "SELECT stream, state FROM iam.objects",
  );
  const claims = await runOn<{ kind: string; scope: string; value: string; stream: string }>(
    url,
    "SELECT kind, scope, value, stream FROM iam.claims",
  );
  const kept = new Set([
    ...objects.map(({ stream, state }) => `${stream} with the state ${state ?? undefined}`),
    ...claims.map(({ stream, ...claim }) => `${stream} with the claim ${claimKey(claim)}`),
  ]);
  const due = new Set<string>();
  for (const [stream, own] of Map.groupBy(events, (event) => event.stream)) {
    const projected = projector.project(own);
    due.add(`${stream} with the state ${projected.state}`);
    for (const claim of projected.claims) due.add(`${stream} with the claim ${claimKey(claim)}`);
  }
  return [
    ...[...due].filter((text) => !kept.has(text)).map((text) => `${text} is not kept`),
    ...[...kept].filter((text) => !due.has(text)).map((text) => `${text} follows from no event`),
  ];
}
