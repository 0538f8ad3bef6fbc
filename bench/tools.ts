import { join } from "node:path";
import type { Child } from "./child.ts";
import { fillStore } from "./fill.ts";
import { grownName } from "./growth.ts";
import type { LoadAnswers } from "./load.ts";
import { type Case, callsMax, keyOf, type Rates, rowsOf, type Sample, type Say } from "./rates.ts";
import { rateTable } from "./report.ts";
import { serviceRequest } from "./requests.ts";
import { type Figures, type Spread, spreadOf } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";
import { runMain, startOnce } from "./start.ts";
import { brief, table } from "./table.ts";

/** What the measurement asks of one who runs it. */
interface Using {
  /** Starts the service on a filled store. */
  startServer(dataDir: string, project: string): Child<ServerAnswers>;
  readonly load: Child<LoadAnswers>;
  readonly say: Say;
}

/**
 * How long it takes to back a log up while others create, and what they notice of it; then to
 * restore that, to start on it, to verify it, and to make anew what follows from it.
 */
export async function measureTools(
  directory: string,
  { pace, grownEvents }: Size,
  { startServer, load, say }: Using,
): Promise<Rates & { readonly startMs: { readonly [what: string]: Spread } }> {
  const took: [string, Spread][] = [];
  const rows: Rates["rows"][number][] = [];
  for (const events of grownEvents) {
    const name = grownName(events);
    const dataDir = join(directory, `tools-${events}`);
    const backup = join(directory, `backup-${events}`);
    const restored = join(directory, `restored-${events}`);
    const take = async (what: string, command: () => Promise<number>) => {
      say(`${what} ${name}`);
      took.push([`${what} ${name}`, spreadOf([await command()])]);
    };
    say(`filling ${name}`);
    const server = startServer(dataDir, await fillStore(dataDir, events));
    const target = await server.ask("target");
    const template = serviceRequest("grpc", "AddAPIApp", target);
    const measure: Case["measure"] = (each) =>
      load.ask("run", { ...{ port: target.port, template, inFlight: 1, callsMax }, ...each });
    const alone: Case = { name: `AddAPIApp grpc, ${name}`, inFlight: 1, measure };
    const beside: Case = { ...alone, name: `AddAPIApp grpc beside a backup of ${name}` };
    const samples: Sample[] = [];
    await measure(pace);
    const before = await measure(pace);
    await take("to back up", async () => {
      const backedUp = runMain("backup", backup, "--with-key", "--data-dir", dataDir);
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      backedUp.then(over, over);
      do samples.push(await measure(pace));
      while (!isOver);
      return await backedUp;
    });
    await server.stop();
    await take("to restore", () => runMain("restore", backup, "--data-dir", restored));
    await take("to start on what was restored of", () => startOnce(restored));
    await take("to verify", () => runMain("verify", "--data-dir", restored));
    await take("to rebuild", () => runMain("rebuild", "--data-dir", restored));
    const found = new Map([
      [keyOf(alone), [before]],
      [keyOf(beside), samples],
    ]);
    rows.push(...rowsOf([alone, beside], found));
  }
  return { rows, ratios: {}, startMs: Object.fromEntries(took) };
}

/** How long that took, for people. */
export function showTools({ rows = [], startMs = {} }: Figures): string {
  const times = Object.entries(startMs).map(([what, { median }]) => [what, brief(median / 1000)]);
  return [rateTable(rows), table(["Besides writes", "s"], times)].join("\n\n");
}
