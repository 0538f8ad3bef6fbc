import { availableParallelism } from "node:os";
import type { Child } from "./child.ts";
import type { HashesAnswers } from "./hashes.ts";
import type { LoadAnswers } from "./load.ts";
import {
  type Case,
  callsMax,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  type Say,
  serviceCase,
} from "./rates.ts";
import { type Operation, serviceRequest } from "./requests.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";

/** The processes that take part. */
interface HashingProcesses {
  readonly server: Child<ServerAnswers>;
  /** Adds applications. */
  readonly load: Child<LoadAnswers>;
  /** Imports people, whose names are unique because no other process does. */
  readonly importer: Child<LoadAnswers>;
  readonly hashes: Child<HashesAnswers>;
}

/** A hash takes tens of milliseconds: in shorter measurements there would be too few. */
const paceFactor = 2;

const bare = "bare argon2id";
const imports = "ImportHumanUser grpc";
const alone = "AddAPIApp grpc by itself";
const beside = "AddAPIApp grpc beside imports";

/** The ratios by their names in the results. */
export const hashingRatios = {
  rate: `${imports} / ${bare}`,
  p99: `p99 of ${beside} / by itself`,
} as const;

/**
 * Whether importing people with passwords hashes as many as the machine can, and whether others
 * wait for it: AddAPIApp, one at a time, is measured with and without imports beside it.
 */
export async function measureHashing(
  { server, load, importer, hashes }: HashingProcesses,
  { pace, importsInFlight }: Pick<Size, "pace" | "importsInFlight">,
  say: Say,
): Promise<Rates> {
  const target = await server.ask("target");
  const grpc = (operation: Operation, inFlight: number) => {
    const by = operation === "AddAPIApp" ? load : importer;
    return serviceCase({ server, load: by, target }, { protocol: "grpc", operation, inFlight });
  };
  const one = grpc("AddAPIApp", 1);
  const cases = {
    bare: bareCase(hashes),
    imports: grpc("ImportHumanUser", importsInFlight),
    alone: { ...one, name: alone },
    beside: {
      name: beside,
      inFlight: 1,
      measure: async (each: Size["pace"]) => {
        const template = serviceRequest("grpc", "ImportHumanUser", target);
        const { port } = target;
        await importer.ask("start", { port, template, inFlight: importsInFlight, callsMax });
        // The server's time per call would be that of the imports.
        const { cpuMicros: _, ...sample } = await one.measure(each);
        await importer.ask("stop");
        return sample;
      },
    },
  } satisfies { readonly [name: string]: Case };

  // A fresh server compiles its functions within thousands of calls; with hashes that takes long.
  for (const operation of ["AddAPIApp", "ImportHumanUser hashed"] as const) {
    await grpc(operation, 64).measure(pace);
  }
  const all = Object.values(cases);
  const longer = { ...pace, measureMs: paceFactor * pace.measureMs };
  const samples = await measureCases(all, longer, say);
  return {
    rows: rowsOf(all, samples),
    ratios: {
      [hashingRatios.rate]: ratioOf(samples, [cases.imports, cases.bare], ({ rate }) => rate),
      [hashingRatios.p99]: ratioOf(samples, [cases.beside, cases.alone], ({ p99Ms }) => p99Ms),
    },
  };
}

/** As many hashes at once as there are cores. */
function bareCase(hashes: Child<HashesAnswers>): Case {
  const inFlight = availableParallelism();
  return {
    name: bare,
    inFlight,
    measure: ({ measureMs }) => hashes.ask("run", { inFlight, forMs: measureMs }),
  };
}
