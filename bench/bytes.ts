import type { Child } from "./child.ts";
import type { LoadAnswers } from "./load.ts";
import type { Say } from "./rates.ts";
import { type Operation, serviceRequest } from "./requests.ts";
import { type Figures, type Spread, spreadOf } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";
import { brief, spreadText, table } from "./table.ts";

/** What is created, and the most KiB that one may have written. */
const kinds = {
  "API application": { operation: "AddAPIApp", mostKiB: 15 },
  "machine user": { operation: "AddMachineUser", mostKiB: 27 },
  "person with a hash": { operation: "ImportHumanUser hashed", mostKiB: 40 },
} as const satisfies {
  readonly [kind: string]: { readonly operation: Operation; readonly mostKiB: number };
};

type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as readonly Kind[];

/** A prime: so many names come in no order, and none twice. */
const serials = 1_000_003;

/**
 * What the disk gets for each object that is created, 64 at a time, on a store that has as many of
 * its kind as will be measured: the log, what lists and look-ups use, and all checkpoints.
 */
export async function measureBytes(
  server: Child<ServerAnswers>,
  load: Child<LoadAnswers>,
  { pace: { repetitions }, writtenCalls: callsMax }: Pick<Size, "pace" | "writtenCalls">,
  say: Say,
): Promise<Figures> {
  const target = await server.ask("target");
  const ratios: { [name: string]: Spread } = {};
  for (const kind of kindNames) {
    const template = serviceRequest("grpc", kinds[kind].operation, target);
    const run = { port: target.port, template, inFlight: 64, serials, callsMax };
    const create = async () => {
      const before = await server.ask("writtenBytes");
      const { calls } = await load.ask("run", { ...run, warmUpMs: 0, measureMs: 600_000 });
      return ((await server.ask("writtenBytes")) - before) / 1024 / calls;
    };
    const found: number[] = [];
    for (let time = 0; time <= repetitions; time += 1) {
      say(`${kind}, ${time === 0 ? "to fill the store" : `${time} of ${repetitions}`}`);
      const kib = await create();
      if (time > 0) found.push(kib);
    }
    ratios[nameOf(kind)] = spreadOf(found);
  }
  return { ratios };
}

function nameOf(kind: Kind): string {
  return `KiB written per ${kind}`;
}

/** What was written, for people. */
export function showBytes({ ratios = {} }: Figures): string {
  const rows = kindNames.map((kind) => {
    const found = ratios[nameOf(kind)];
    const { mostKiB } = kinds[kind];
    return found
      ? [kind, brief(found.median), spreadText(found), `${mostKiB}`]
      : [kind, "", "", `${mostKiB}`];
  });
  return [
    "KiB that the disk gets per object, names in no order, 64 in flight, checkpoints included",
    "",
    table(["", "KiB", "spread", "at most"], rows),
  ].join("\n");
}
