import { cp } from "node:fs/promises";
import { join } from "node:path";
import { v7 } from "uuid";
import { readConfig } from "../src/config/config.ts";
import { streamOf } from "../src/domain/noun.ts";
import { project } from "../src/domain/project.ts";
import { user } from "../src/domain/user/state/user.ts";
import { withLog } from "../src/log/offline.ts";
import { caller } from "./caller.ts";
import type { Child } from "./child.ts";
import { fillStore } from "./fill.ts";
import type { LoadAnswers } from "./load.ts";
import { personAdded, personRenamed } from "./people.ts";
import { type Case, callsMax, keyOf, type Rates, rowsOf, type Sample, type Say } from "./rates.ts";
import { rateTable } from "./report.ts";
import { serviceRequest } from "./requests.ts";
import { type Figures, type Spread, spreadOf } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";
import { runMain } from "./start.ts";
import { brief, table } from "./table.ts";

/** What the measurement asks of one who runs it. */
interface Using {
  /** Starts the service on a filled store. */
  startServer(dataDir: string, project: string): Child<ServerAnswers>;
  readonly load: Child<LoadAnswers>;
  readonly say: Say;
}

/** Events of the person who has many; an append takes no more. */
const eventsOfOne = 1_000;

/**
 * How long it takes to erase a person with many events, what others who create notice of many
 * people who are erased one after the other, and what it then takes to verify the log.
 */
export async function measureErasures(
  directory: string,
  { pace, erasedPeople }: Size,
  { startServer, load, say }: Using,
): Promise<Rates & { readonly startMs: { readonly [what: string]: Spread } }> {
  const [dataDir, before] = [join(directory, "erase"), join(directory, "erase-before")];
  say(`filling a store with ${erasedPeople} people`);
  const projectId = await fillStore(dataDir, 0);
  const { people, one } = await fillPeople(dataDir, projectId, erasedPeople);
  await cp(dataDir, before, { recursive: true });
  const server = startServer(dataDir, projectId);
  const target = await server.ask("target");
  const template = serviceRequest("grpc", "AddAPIApp", target);
  const measure: Case["measure"] = (each) =>
    load.ask("run", { ...{ port: target.port, template, inFlight: 1, callsMax }, ...each });
  const alone: Case = { name: "AddAPIApp grpc, people in the log", inFlight: 1, measure };
  const beside: Case = { ...alone, name: "AddAPIApp grpc beside erasures" };
  await measure(pace);
  const quiet = await measure(pace);
  say("erasing");
  const call = caller(target);
  const erase = (id: string) => call("POST", `/users/${id}/_erase`, {});
  const ofOne = await msOf(() => erase(one));
  const samples: Sample[] = [];
  let isOver = false;
  const erased = msOf(async () => {
    for (const id of people) await erase(id);
  }).finally(() => {
    isOver = true;
  });
  do samples.push(await measure(pace));
  while (!isOver);
  const ofEach = (await erased) / people.length;
  await server.stop();
  const verify = (where: string) => runMain("verify", "--data-dir", where);
  const found = new Map([
    [keyOf(alone), [quiet]],
    [keyOf(beside), samples],
  ]);
  const took = {
    [`to erase a person with ${eventsOfOne} events`]: ofOne,
    [`to erase each of ${people.length} people beside creates`]: ofEach,
    "to verify the log of before": await verify(before),
    "to verify it with the erasures": await verify(dataDir),
  };
  const spreads = Object.entries(took).map(([what, ms]) => [what, spreadOf([ms])] as const);
  return { rows: rowsOf([alone, beside], found), ratios: {}, startMs: Object.fromEntries(spreads) };
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now();
  await work();
  return performance.now() - sinceMs;
}

/** Makes people of three events each, and one of many; answers their ids. */
async function fillPeople(dataDir: string, projectId: string, count: number) {
  const config = readConfig([`--data-dir=${dataDir}`], {});
  return await withLog(config, async ({ store, execute }) => {
    const [found] = await store.load([streamOf(project, projectId)]);
    const owner = found?.owner ?? "";
    const add = async (changes: number) => {
      const id = v7();
      const events = [
        personAdded(id),
        ...Array.from({ length: changes }, (_, n) => personRenamed(n)),
      ];
      const { kind } = await execute({
        actor: "bench",
        writes: { user: { noun: user, id, owner, isNew: true } },
        decide: () => ({ events: { user: events } }),
      });
      if (kind !== "done") throw new Error(`a person was not made: ${kind}`);
      return id;
    };
    const one = await add(eventsOfOne - 1);
    const people: string[] = [];
    while (people.length < count) {
      const some = Math.min(500, count - people.length);
      people.push(...(await Promise.all(Array.from({ length: some }, () => add(2)))));
    }
    return { people, one };
  });
}

/** How long that took, for people. */
export function showErasures({ rows = [], startMs = {} }: Figures): string {
  const times = Object.entries(startMs).map(([what, { median }]) => [what, brief(median / 1000)]);
  return [rateTable(rows), table(["Erasures", "s"], times)].join("\n\n");
}
