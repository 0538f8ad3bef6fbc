import { join } from "node:path";
import type { Child } from "./child.ts";
import { actionsOf, applicationsOf, fillStore } from "./fill.ts";
import type { LoadAnswers } from "./load.ts";
import {
  type Case,
  measureCalls,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  type Say,
} from "./rates.ts";
import { type Operation, serviceRequest, type Target } from "./requests.ts";
import { type Grown, type Spread, spreadOf } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";
import { startOnce } from "./start.ts";

/** What is measured on each store, by gRPC. */
const kinds = {
  create: { operation: "AddAPIApp", inFlight: 64 },
  read: { operation: "GetAppByID", inFlight: 64 },
  list: { operation: "ListApps", inFlight: 1 },
  "by name": { operation: "ListActions by name", inFlight: 1 },
  contains: { operation: "ListActions containing a text", inFlight: 1 },
  offset: { operation: "ListActions from the middle by offset", inFlight: 1 },
  token: { operation: "ListActions from the middle by token", inFlight: 1 },
} as const satisfies {
  readonly [kind: string]: { readonly operation: Operation; readonly inFlight: number };
};

export type GrownKind = keyof typeof kinds;
export const grownKinds = Object.keys(kinds) as readonly GrownKind[];

/** Milliseconds after which a measurement that is counted in calls has gone wrong. */
const measureMsMax = 120_000;

/** What the measurement asks of one who runs it. */
interface Growing {
  /** Starts the service on a filled store. */
  startServer(dataDir: string, project: string): Child<ServerAnswers>;
  readonly load: Child<LoadAnswers>;
  readonly say: Say;
}

/** A store with so many events when it was filled, and the service on it. */
interface Filled {
  readonly name: string;
  readonly events: number;
  readonly server: Child<ServerAnswers>;
  readonly target: Target;
}

/**
 * What creating, reading, a page of a list, the start and the memory cost on larger stores, and how
 * that compares with a store of one page. All stores are served at once and get as many calls each,
 * in turn, so the empty one grows by as little as the others.
 */
export async function measureGrowth(
  directory: string,
  { pace, starts, grownEvents, grownCalls }: Size,
  { startServer, load, say }: Growing,
): Promise<Rates & { readonly grown: readonly Grown[] }> {
  const sizes = [0, ...grownEvents];
  const dataDirs = sizes.map((events) => join(directory, `grown-${events}`));
  const projects: string[] = [];
  for (const [index, events] of sizes.entries()) {
    say(`filling ${grownName(events)}`);
    projects.push(await fillStore(dataDirs[index] ?? "", events));
  }
  const startMs = sizes.map((): number[] => []);
  for (let time = 0; time < starts; time += 1) {
    for (const [index, dataDir] of dataDirs.entries()) {
      startMs[index]?.push(await startOnce(dataDir));
    }
  }
  const stores: Filled[] = [];
  for (const [index, events] of sizes.entries()) {
    const server = startServer(dataDirs[index] ?? "", projects[index] ?? "");
    const target = { ...(await server.ask("target")), actions: actionsOf(events) };
    stores.push({ name: grownName(events), events, server, target });
  }
  const cases = stores.map((store) => ({ store, kinds: casesOf(store, load, grownCalls) }));
  const all = cases.flatMap(({ kinds: of }) => Object.values(of));
  const samples = await measureCases(all, pace, say);

  const grown: Grown[] = [];
  for (const [index, { name, events, server }] of stores.entries()) {
    const residentBytes = await server.ask("residentBytes", { collect: true });
    grown.push({ name, events, residentBytes, startMs: spreadOf(startMs[index] ?? []) });
  }
  const [empty, ...larger] = cases;
  if (empty === undefined) throw new Error("there is no store to compare with");
  const ratios = larger.flatMap(({ store, kinds: own }) =>
    grownKinds.map((kind): [string, Spread] => [
      grownRatio(kind, store.name),
      ratioOf(samples, [own[kind], empty.kinds[kind]], ({ rate }) => rate),
    ]),
  );
  return { rows: rowsOf(all, samples), ratios: Object.fromEntries(ratios), grown };
}

/** How a store is called in rows and ratios. */
export function grownName(events: number): string {
  return events === 0 ? "empty" : `${events.toLocaleString("en")} events`;
}

/** The name of a ratio of rates. */
export function grownRatio(kind: GrownKind, store: string): string {
  return `${kind}, ${store} / empty`;
}

function casesOf(
  { name, events, server, target }: Filled,
  load: Child<LoadAnswers>,
  calls: Size["grownCalls"],
): { readonly [kind in GrownKind]: Case } {
  const caseOf = (kind: GrownKind): Case => {
    const { operation, inFlight } = kinds[kind];
    const template = serviceRequest("grpc", operation, target);
    const serials = kind === "read" ? { serials: applicationsOf(events) } : {};
    const limits = { warmUpMs: 0, measureMs: measureMsMax, callsMax: callsOf(kind, calls) };
    return {
      name: `${operation} grpc, ${name}`,
      inFlight,
      measure: () => {
        const run = { port: target.port, template, inFlight, ...limits, ...serials };
        return measureCalls({ server, load }, run);
      },
    };
  };
  return {
    create: caseOf("create"),
    read: caseOf("read"),
    list: caseOf("list"),
    "by name": caseOf("by name"),
    contains: caseOf("contains"),
    offset: caseOf("offset"),
    token: caseOf("token"),
  };
}

/** Lists of every kind get as many calls. */
function callsOf(kind: GrownKind, { create, read, list }: Size["grownCalls"]): number {
  if (kind === "create") return create;
  return kind === "read" ? read : list;
}
