import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { headFile } from "../src/log/head-places.ts";
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
    await fillStore(dataDir, 0);
    const db = new Database(join(dataDir, "iam.db"));
    unchain(db, 5);
    addUnchained(db, events);
    rmSync(join(dataDir, headFile));
    db.close();
    say(`chaining ${name}`);
    startMs.push([`${name} without a chain`, spreadOf([await startOnce(dataDir)])]);
    startMs.push([`${name}, the next time`, spreadOf([await startOnce(dataDir)])]);
  }
  return Object.fromEntries(startMs);
}

/**
 * Adds events that a program of before would have left, up to so many in all: actions, each with a
 * name of its own. What follows from them is made anew by the start that chains them.
 */
function addUnchained(db: Database.Database, events: number): void {
  db.pragma("synchronous = OFF");
  db.prepare(
    `WITH RECURSIVE
       n (position) AS (
         SELECT max(position) + 1 FROM events UNION ALL
         SELECT position + 1 FROM n WHERE position < $events
       ),
       one AS (SELECT * FROM events WHERE stream GLOB 'action-*' LIMIT 1),
       added AS (
         SELECT n.position,
           format('action-%08x-0000-7000-8000-%012x', n.position, n.position) AS stream,
           version, type, owner, actor, time,
           json_set(payload, '$.name', 'added ' || n.position) AS payload
         FROM n, one
       )
     INSERT INTO events
       SELECT *, checked(stream, version, type, owner, actor, time, payload) FROM added
       WHERE position <= $events`,
  ).run({ events });
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
