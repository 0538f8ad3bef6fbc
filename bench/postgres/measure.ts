import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { projector } from "../../src/log/projector.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { createPool } from "../../src/store/postgres/pool.ts";
import { migrate } from "../../src/store/postgres/schema.ts";
import { makeCluster, runOn } from "../../test/harness/postgres-cluster.ts";
import type { Child, StartChild } from "../child.ts";
import type { LoadAnswers } from "../load.ts";
import {
  type Case,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  type Sample,
  type Say,
} from "../rates.ts";
import { rateTable, verdict } from "../report.ts";
import type { Figures } from "../results.ts";
import type { Size } from "../sizes.ts";
import { brief, spreadText } from "../table.ts";
import { startCreates } from "./creates.ts";
import type { LockedAnswers } from "./locked.ts";
import type { Had, NodeAnswers } from "./node.ts";
import type { Waited, Waiting } from "./waiting.ts";

/** How many processes write to one server, and how many appends of each wait. */
const counts = [2, 4] as const;
const inFlight = 64;

/** What is aimed at: appends a second, by how much it beats the lock, and how soon a watch sees. */
const aims = { rateMin: 5_000, ratioMin: 2, watchMsMax: 300 } as const;

/** Milliseconds between two events that are watched, at most. */
const betweenMs = 100;

/** Something that appends as long as it is asked to. */
type Appending = Child<{ run(waiting: Waiting): Promise<Waited> }>;

/**
 * What several processes append to one PostgreSQL, with its settings as they come, beside appends
 * that hold a lock over round trips; how soon one process sees what another wrote; and what the
 * whole service creates there, beside what it does on a file. Rejects
 * where the positions have a gap, or a watch did not see each event once and in order.
 */
export async function measurePostgres(
  start: StartChild,
  directory: string,
  { pace }: Pick<Size, "pace">,
  say: Say,
): Promise<Rates> {
  const place = join(directory, "postgres");
  await mkdir(place);
  const cluster = makeCluster(place);
  await cluster.start();
  const databases = ["iam", "locked", "service"];
  for (const name of databases) await runOn(cluster.url("postgres"), `CREATE DATABASE ${name}`);
  const load = start<LoadAnswers>("load.ts");
  const creates = await startCreates(directory, cluster.url("service"), load);
  try {
    const urls = { ours: cluster.url("iam"), theirs: cluster.url("locked") };
    for (const url of Object.values(urls)) {
      const pool = createPool(url, postgresLimits, projector.revision);
      await migrate(pool, projector);
      await pool.close();
    }
    const names = Array.from({ length: Math.max(...counts) }, (_, i) => `node ${i + 1}`);
    const nodes: Child<NodeAnswers>[] = [];
    for (const name of names) {
      nodes.push(start<NodeAnswers>("postgres/node.ts", { args: [urls.ours, name] }));
      // The first makes what all have in common.
      await nodes.at(-1)?.ask("watch");
      await nodes.at(-1)?.ask("seen");
    }
    const locked = names.map(() =>
      start<LockedAnswers>("postgres/locked.ts", { args: [urls.theirs] }),
    );
    const pairs = counts.map(
      (count) =>
        [
          appending(oursName(count), nodes.slice(0, count)),
          appending(theirsName(count), locked.slice(0, count)),
        ] as const,
    );
    const [writer, watcher] = nodes;
    if (writer === undefined || watcher === undefined) throw new Error("there are no nodes");
    const cases = [...pairs.flat(), watching(writer, watcher), ...creates.cases];
    const samples = await measureCases(cases, pace, say);
    for (const name of databases) await assertGapless(cluster.url(name));
    const ratios = pairs.map(([ours, theirs], index) => [
      ratioName(counts[index] ?? 0),
      ratioOf(samples, [ours, theirs], ({ rate }) => rate),
    ]);
    return { rows: rowsOf(cases, samples), ratios: Object.fromEntries(ratios) };
  } finally {
    await creates.stop();
    await cluster.kill();
  }
}

const oursName = (count: number) => `appends to PostgreSQL, ${count} processes`;
const theirsName = (count: number) => `a lock over round trips, ${count} processes`;
const ratioName = (count: number) => `appends / a lock over round trips, ${count} processes`;
const watchName = "one process sees what another wrote";

function appending(name: string, processes: readonly Appending[]): Case {
  return {
    name,
    inFlight: inFlight * processes.length,
    measure: async (pace) => {
      const waiting = { ...pace, inFlight };
      return sampleOf(await Promise.all(processes.map((one) => one.ask("run", waiting))));
    },
  };
}

function watching(writer: Child<NodeAnswers>, watcher: Child<NodeAnswers>): Case {
  return {
    name: watchName,
    inFlight: 1,
    measure: async ({ measureMs }) => {
      await watcher.ask("watch");
      const written: Had[] = [];
      const beginMs = performance.now();
      do {
        // So that appends come at any time of the watcher's looks.
        await pause(Math.random() * betweenMs);
        written.push(await writer.ask("append"));
      } while (performance.now() - beginMs < measureMs);
      const elapsedMs = performance.now() - beginMs;
      await pause(2 * aims.watchMsMax);
      return sampleOf([{ latencies: latenciesOf(written, await watcher.ask("seen")), elapsedMs }]);
    },
  };
}

/** Milliseconds from each acknowledgement until it was seen; throws where one was not, or twice. */
function latenciesOf(written: readonly Had[], seen: readonly Had[]): readonly number[] {
  const from = (written[0]?.[0] ?? 0n) - 1n;
  const isWrong = seen.some(([position], i) => position !== from + BigInt(i));
  if (isWrong || seen.at(-1)?.[0] !== written.at(-1)?.[0]) {
    throw new Error(`a watch was told of ${seen.map(([position]) => position)}`);
  }
  const seenAt = new Map(seen);
  return written.map(([position, atMs]) => Math.max(0, (seenAt.get(position) ?? 0) - atMs));
}

function sampleOf(waited: readonly Waited[]): Sample {
  const all = Float64Array.from(waited.flatMap(({ latencies }) => latencies)).sort();
  const at = (share: number) => all[Math.floor(share * (all.length - 1))] ?? 0;
  const elapsedMs = Math.max(...waited.map((one) => one.elapsedMs));
  return { rate: (all.length / elapsedMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function assertGapless(url: string): Promise<void> {
  const [found] = await runOn<{ events: string; first: string; last: string }>(
    url,
    "SELECT count(*) AS events, min(position) AS first, max(position) AS last FROM iam.events",
  );
  if (found?.first === "1" && found.last === found.events) return;
  throw new Error(`positions have gaps: ${JSON.stringify(found)}`);
}

/** What it comes to, for people. */
export function showPostgres({ rows = [], ratios = {} }: Figures): string {
  const rateOf = (name: string) => rows.find((row) => row.name === name);
  const [most] = counts.slice(-1);
  const rate = rateOf(oursName(most ?? 0))?.rate.median ?? Number.NaN;
  const watchMs = rateOf(watchName)?.p50Ms.median ?? Number.NaN;
  const { rateMin, ratioMin, watchMsMax } = aims;
  return [
    rateTable(rows),
    [
      ...Object.entries(ratios).map(([name, ratio]) =>
        verdict(
          `${name} at least ${ratioMin}`,
          `${brief(ratio.median)} ${spreadText(ratio)}`,
          ratio.median >= ratioMin,
        ),
      ),
      verdict(`appends of ${most} processes at least ${rateMin}/s`, brief(rate), rate >= rateMin),
      verdict(`${watchName} within ${watchMsMax} ms`, brief(watchMs), watchMs <= watchMsMax),
    ].join("\n"),
  ].join("\n\n");
}
