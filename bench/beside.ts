import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "./child.ts";
import type { LoadAnswers } from "./load.ts";
import { type Case, callsMax, keyOf, measureCases, type Rates, rowsOf, type Say } from "./rates.ts";
import { rateTable, verdict } from "./report.ts";
import { serviceRequest } from "./requests.ts";
import { type Figures, spreadOf } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";
import { brief, spreadText } from "./table.ts";
import type { WatcherAnswers } from "./watchers.ts";

/** The most that creating may take beside watchers, by its p50, where one call is in flight. */
const ratioMax = 3;

/** Milliseconds of calls beside watchers. */
const besideMs = 1_000;

/** How long a call takes beside watchers who are sent every event, and with none. */
export async function measureBeside(
  server: Child<ServerAnswers>,
  load: Child<LoadAnswers>,
  watchers: Child<WatcherAnswers>,
  { pace, watchers: count }: Pick<Size, "pace" | "watchers">,
  say: Say,
): Promise<Rates> {
  const { port, token, project } = await server.ask("target");
  const template = serviceRequest("grpc", "AddAPIApp", { port, token, project });
  const measure: Case["measure"] = (each) =>
    load.ask("run", { ...{ port, template, inFlight: 1, callsMax }, ...each });
  const alone: Case = { name: "AddAPIApp grpc, nobody watches", inFlight: 1, measure };
  const beside: Case = {
    name: `AddAPIApp grpc beside ${count} watchers`,
    inFlight: 1,
    measure: async (each) => {
      const { position: head } = await server.ask("head");
      await watchers.ask("open", { ...{ port, token, head }, watchers: count });
      await pause(each.warmUpMs);
      // They are slower than who creates, and all of it is waited for.
      const measured = await measure({ ...each, measureMs: Math.min(each.measureMs, besideMs) });
      const end = await server.ask("head");
      // Every event reached each of them once.
      await watchers.ask("close", { events: Number(end.position - head) });
      return measured;
    },
  };
  const cases = [alone, beside];
  const samples = await measureCases(cases, pace, say);
  const p50 = (one: Case) => (samples.get(keyOf(one)) ?? []).map(({ p50Ms }) => p50Ms);
  const base = p50(alone);
  const ratio = spreadOf(p50(beside).map((ms, index) => ms / (base[index] ?? Number.NaN)));
  return { rows: rowsOf(cases, samples), ratios: { [ratioName]: ratio } };
}

const ratioName = "p50 of AddAPIApp beside watchers / with none";

/** What watchers cost those who create, for people. */
export function showBeside({ rows = [], ratios = {} }: Figures): string {
  const ratio = ratios[ratioName];
  if (ratio === undefined) return rateTable(rows);
  const told = `${brief(ratio.median)} ${spreadText(ratio)}`;
  return [
    rateTable(rows),
    verdict(`${ratioName} at most ${ratioMax}`, told, ratio.median <= ratioMax),
  ].join("\n\n");
}
