// Asks the service, as a process of its own, things that nobody would: messages made from the
// contract with values at the edges, bytes flipped, lengths that lie, wrong types and tokens, in
// every encoding and on the pages. Run it with "make fuzz"; --requests says how many, --seed which
// ones, --about which methods, and --at with the seed of a run sends the one request again that
// failed in it.
import { parseArgs } from "node:util";
import { fuzzProcess, type ProcessReport } from "./fuzz/process.ts";
import type { Failure } from "./fuzz/run.ts";
import { endProcessesAtSignals } from "./harness/process.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    at: { type: "string" },
    about: { type: "string", default: "" },
  },
});
const { about } = values;
const seed = Number(values.seed);
const from = Number(values.at ?? 0);
const requests = values.at === undefined ? Number(values.requests) : 1;

/** MiB by which the resident memory may grow per 100,000 requests, and of how many it tells. */
const growth = { mibMax: 5, requestsMin: 100_000 };

endProcessesAtSignals();
print(`Seed ${seed}: ${requests} requests${from > 0 ? ` from ${from}` : ""}`);
const startedMs = performance.now();
const report = await fuzzProcess({ seed, from, requests, about, say: print });
const seconds = (performance.now() - startedMs) / 1_000;
const problems = problemsOf(report);
show(report);
for (const problem of problems) print(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function show({ outcomes, methodsAnswered, samples, growthMiB, failures }: ProcessReport): void {
  const sorted = [...outcomes].sort(([, a], [, b]) => b - a);
  for (const [outcome, count] of sorted) print(`${String(count).padStart(9)} ${outcome}`);
  const peak = Math.max(...samples.map(([, bytes]) => bytes)) / 1024 ** 2;
  print(`${Math.round(seconds)} s, ${Math.round(requests / seconds)} requests/s`);
  print(`${methodsAnswered} methods have answered OK`);
  print(`resident: at most ${Math.round(peak)} MiB, ${growthMiB.toFixed(2)} MiB per 100,000`);
  for (const failure of failures) print(told(failure));
}

function problemsOf({ failures, errors, exitCodes, growthMiB }: ProcessReport): readonly string[] {
  const [ended, verified] = exitCodes;
  return [
    ...(failures.length > 0 ? [`${failures.length} requests failed`] : []),
    ...errors.slice(0, 10),
    ...(ended === 0 ? [] : [`the service ended with ${ended}`]),
    ...(verified === 0 ? [] : [`verify ended with ${verified}`]),
    ...(requests >= growth.requestsMin && growthMiB > growth.mibMax
      ? [`resident memory grows by ${growthMiB.toFixed(2)} MiB per 100,000 requests`]
      : []),
  ];
}

/** All that it takes to see a failure again. */
function told({ serial, title, problem, request }: Failure): string {
  const only = about === "" ? "" : ` --about ${about}`;
  const again = `make fuzz ARGS="--seed ${seed} --at ${serial}${only}"`;
  const bytes = "bytes" in request ? request.bytes : request.wire.body;
  const head = "bytes" in request ? {} : { ...request.wire, body: undefined };
  const body = bytes.subarray(0, 4_096).toString("base64");
  return `${again}\n  ${title}: ${problem}\n  ${JSON.stringify(head)}\n  body ${body}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
