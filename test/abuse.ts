// Abuses the service in 256 MB of heap, in all ways at once that anybody has thought of, while
// honest callers work, and says what they met. Run it with "make abuse"; --seconds says how long,
// --only which abuses, by commas.
import { parseArgs } from "node:util";
import { attacks } from "./abuse/attacks.ts";
import type { Met } from "./abuse/honest.ts";
import { type AbuseReport, abuse, abuseLimits } from "./abuse/run.ts";
import { endProcessesAtSignals } from "./harness/process.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "300" }, only: { type: "string" } },
});
const abuseMs = Number(values.seconds) * 1_000;
const quietMs = Math.min(60_000, abuseMs / 4);

endProcessesAtSignals();
const names = values.only?.split(",");
const report = await abuse({ abuseMs, quietMs, ...(names ? { names } : {}) });
const problems = problemsOf(report);
show(report);
for (const problem of problems) print(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function show({ before, during, after, peak, growthMiB, done, pace, outcomes }: AbuseReport): void {
  print("        calls  logins   failed   p50 ms   p99 ms  longest");
  for (const [name, met] of Object.entries({ before, during, after })) print(rowOf(name, met));
  const { residentMiB, heapMiB, blockMs } = peak;
  print(`resident at most ${Math.round(residentMiB)} MiB, heap ${Math.round(heapMiB)} MiB`);
  print(`the files grew by ${Math.round(growthMiB)} MiB`);
  print(`the event loop did one thing for at most ${blockMs} ms`);
  const sorted = [...outcomes].sort(([, one], [, other]) => other - one);
  print(`it was abused at ${Math.round(pace * 100)} % of the full pace`);
  print(`who abused it took ${Math.round(done.cpuMs)} ms of a core, for these steps`);
  for (const [name, count] of Object.entries(done.counts)) {
    const due = Math.round(((attacks[name]?.perSecond ?? 0) * pace * abuseMs) / 1_000);
    print(`${String(count).padStart(9)} ${name}, of ${due} at most`);
  }
  print("what came of calls");
  for (const [outcome, count] of sorted) print(`${String(count).padStart(9)} ${outcome}`);
}

function rowOf(name: string, { calls, logins, failures, p50Ms, p99Ms, longestMs }: Met): string {
  const numbers = [
    calls,
    logins,
    failures.length,
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    longestMs.toFixed(1),
  ];
  const widths = [7, 8, 9, 9, 9, 9];
  return name.padEnd(6) + numbers.map((one, at) => String(one).padStart(widths[at]!)).join("");
}

function problemsOf(report: AbuseReport): readonly string[] {
  const { before, during, after, peak, growthMiB, defects } = report;
  const { residentMiB, growthMiB: growthMiBMax } = abuseLimits;
  const failures = [before, during, after].flatMap((met) => met.failures);
  return [
    ...[...new Set(failures)].map((failure) => `an honest call failed: ${failure}`),
    ...(defects.length === 0
      ? []
      : [`${defects.length} lines of defects, for example ${defects[0]}`]),
    ...(peak.residentMiB < residentMiB ? [] : [`more than ${residentMiB} MiB are resident`]),
    ...(growthMiB < growthMiBMax ? [] : [`the files grew by more than ${growthMiBMax} MiB`]),
  ];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
