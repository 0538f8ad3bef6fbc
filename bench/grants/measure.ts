import { setTimeout as pause } from "node:timers/promises";
import { caller } from "../caller.ts";
import type { Child, StartChild } from "../child.ts";
import type { LoadAnswers } from "../load.ts";
import type { FlowAnswers } from "../login/flows.ts";
import { casesOf as loginCasesOf } from "../login/measure.ts";
import { basicOf, paths } from "../login/parties.ts";
import {
  type Case,
  callsMax,
  keyOf,
  measureCalls,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  type Sample,
  type Say,
} from "../rates.ts";
import { rateTable } from "../report.ts";
import { type Operation, serviceRequest } from "../requests.ts";
import { type Figures, type Spread, spreadOf } from "../results.ts";
import type { Size } from "../sizes.ts";
import { brief, spreadText, table } from "../table.ts";
import { grantedRole } from "./fill.ts";
import { type Granted, openPlaces, unheldRole } from "./places.ts";

/** What is called, and how many calls are in flight. */
const calls = [
  { operation: "AddUserGrant", inFlight: 64 },
  { operation: "ListUserGrants", inFlight: 1 },
  { operation: "ListUserGrants by project", inFlight: 1 },
  { operation: "ListUserGrants by role key", inFlight: 1 },
  { operation: "ListUserGrants by user", inFlight: 1 },
] as const satisfies readonly { readonly operation: Operation; readonly inFlight: number }[];

/** What people and applications do. */
const logins = ["code flow", "introspection, opaque"] as const;

/** All that is measured of a store, by its name. */
export const grantKinds = [...logins, ...calls.map(({ operation }) => operation)] as const;
type GrantKind = (typeof grantKinds)[number];

/** Milliseconds between two looks at what is left of a removed role. */
const lookMs = 250;

/** Processes that make calls. */
interface Callers {
  readonly load: Child<LoadAnswers>;
  readonly flows: Child<FlowAnswers>;
  /** Starts another that makes calls, whose numbers begin at 1. */
  another(): Child<LoadAnswers>;
}

/**
 * What logins with roles in the id token, introspection, lists and further grants cost where many
 * people have one role of a project, beside a store where only those who log in have it; and how
 * long that role takes to go.
 */
export async function measureGrants(
  start: StartChild,
  directory: string,
  size: Size,
  say: Say,
): Promise<Rates & { readonly startMs: { readonly [what: string]: Spread } }> {
  const another = () => start<LoadAnswers>("load.ts");
  const callers = { load: another(), flows: start<FlowAnswers>("login/flows.ts"), another };
  const { pairs, stop } = await openPlaces(directory, size, say);
  try {
    const measured = pairs.map(({ kind, ...pair }) => ({
      kind,
      empty: casesOf(pair.empty, callers, size),
      full: casesOf(pair.full, callers, size),
    }));
    for (const { empty, full } of pairs) {
      for (const granted of [empty, full]) await assertTold(granted, callers.flows);
    }
    const cases = measured.flatMap(({ empty, full }) =>
      grantKinds.flatMap((kind) => [empty[kind], full[kind]]),
    );
    const samples = await measureCases(cases, size.pace, say);
    const ratios = measured.flatMap(({ kind: store, empty, full }) =>
      grantKinds.map((kind): [string, Spread] => [
        `${kind}, ${store}, full / empty`,
        ratioOf(samples, [full[kind], empty[kind]], ({ rate }) => rate),
      ]),
    );
    const rows = [...rowsOf(cases, samples)];
    const took: [string, Spread][] = [];
    for (const granted of pairs.flatMap(({ empty, full }) => [empty, full])) {
      say(`removing the role, ${granted.name}`);
      const removal = await measureRemoval(granted, callers.load, size);
      rows.push(...removal.rows);
      took.push(...removal.took);
    }
    return { rows, ratios: Object.fromEntries(ratios), startMs: Object.fromEntries(took) };
  } finally {
    await stop();
  }
}

function casesOf(
  { name, service, target, parties }: Granted,
  { load, flows, another }: Callers,
  { addedGrants }: Size,
): { readonly [kind in GrantKind]: Case } {
  const server = { ask: () => service.cpuMicros() };
  const people = loginCasesOf({ server, load, flows }, parties, name);
  const ofLogins = logins.map((kind) => [kind, people.get(kind)]);
  const adding = another();
  const ofCalls = calls.map(({ operation, inFlight }) => {
    const template = serviceRequest("grpc", operation, target);
    const isAdd = operation === "AddUserGrant";
    const run = { port: target.port, template, inFlight };
    const measure: Case["measure"] = (pace) =>
      isAdd
        ? // Each is of another person, by number: as many as there are.
          measureCalls(
            { server, load: adding },
            { ...run, warmUpMs: 0, measureMs: 120_000, callsMax: addedGrants },
          )
        : measureCalls({ server, load }, { ...run, ...pace, callsMax });
    return [operation, { name: `${operation} grpc, ${name}`, inFlight, measure }];
  });
  return Object.fromEntries([...ofLogins, ...ofCalls]);
}

/** Throws where the role is not told in the id token or by introspection. */
async function assertTold({ name, target, parties }: Granted, flows: Child<FlowAnswers>) {
  const { id_token = "", access_token } = await flows.ask("tokens", { ...parties, kind: "app" });
  const [, payload = ""] = id_token.split(".");
  const introspected = await fetch(`http://127.0.0.1:${target.port}${paths.introspection}`, {
    method: "POST",
    headers: { authorization: basicOf(parties.api) },
    body: new URLSearchParams({ token: access_token }),
  });
  const told = [Buffer.from(payload, "base64url").toString(), await introspected.text()];
  const isTold = told.every((text) =>
    text.includes(`"urn:iam:org:project:roles":{"${grantedRole}`),
  );
  if (!isTold) throw new Error(`${name}: the role is not told: ${told.join(" ")}`);
}

/** Removes the role while somebody else creates: how long that takes, and how long others wait. */
async function measureRemoval({ name, target }: Granted, load: Child<LoadAnswers>, { pace }: Size) {
  const call = caller(target);
  const template = serviceRequest("grpc", "AddAPIApp", target);
  let slowestMs = 0;
  const measure = async (): Promise<Sample> => {
    const calls = { port: target.port, template, inFlight: 1, callsMax };
    const measured = await load.ask("run", { ...calls, ...pace });
    slowestMs = Math.max(slowestMs, measured.slowestMs);
    return measured;
  };
  const alone: Case = { name: `AddAPIApp grpc, ${name}`, inFlight: 1, measure };
  const beside: Case = { ...alone, name: `AddAPIApp grpc beside the removal, ${name}` };
  const before = await measure();
  const longestBefore = slowestMs;
  slowestMs = 0;
  const remove = (key: string) => call("DELETE", `/projects/${target.project}/roles/${key}`);
  const took: { [what: string]: number } = {};
  took["to remove a role that nobody has"] = await msOf(() => remove(unheldRole));
  let isOver = false;
  const removed = msOf(async () => {
    took["to remove the role that all have"] = await msOf(() => remove(grantedRole));
    while ((await grantsLeft(call)) > 0) await pause(lookMs);
  }).finally(() => {
    isOver = true;
  });
  const samples: Sample[] = [];
  do samples.push(await measure());
  while (!isOver);
  took["until no grant is left"] = await removed;
  took["the longest wait of a create before that"] = longestBefore;
  took["the longest wait of a create meanwhile"] = slowestMs;
  const found = new Map([
    [keyOf(alone), [before]],
    [keyOf(beside), samples],
  ]);
  return {
    rows: rowsOf([alone, beside], found),
    took: Object.entries(took).map(([what, ms]): [string, Spread] => [
      `${what}, ${name}`,
      spreadOf([ms]),
    ]),
  };
}

/** How many grants the organization has: their number is kept, and costs nothing. */
async function grantsLeft(call: ReturnType<typeof caller>): Promise<number> {
  const { details } = await call("POST", "/users/grants/_search", { query: { limit: 1 } });
  return Number((details as { totalResult?: string } | undefined)?.totalResult ?? 0);
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now();
  await work();
  return performance.now() - sinceMs;
}

/** What the table says of what is compared. */
const notes = [
  "Each person has one grant, of the same role; in an empty store those have it who log in.",
  "code flow: a login by password, tokens with the role in the id token, and userinfo. Lists are",
  "  their first page of 100, with the number of all. What is left of a removed role goes in",
  "  turns, one a minute.",
] as const;

/** What many grants cost, for people. */
export function showGrants({ rows = [], ratios = {}, startMs = {} }: Figures): string {
  const cells = Object.entries(ratios).map(([name, spread]) => [
    ...[name, brief(spread.median), spreadText(spread)],
  ]);
  const head = ["Ratios of rates, each taken within a repetition", "ratio", "spread"];
  const times = Object.entries(startMs).map(([what, { median }]) => [what, brief(median)]);
  return [
    ...[rateTable(rows), table(head, cells), notes.join("\n")],
    table(["Removal of the role", "ms"], times),
  ].join("\n\n");
}
