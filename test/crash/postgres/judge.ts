import { projector } from "../../../src/start/projector.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { verifyPostgres } from "../../../src/store/postgres/verify/verify.ts";
import { readLog } from "../../store/fixture.ts";
import { sealing } from "../../store/keys.ts";
import { type Call, compare, type Problem, type Row } from "../ledger.ts";

/**
 * What is wrong with a log, of which all calls are known that were ever made: what `compare` says
 * of it, and what `verify` does.
 */
export async function judgeLog(url: string, calls: readonly Call[]): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const damaged = (text: string) => problems.push({ kind: "damaged", text });
  try {
    await verifyPostgres({ url, projector, keys: sealing.keys }, damaged);
    const store = await openPostgres({ url, projector, ...sealing });
    const rows = (await readLog(store)).map(
      ({ position, timeMs, ...event }): Row => ({
        ...event,
        position: Number(position),
        time: timeMs,
      }),
    );
    await store.close();
    problems.push(...compare(rows, calls));
  } catch (error) {
    damaged(error instanceof Error ? error.message : String(error));
  }
  return problems;
}
