import type { Asked } from "./action-tokens.ts";
import { caller } from "./caller.ts";
import type { Child } from "./child.ts";
import type { LoadAnswers } from "./load.ts";
import { withCpu } from "./login/measure.ts";
import {
  type Case,
  callsMax,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  type Say,
} from "./rates.ts";
import { jsonRequest, type Target } from "./requests.ts";
import type { Pace } from "./sizes.ts";

/** The ratio of how long logins take, as the results name it. */
export const attackRatio = "p99 of logins beside scripts that do not end / with none";

/** Each organization that attacks has a process. */
interface Attacked extends Asked {
  readonly attackers: readonly [Child<LoadAnswers>, Child<LoadAnswers>];
}

/** People who log in at once. */
const lanes = 4;
/** Scripts that an organization has run at once: those that it may, and more that wait. */
const scripts = 8;

/** The first is interrupted at its deadline; the second is not, and ends with its thread. */
const bodies = ["for (;;);", "[].reverse.call({ length: 2 ** 53 - 1 });"] as const;

/** How long logins with a password take, alone and beside scripts that take all they may. */
export async function measureAttack(
  { server, flows, target, parties, attackers }: Attacked,
  pace: Pace,
  say: Say,
): Promise<Rates> {
  const organizations = await Promise.all(bodies.map((_, at) => addOrganization(target, at)));
  const measure: Case["measure"] = async (each) => {
    try {
      await flows.ask("open", { parties, flow: "password login", lanes });
      return await withCpu(server, () => flows.ask("run", each));
    } finally {
      await flows.ask("close");
    }
  };
  const alone: Case = { name: "password login, no scripts", inFlight: lanes, measure };
  const beside: Case = {
    name: "password login beside scripts that do not end",
    inFlight: lanes,
    measure: async (each) => {
      await Promise.all(
        attackers.map((attacker, at) =>
          attacker.ask("start", {
            ...{ port: target.port, inFlight: scripts, callsMax },
            template: scriptRequest(target, organizations[at] ?? "", bodies[at] ?? ""),
          }),
        ),
      );
      const sample = await measure(each);
      await Promise.all(attackers.map((attacker) => attacker.ask("stop")));
      return sample;
    },
  };
  const cases = [alone, beside];
  const samples = await measureCases(cases, pace, say);
  const ratio = ratioOf(samples, [beside, alone], ({ p99Ms }) => p99Ms);
  return { rows: rowsOf(cases, samples), ratios: { [attackRatio]: ratio } };
}

async function addOrganization(target: Target, at: number): Promise<string> {
  const { id = "" } = await caller(target)("POST", "/orgs", { name: `attacker ${at}` });
  return id;
}

/** A test of a script, for an organization. */
function scriptRequest({ token }: Target, organization: string, script: string) {
  return jsonRequest(
    "/management/v1/actions/_test",
    { authorization: `Bearer ${token}`, "x-service-orgid": organization },
    { ...{ name: "attack", script, timeout: "0.5s" }, flowType: "2", triggerType: "4" },
  );
}
