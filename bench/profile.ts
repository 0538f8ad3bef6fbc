import { openSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startChild } from "./child.ts";
import type { LoadAnswers } from "./load.ts";
import { operations, protocols } from "./rates.ts";
import { type Operation, serviceRequest } from "./requests.ts";
import type { ServerAnswers } from "./server.ts";
import { type Profile, shares } from "./shares.ts";
import { sizeNamed, sizes, sizeUsage } from "./sizes.ts";
import { brief } from "./table.ts";
import type { Protocol } from "./template.ts";

const usage = `Usage: node bench/profile.ts [--size SIZE] [--dir DIR] [protocol] [operation]

Shows where the server's time goes in a call, 64 in flight. Without arguments: AddAPIApp by gRPC,
then by Connect JSON.

  protocol        ${protocols.join(", ")}
  operation       ${operations.join(", ")}
${sizeUsage}
  --dir DIR       where the profile goes, and the data lies while it runs [bench/out]`;

const { values: flags, positionals } = parseArgs({
  options: {
    size: { type: "string", default: "full" },
    dir: { type: "string", default: join(import.meta.dirname, "out") },
    help: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const inFlight = 64;

const [protocol, operation = "AddAPIApp"] = positionals;
if (flags.help) {
  console.log(usage);
} else if (protocol === undefined) {
  for (const one of ["grpc", "connect"] as const) await profile(one, "AddAPIApp");
} else {
  const [chosen] = protocols.filter((one) => one === protocol);
  const [wanted] = operations.filter((one) => one === operation);
  if (chosen && wanted) await profile(chosen, wanted);
  else console.log(usage);
}

async function profile(protocol: Protocol, operation: Operation): Promise<void> {
  const calls = sizes[sizeNamed(flags.size)].profiledCalls;
  await mkdir(flags.dir, { recursive: true });
  const directory = await mkdtemp(join(resolve(flags.dir), "data-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const stderr = openSync("/dev/null", "w");
  const server = startChild<ServerAnswers>("server.ts", { args: [directory], stderr });
  const load = startChild<LoadAnswers>("load.ts");
  const target = await server.ask("target");
  const template = serviceRequest(protocol, operation, target);
  const run = (callsMax: number) => {
    const limits = { inFlight, warmUpMs: 0, measureMs: 120_000, callsMax };
    return load.ask("run", { port: target.port, template, ...limits });
  };

  // Until then the functions in question are being compiled.
  await run(calls / 2);
  const file = join(resolve(flags.dir), `${operation}-${protocol}.cpuprofile`);
  await server.ask("startProfile");
  const cpuBefore = await server.ask("cpuMicros");
  const measured = await run(calls);
  const cpuMicros = (await server.ask("cpuMicros")) - cpuBefore;
  await server.ask("stopProfile", { file });
  await Promise.all([server.stop(), load.stop()]);

  const read = JSON.parse(await readFile(file, "utf8")) as Profile;
  console.log(`${operation} by ${protocol}, ${inFlight} in flight, ${measured.calls} calls`);
  console.log(`${brief(measured.rate)} calls/s under the profiler`);
  console.log(`${brief(cpuMicros / measured.calls)} µs CPU per call, all threads\n`);
  console.log(shares(read, measured.calls));
  console.log(`\nwritten to ${file}: Chrome DevTools or a flame graph shows more\n`);
}
