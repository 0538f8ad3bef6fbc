import { hashingRatios } from "./hashing.ts";
import { appendsName, capacityOf, echoOf, inFlights, operations, protocols } from "./rates.ts";
import { type Figures, namedNumbers, type Results, type Row } from "./results.ts";
import { emptyStart } from "./start.ts";
import { brief, percent, spreadText, table } from "./table.ts";

/** What the service promises; the report says whether this run keeps it. */
const promises = {
  ...{ ratioMin: 0.7, startMsMax: 700, growthMax: 1.1 },
  ...{ hashingRatioMin: 0.8, besideHashingMax: 5 },
} as const;

/** What calls cost, for people. */
export function showRates({ rows = [], ratios = {} }: Figures): string {
  const tables = [rateTable(rows), ratioTable(ratios), loadTable(rows)];
  return [...tables, rateVerdicts(rows, ratios)].join("\n\n");
}

/** What hashing passwords costs, for people. */
export function showHashing({ rows = [], ratios = {} }: Figures): string {
  return [rateTable(rows), hashingTable(ratios), hashingVerdicts(ratios)].join("\n\n");
}

/** Each number of an older run next to this one's. */
export function comparison(before: Results, now: Results): string {
  const old = namedNumbers(before);
  const rows = [...namedNumbers(now)].map(([name, value]) => {
    const earlier = old.get(name);
    if (earlier === undefined) return [name, "", "→", brief(value), ""];
    return [name, brief(earlier), "→", brief(value), `${brief(value / earlier)} ×`];
  });
  const { at, commit } = before.machine;
  return `Compared with ${at}, commit ${commit}\n\n${table(["", "old", "", "new", ""], rows)}`;
}

/** Where and how the figures are taken. */
export function facts({ machine, size }: Results): string {
  const { at, commit, cpu, cores, memoryGiB, system, node, fileSystem, loadBefore } = machine;
  return [
    `${at}, commit ${commit}${size === "full" ? "" : `, ${size.toUpperCase()}: not for quoting`}`,
    `${cores} cores of ${cpu}, ${memoryGiB} GiB, ${system}, Node ${node}`,
    `data on ${fileSystem}, synchronous=FULL; log at info to /dev/null`,
    `load average before the run: ${loadBefore.toFixed(2)}${loadBefore > 0.5 ? " (NOISY)" : ""}`,
  ].join("\n");
}

/** Rows of rates as a table. */
export function rateTable(rows: readonly Row[]): string {
  const head = [
    "",
    "in flight",
    "calls/s",
    "spread",
    "p50 ms",
    "p99 ms",
    "server µs",
    "CPU",
    "load CPU",
  ];
  const cells = rows.map(
    ({ name, inFlight, rate, p50Ms, p99Ms, serverCpu, cpuMicros, loadCpu }) => [
      name,
      String(inFlight),
      brief(rate.median),
      spreadText(rate),
      brief(p50Ms.median),
      brief(p99Ms.median),
      cpuMicros ? brief(cpuMicros.median) : "",
      serverCpu ? percent(serverCpu.median) : "",
      loadCpu ? percent(loadCpu.median) : "",
    ],
  );
  return [
    "Rates: median of the repetitions, and how far the others lie",
    "server µs: CPU time of all its threads per call; CPU: of the server, in shares of a core",
    "",
    table(head, cells),
  ].join("\n");
}

function ratioTable(ratios: Results["ratios"]): string {
  const head = ["", "in flight", "/ no-op", "spread", "/ echo", "/ appends"];
  const rows = inFlights.flatMap((inFlight) =>
    protocols.flatMap((protocol) =>
      operations.map((operation) => {
        const to = (other: string) => ratios[`${operation} ${protocol} ${inFlight} / ${other}`];
        const [noop, echo, appends] = [to("noop"), to("echo"), to("appends")];
        const isNoop = operation === "noop";
        return [
          `${operation} ${protocol}`,
          String(inFlight),
          noop && !isNoop ? brief(noop.median) : "",
          noop && !isNoop ? spreadText(noop) : "",
          echo ? brief(echo.median) : "",
          appends && !isNoop ? brief(appends.median) : "",
        ];
      }),
    ),
  );
  const echoes = [...new Set(Object.values(echoOf))].join(" or ");
  return [
    "Ratios of rates, each taken within a repetition",
    `echo: ${echoes}, whichever has the protocol's HTTP version`,
    `appends: as many per commit as are in flight (${inFlights.map(appendsName).join("; ")})`,
    "",
    table(head, rows),
  ].join("\n");
}

function loadTable(rows: readonly Row[]): string {
  const head = ["64 in flight", "service/s", "same generator elsewhere/s", "factor", "load CPU"];
  const cells = rows.filter(isOfService).map((row) => {
    const capacity = capacityFor(row, rows);
    return [
      row.name,
      brief(row.rate.median),
      brief(capacity),
      `${brief(capacity / row.rate.median)} ×`,
      percent(row.loadCpu?.median ?? 0),
    ];
  });
  return [
    "The load generator is no bottleneck: what it makes of echo servers by hand, which are",
    "at their own limit there, so that it could make more",
    "",
    table(head, cells),
  ].join("\n");
}

function isOfService({ name, inFlight }: Row): boolean {
  return inFlight === 64 && operations.some((operation) => name.startsWith(`${operation} `));
}

function capacityFor({ name, inFlight }: Row, rows: readonly Row[]): number {
  const protocol = protocols.find((one) => name.endsWith(` ${one}`)) ?? "grpc";
  const echo = rows.find((row) => row.name === capacityOf[protocol] && row.inFlight === inFlight);
  return echo?.rate.median ?? Number.NaN;
}

function hashingTable(ratios: Results["ratios"]): string {
  const rows = Object.values(hashingRatios).map((name) => {
    const spread = ratios[name];
    return spread ? [name, brief(spread.median), spreadText(spread)] : [name];
  });
  return [
    "Hashing of passwords: ratios, each taken within a repetition",
    "",
    table(["", "ratio", "spread"], rows),
  ].join("\n");
}

/** How long starts take, for people. */
export function showStarts({ startMs = {} }: Figures): string {
  const rows = Object.entries(startMs).map(([what, spread]) => [
    what,
    brief(spread.median),
    spreadText(spread),
  ]);
  const median = startMs[emptyStart]?.median ?? Number.NaN;
  const kept = verdict(
    `start on ${emptyStart} within ${promises.startMsMax} ms`,
    `${brief(median)} ms`,
    median <= promises.startMsMax,
  );
  const starts = table(["Start, from spawning to listening or to its end", "ms", "spread"], rows);
  return [starts, kept].join("\n\n");
}

/** What memory the server takes, for people. */
export function showMemory({ resident = [] }: Figures): string {
  const rows = resident.map(({ how, callsPerRun, bytes: [first, second] }) => [
    how,
    brief(callsPerRun),
    brief(first / 2 ** 20),
    brief(second / 2 ** 20),
    brief(second / first),
  ]);
  const kept = resident.map(({ how, bytes: [first, second] }) =>
    verdict(
      `resident after the second run at most ${promises.growthMax} × the first, ${how}`,
      brief(second / first),
      second / first <= promises.growthMax,
    ),
  );
  const head = ["Resident memory", "calls per run", "first MiB", "second MiB", "ratio"];
  return [table(head, rows), kept.join("\n")].join("\n\n");
}

function rateVerdicts(rows: readonly Row[], ratios: Results["ratios"]): string {
  const slow = protocols.map((protocol) => {
    const own = operations
      .filter((operation) => operation !== "noop")
      .map((operation) => ratios[`${operation} ${protocol} 64 / noop`]?.median ?? Number.NaN);
    return verdict(
      `operation / no-op at least ${promises.ratioMin} by ${protocol}, 64 in flight`,
      own.map(brief).join(" and "),
      Math.min(...own) >= promises.ratioMin,
    );
  });
  const ours = rows.filter(isOfService);
  const factor = Math.min(...ours.map((row) => capacityFor(row, rows) / row.rate.median));
  const cpu = Math.max(...ours.map(({ loadCpu }) => loadCpu?.median ?? 0));
  const generator = verdict(
    "load generator at least twice as fast as it is used",
    `${brief(factor)} ×, ${percent(cpu)} CPU`,
    factor >= 2,
  );
  return [...slow, generator].join("\n");
}

function hashingVerdicts(ratios: Results["ratios"]): string {
  const hashed = ratios[hashingRatios.rate]?.median ?? Number.NaN;
  const beside = ratios[hashingRatios.p99]?.median ?? Number.NaN;
  return [
    verdict(
      `people with passwords imported per bare hash at least ${promises.hashingRatioMin}`,
      brief(hashed),
      hashed >= promises.hashingRatioMin,
    ),
    verdict(
      `p99 of AddAPIApp beside imports at most ${promises.besideHashingMax} × that by itself`,
      brief(beside),
      beside <= promises.besideHashingMax,
    ),
  ].join("\n");
}

/** Whether a promise is kept, with what was found. */
export function verdict(promise: string, found: string, kept: boolean): string {
  return `${kept ? "yes" : "NO "}  ${promise}: ${found}`;
}
