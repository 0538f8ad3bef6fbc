import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { headFile } from "../src/start/head-places.ts";
import { unchain } from "../test/store/sqlite-forge.ts";
import type { Child } from "./child.ts";
import { fillStore } from "./fill.ts";
import type { LoadAnswers } from "./load.ts";
import {
  type Case,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  type Say,
  serviceCase,
} from "./rates.ts";
import { rateTable, verdict } from "./report.ts";
import { type Figures, type Spread, spreadOf } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";
import { startOnce } from "./start.ts";
import { brief, spreadText, table } from "./table.ts";

/** What creating has to keep of its rate for the chain, its heads and the MACs of rows. */
const ratioMin = 0.9;

/** The service as it is, the one that `unchained.ts` makes of it, and what calls both. */
interface Compared {
  readonly chained: Child<ServerAnswers>;
  readonly unchained: Child<ServerAnswers>;
  readonly load: Child<LoadAnswers>;
}

/** What the chain costs those who create. */
export async function measureChain(
  { chained, unchained, load }: Compared,
  { pace }: Pick<Size, "pace">,
  say: Say,
): Promise<Rates> {
  const pairs: (readonly [name: string, own: Case, other: Case])[] = [];
  for (const inFlight of [1, 64]) {
    const calls = { protocol: "grpc", operation: "AddAPIApp", inFlight } as const;
    const caseOf = async (name: string, server: Child<ServerAnswers>): Promise<Case> => ({
      ...serviceCase({ server, load, target: await server.ask("target") }, calls),
      name: `AddAPIApp grpc, ${name}`,
    });
    const own = await caseOf("chained", chained);
    pairs.push([ratioName(inFlight), own, await caseOf("without the chain", unchained)]);
  }
  const cases = pairs.flatMap(([, own, other]) => [own, other]);
  const samples = await measureCases(cases, pace, say);
  const ratios = pairs.map(([name, own, other]): [string, Spread] => [
    name,
    ratioOf(samples, [own, other], ({ rate }) => rate),
  ]);
  return { rows: rowsOf(cases, samples), ratios: Object.fromEntries(ratios) };
}

function ratioName(inFlight: number): string {
  return `AddAPIApp grpc ${inFlight}, chained / without the chain`;
}

/** How long the first start on files without a chain takes, and the next one. */
export async function measureChaining(
  directory: string,
  { grownEvents }: Pick<Size, "grownEvents">,
  say: Say,
): Promise<{ readonly [what: string]: Spread }> {
  const startMs: [string, Spread][] = [];
  for (const events of grownEvents) {
    const dataDir = join(directory, `before-${events}`);
    const name = `${events.toLocaleString("en")} events`;
    say(`filling ${name}`);
    await fillStore(dataDir, events);
    const db = new Database(join(dataDir, "iam.db"));
    unchain(db, 5);
    rmSync(join(dataDir, headFile));
    db.close();
    say(`chaining ${name}`);
    startMs.push([`${name} without a chain`, spreadOf([await startOnce(dataDir)])]);
    startMs.push([`${name}, the next time`, spreadOf([await startOnce(dataDir)])]);
  }
  return Object.fromEntries(startMs);
}

/** What the chain costs, for people. */
export function showChain({ rows = [], ratios = {}, startMs = {} }: Figures): string {
  const starts = Object.entries(startMs).map(([what, { median }]) => [what, brief(median)]);
  const verdicts = Object.entries(ratios).map(([name, ratio]) =>
    verdict(
      `${name} at least ${ratioMin}`,
      `${brief(ratio.median)} ${spreadText(ratio)}`,
      ratio.median >= ratioMin,
    ),
  );
  return [
    rateTable(rows),
    table(["Start, from spawning to listening", "ms"], starts),
    verdicts.join("\n"),
  ].join("\n\n");
}
