import type { Problem } from "./decision.ts";

/** A point at which actions run, in a flow; by its numbers and names. */
export interface Trigger {
  readonly flow: 1 | 2 | 3;
  readonly trigger: 1 | 2 | 3 | 4 | 5;
}

const flowNames = {
  1: "FLOW_TYPE_EXTERNAL_AUTHENTICATION",
  2: "FLOW_TYPE_COMPLEMENT_TOKEN",
  3: "FLOW_TYPE_INTERNAL_AUTHENTICATION",
} as const satisfies { readonly [flow in Trigger["flow"]]: string };

const triggerNames = {
  1: "TRIGGER_TYPE_POST_AUTHENTICATION",
  2: "TRIGGER_TYPE_PRE_CREATION",
  3: "TRIGGER_TYPE_POST_CREATION",
  4: "TRIGGER_TYPE_PRE_USERINFO_CREATION",
  5: "TRIGGER_TYPE_PRE_ACCESS_TOKEN_CREATION",
} as const satisfies { readonly [trigger in Trigger["trigger"]]: string };

/** The triggers of each flow. */
export const triggersOf = { 1: [1, 2, 3], 2: [4, 5], 3: [1, 2, 3] } as const;

/** All flows. */
export const flows = [1, 2, 3] as const;

/** The flow of a number or name; undefined where there is none. */
export function readFlow(text: string): Trigger["flow"] | undefined {
  return flows.find((flow) => text === `${flow}` || text === flowNames[flow]);
}

/** The trigger of a number or name, where the flow has it. */
export function readTrigger(flow: Trigger["flow"], text: string): Trigger | undefined {
  const found = triggersOf[flow].find((one) => text === `${one}` || text === triggerNames[one]);
  return found && { flow, trigger: found };
}

/** The rule of what names a flow. */
export function flowProblem(text: string): Problem {
  return readFlow(text) === undefined ? "must be the number or name of a flow" : undefined;
}
