import type { ClaimGroup } from "../event.ts";
import type { ActionState } from "./action.ts";
import { accept, type Decision, reject } from "./decision.ts";
import type { Trigger } from "./flow-types.ts";
import { mustExist, type Nothing, type Noun, unknownEvent } from "./noun.ts";

/** A flow of an organization: the actions that run at each of its triggers. */
export type FlowEvent =
  | { readonly type: "flow.trigger.set"; readonly payload: TriggerActions }
  | { readonly type: "flow.action.removed"; readonly payload: { readonly actionId: string } }
  | { readonly type: "flow.cleared"; readonly payload: Nothing };

/** The actions of one trigger, in the order in which they run. */
export interface TriggerActions extends Trigger {
  readonly actionIds: readonly string[];
}

/** A flow as its events leave it. */
export interface FlowState {
  /** The organization it belongs to. */
  readonly organization: string;
  readonly flow: Trigger["flow"];
  /** The ids of the actions of each trigger that has any, by its number. */
  readonly triggers: { readonly [trigger in Trigger["trigger"]]?: readonly string[] };
}

/** The bounds on flows. */
export const flowLimits = {
  /** Actions that run at one trigger. */
  actionsOfTrigger: 10,
} as const;

/** The noun of flows. */
export const flow: Noun<FlowState, FlowEvent> = {
  kind: "flow",
  events: {
    "flow.trigger.set": "The actions of a trigger were replaced, in the order in which they run",
    "flow.action.removed": "The flow lost an action that was removed",
    "flow.cleared": "No trigger of the flow has actions any more",
  },
  secrets: [],
  evolve(state, event) {
    switch (event.type) {
      case "flow.trigger.set": {
        const { flow: number, trigger, actionIds } = event.payload;
        const triggers = withTrigger(state?.triggers ?? {}, trigger, actionIds);
        return { organization: event.owner, flow: number, triggers };
      }
      case "flow.action.removed": {
        const before = mustExist(state);
        return { ...before, triggers: without(before.triggers, event.payload.actionId) };
      }
      case "flow.cleared":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claims: ({ organization, flow: number, triggers }) =>
    [...new Set(Object.values(triggers).flat())].map((id) => ({
      ...flowsWith(id),
      value: flowId(organization, number),
    })),
  row: ({ organization }) => ({ parent: organization, fields: {} }),
};

/** The id of a flow of an organization. */
export function flowId(organization: string, number: Trigger["flow"]): string {
  return `${organization}-${number}`;
}

/** The claims that flows hold in which an action is. */
export function flowsWith(actionId: string): ClaimGroup {
  return { kind: "flow.action", scope: actionId };
}

type Triggers = FlowState["triggers"];

function withTrigger(
  triggers: Triggers,
  trigger: Trigger["trigger"],
  actionIds: readonly string[],
): Triggers {
  const { [trigger]: _before, ...others } = triggers;
  return actionIds.length === 0 ? others : { ...others, [trigger]: actionIds };
}

function without(triggers: Triggers, actionId: string): Triggers {
  const left = Object.entries(triggers).map(
    ([trigger, ids]) => [trigger, ids.filter((id) => id !== actionId)] as const,
  );
  return Object.fromEntries(left.filter(([, { length }]) => length > 0));
}

type FlowDecision = Decision<{ flow?: readonly FlowEvent[] }>;

/** A flow, and actions by the names of their streams. */
type FlowAndActions = { readonly flow: FlowState | undefined } & {
  readonly [stream: `action-${string}`]: ActionState | undefined;
};

/** Replaces the actions of a trigger by some of the organization, which may be none. */
export function setTriggerActions(
  states: FlowAndActions,
  organization: string,
  given: TriggerActions,
): FlowDecision {
  const { actionIds } = given;
  const isOwn = (id: string) => states[`action-${id}`]?.organization === organization;
  if (!actionIds.every(isOwn)) return reject("ACTION_NOT_FOUND");
  const before = states.flow?.triggers[given.trigger] ?? [];
  return JSON.stringify(before) === JSON.stringify(actionIds)
    ? reject("NOTHING_CHANGED")
    : accept({ flow: [{ type: "flow.trigger.set", payload: given }] });
}

/** Takes all actions from all triggers of a flow. */
export function clearFlow(state: FlowState | undefined): FlowDecision {
  return Object.keys(state?.triggers ?? {}).length === 0
    ? reject("NOTHING_CHANGED")
    : accept({ flow: [{ type: "flow.cleared", payload: {} }] });
}

/** The event by which a flow loses an action, where the action is in it. */
export function withoutAction({ triggers }: FlowState, actionId: string): readonly FlowEvent[] {
  const isThere = Object.values(triggers).flat().includes(actionId);
  return isThere ? [{ type: "flow.action.removed", payload: { actionId } }] : [];
}
