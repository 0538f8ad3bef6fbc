import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  FlowSchema,
  FlowState,
  FlowTypeSchema,
  TriggerActionSchema,
  TriggerTypeSchema,
} from "../../gen/iam/action/v1/flow_pb.js";
import {
  ClearFlowRequestSchema,
  GetFlowRequestSchema,
  ListFlowTriggerTypesRequestSchema,
  type SetTriggerActionsRequest,
  SetTriggerActionsRequestSchema,
} from "../../gen/iam/management/v1/flow_pb.js";
import { action } from "../domain/action.ts";
import type { Violation } from "../domain/decision.ts";
import { clearFlow, flow, flowId, setTriggerActions } from "../domain/flow.ts";
import {
  flowProblem,
  flows,
  readFlow,
  readTrigger,
  type Trigger,
  triggersOf,
} from "../domain/flow-types.ts";
import { readObject } from "../execute/read-object.ts";
import { languageOf } from "../text/accept-language.ts";
import { showAction } from "./action.ts";
import { callOf } from "./call.ts";
import { readDetails } from "./details.ts";
import { rulesOf, text } from "./field-rule.ts";
import { flowName, triggerName } from "./flow-texts.ts";
import type { Handlers } from "./handlers.ts";
import { perform, type Service } from "./service.ts";

/** The rule of a flow. */
export const flowType = text("Any other is refused", flowProblem);

/** What the domain asks of the fields of flows: see `fieldRules`. */
export const flowRules = [
  rulesOf(SetTriggerActionsRequestSchema, { flowType }, setViolations),
  rulesOf(GetFlowRequestSchema, { type: flowType }),
  rulesOf(ClearFlowRequestSchema, { type: flowType }),
  rulesOf(ListFlowTriggerTypesRequestSchema, { type: flowType }),
];

/** The handlers on the actions that run at triggers. */
export function flowHandlers(service: Service) {
  const { store } = service;

  return {
    async setTriggerActions(request, context) {
      const { organization } = callOf(context);
      const given = { ...triggerOf(request), actionIds: request.actionIds };
      return await perform(service, context, {
        ...flowOf(organization, given.flow),
        relies: refsOfActions(request.actionIds),
        decide: (states) => setTriggerActions(states, organization, given),
      });
    },

    async clearFlow({ type }, context) {
      return await perform(service, context, {
        ...flowOf(callOf(context).organization, flowNamed(type)),
        decide: (states) => clearFlow(states.flow),
      });
    },

    async getFlow({ type }, context) {
      const number = flowNamed(type);
      const found = await readObject(store, flow, flowId(callOf(context).organization, number));
      const triggers = found?.state.triggers ?? {};
      const set = triggersOf[number].flatMap((trigger) => {
        const ids = triggers[trigger];
        return ids ? [{ trigger, ids }] : [];
      });
      return {
        flow: create(FlowSchema, {
          type: showFlowType(number, context),
          ...(found && { details: readDetails(found.stored) }),
          state: set.length === 0 ? FlowState.INACTIVE : FlowState.ACTIVE,
          triggerActions: await Promise.all(
            set.map(async ({ trigger, ids }) =>
              create(TriggerActionSchema, {
                triggerType: showTriggerType(trigger, context),
                actions: await showActions(service, ids),
              }),
            ),
          ),
        }),
      };
    },

    async listFlowTypes(_request, context) {
      return { result: flows.map((number) => showFlowType(number, context)) };
    },

    async listFlowTriggerTypes({ type }, context) {
      const triggers: readonly Trigger["trigger"][] = triggersOf[flowNamed(type)];
      return { result: triggers.map((trigger) => showTriggerType(trigger, context)) };
    },
  } satisfies Handlers;
}

/** The rule of a trigger and its flow. */
export function triggerViolations({
  flowType,
  triggerType,
}: Pick<SetTriggerActionsRequest, "flowType" | "triggerType">): readonly Violation[] {
  const number = readFlow(flowType);
  const isTrigger = number === undefined || readTrigger(number, triggerType) !== undefined;
  return isTrigger ? [] : [{ field: "trigger_type", description: "must be a trigger of the flow" }];
}

/** The rules of what is set: a trigger of the flow, and no action twice. */
function setViolations(request: SetTriggerActionsRequest): readonly Violation[] {
  const { actionIds } = request;
  const isOnce = new Set(actionIds).size === actionIds.length;
  const twice = { field: "action_ids", description: "must not name an action twice" };
  return [...triggerViolations(request), ...(isOnce ? [] : [twice])];
}

/** The trigger of a request whose rules are kept. */
export function triggerOf({
  flowType,
  triggerType,
}: Pick<SetTriggerActionsRequest, "flowType" | "triggerType">): Trigger {
  const trigger = readTrigger(flowNamed(flowType), triggerType);
  return trigger ?? missed();
}

function flowNamed(text: string): Trigger["flow"] {
  return readFlow(text) ?? missed();
}

function missed(): never {
  throw new TypeError("the handler was reached past the field rules");
}

function flowOf(owner: string, number: Trigger["flow"]) {
  return { writes: { flow: { noun: flow, id: flowId(owner, number), owner } } };
}

type ActionRefs = {
  [stream: `action-${string}`]: { readonly noun: typeof action; readonly id: string };
};

function refsOfActions(ids: readonly string[]): ActionRefs {
  const refs: ActionRefs = {};
  for (const id of ids) refs[`action-${id}`] = { noun: action, id };
  return refs;
}

async function showActions({ store }: Pick<Service, "store">, ids: readonly string[]) {
  const found = await Promise.all(ids.map((id) => readObject(store, action, id)));
  return found.flatMap((one) => (one === undefined ? [] : [showAction(one)]));
}

function showFlowType(number: Trigger["flow"], context: HandlerContext) {
  const name = flowName(number, languageOf(callOf(context).acceptLanguage));
  return create(FlowTypeSchema, { id: `${number}`, name });
}

function showTriggerType(trigger: Trigger["trigger"], context: HandlerContext) {
  const name = triggerName(trigger, languageOf(callOf(context).acceptLanguage));
  return create(TriggerTypeSchema, { id: `${trigger}`, name });
}
