import { caller } from "./caller.ts";
import type { Child } from "./child.ts";
import type { FlowAnswers } from "./login/flows.ts";
import { preparePeople, withCpu } from "./login/measure.ts";
import type { Parties } from "./login/parties.ts";
import { type Case, measureCases, type Rates, rowsOf, type Say } from "./rates.ts";
import type { Target } from "./requests.ts";
import type { ServerAnswers } from "./server.ts";
import type { Pace } from "./sizes.ts";

/** What is compared, by names. */
export const tokenNames = {
  without: "tokens with a JWT for a refresh token, no action",
  with: "the same, and an action sets a claim",
} as const;

/** The processes that take part, and what was made at the server. */
export interface Asked {
  readonly server: Child<ServerAnswers>;
  readonly flows: Child<FlowAnswers>;
  readonly target: Target;
  readonly parties: Parties;
}

const script = "function plan(ctx, api) { api.v1.claims.setClaim('plan', ctx.v1.user.id); }";

/** How long a token takes where an action adds a claim to it, and where none does. */
export async function measureTokens(asked: Asked, pace: Pace, say: Say): Promise<Rates> {
  const { server, flows, target, parties } = asked;
  const call = caller(target);
  const { id = "" } = await call("POST", "/actions", { name: "plan", script, timeout: "10s" });
  const setTrigger = (actionIds: readonly string[]) =>
    call("POST", "/flows/2/trigger/5", { actionIds });
  const measure: Case["measure"] = async (each) => {
    try {
      const opening = { parties: { ...parties, app: parties.jwtApp ?? parties.app } };
      await flows.ask("open", { ...opening, flow: "refresh", lanes: 1 });
      return await withCpu(server, () => flows.ask("run", each));
    } finally {
      await flows.ask("close");
    }
  };
  const without: Case = { name: tokenNames.without, inFlight: 1, measure };
  const withOne: Case = {
    name: tokenNames.with,
    inFlight: 1,
    measure: async (each) => {
      await setTrigger([id]);
      const sample = await measure(each);
      await setTrigger([]);
      return sample;
    },
  };
  const cases = [without, withOne];
  return { rows: rowsOf(cases, await measureCases(cases, pace, say)), ratios: {} };
}

/** Makes what tokens are asked of. */
export async function askedOf(processes: Pick<Asked, "server" | "flows">): Promise<Asked> {
  const target = await processes.server.ask("target");
  const { parties } = await preparePeople(target, {});
  return { ...processes, target, parties };
}
