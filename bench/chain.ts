import type { Child } from "./child.ts";
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
import type { Figures, Spread } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";
import { brief, spreadText } from "./table.ts";

/** What creating has to keep of its rate for the chain, its heads and the MACs of rows. */
const ratioMin = 0.9;

/** Rounds that a measurement is divided into, each of which is compared by itself. */
const turns = 5;

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
  // Short rounds in turn: what else the machine does meets both alike.
  const { repetitions, measureMs } = pace;
  const rounds = { repetitions: repetitions * turns, measureMs: measureMs / turns };
  const samples = await measureCases(cases, { ...pace, ...rounds }, say);
  const ratios = pairs.map(([name, own, other]): [string, Spread] => [
    name,
    ratioOf(samples, [own, other], ({ rate }) => rate),
  ]);
  return { rows: rowsOf(cases, samples), ratios: Object.fromEntries(ratios) };
}

function ratioName(inFlight: number): string {
  return `AddAPIApp grpc ${inFlight}, chained / without the chain`;
}

/** What the chain costs, for people. */
export function showChain({ rows = [], ratios = {} }: Figures): string {
  const verdicts = Object.entries(ratios).map(([name, ratio]) =>
    verdict(
      `${name} at least ${ratioMin}`,
      `${brief(ratio.median)} ${spreadText(ratio)}`,
      ratio.median >= ratioMin,
    ),
  );
  return [rateTable(rows), verdicts.join("\n")].join("\n\n");
}
