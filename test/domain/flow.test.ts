import { describe, expect, test } from "@jest/globals";
import type { ActionState } from "../../src/domain/action.ts";
import {
  clearFlow,
  type FlowEvent,
  type FlowState,
  flow,
  setTriggerActions,
  type TriggerActions,
  withoutAction,
} from "../../src/domain/flow.ts";
import { readFlow, readTrigger } from "../../src/domain/flow-types.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
const own = { organization: "org-a" } as ActionState;
const foreign = { organization: "org-b" } as ActionState;
const actions = { "action-a": own, "action-b": own, "action-z": foreign };
const set = (trigger: 4 | 5, ...actionIds: readonly string[]): TriggerActions => ({
  ...{ flow: 2, trigger, actionIds },
});
const event = (payload: TriggerActions) =>
  ({ type: "flow.trigger.set", payload, ...envelope }) as const;
const folded = (...events: readonly (FlowEvent & typeof envelope)[]) =>
  events.reduce<FlowState | undefined>((state, one) => flow.evolve(state, one), undefined);
const both = folded(event(set(4, "a", "b")), event(set(5, "b")))!;

describe("setTriggerActions", () => {
  test.each([
    ["actions where there are none", undefined, set(4, "a", "b")],
    ["others", both, set(4, "b")],
    ["the same in another order", both, set(4, "b", "a")],
    ["none", both, set(5)],
  ])("records %s", (_, state, payload) => {
    expect(setTriggerActions({ ...actions, flow: state }, "org-a", payload)).toEqual({
      events: { flow: [{ type: "flow.trigger.set", payload }] },
    });
  });

  test.each([
    ["what is so already", both, set(4, "a", "b"), "NOTHING_CHANGED"],
    ["none where there are none", undefined, set(4), "NOTHING_CHANGED"],
    ["an action of another organization", both, set(4, "a", "z"), "ACTION_NOT_FOUND"],
    ["an action that is unknown", both, set(4, "a", "y"), "ACTION_NOT_FOUND"],
  ])("refuses %s", (_, state, given, reason) => {
    const { events, rejection } = setTriggerActions({ ...actions, flow: state }, "org-a", given);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("clearFlow", () => {
  test("takes all actions", () => {
    expect(clearFlow(both)).toEqual({ events: { flow: [{ type: "flow.cleared", payload: {} }] } });
    expect(flow.evolve(both, { type: "flow.cleared", payload: {}, ...envelope })).toBeUndefined();
  });

  test.each([undefined, { ...both, triggers: {} }])("refuses a flow without any", (state) => {
    expect(clearFlow(state).rejection?.reason).toBe("NOTHING_CHANGED");
  });
});

describe("an action that is removed", () => {
  test("leaves each trigger, and the trigger is none where it was the last", () => {
    const [removed] = withoutAction(both, "b");
    expect(removed).toEqual({ type: "flow.action.removed", payload: { actionId: "b" } });
    expect(flow.evolve(both, { ...removed!, ...envelope })?.triggers).toEqual({ 4: ["a"] });
  });

  test("is no event of a flow in which it is not", () => {
    expect(withoutAction(both, "y")).toEqual([]);
  });
});

test("claims each action once, whatever number of triggers it is at", () => {
  expect(flow.claims(both)).toEqual([
    { kind: "flow.action", scope: "a", value: "org-a-2" },
    { kind: "flow.action", scope: "b", value: "org-a-2" },
  ]);
  expect(flow.row(both)).toEqual({ parent: "org-a", fields: {} });
});

test("does not take an event that nobody knows", () => {
  const unknown = { type: "flow.run", payload: {}, ...envelope } as never;
  expect(() => flow.evolve(both, unknown)).toThrow("flow.run");
});

describe("numbers and names", () => {
  test.each([
    ["1", "FLOW_TYPE_EXTERNAL_AUTHENTICATION", 1],
    ["2", "FLOW_TYPE_COMPLEMENT_TOKEN", 2],
    ["3", "FLOW_TYPE_INTERNAL_AUTHENTICATION", 3],
  ])("of flow %s", (number, name, expected) => {
    expect([readFlow(number), readFlow(name)]).toEqual([expected, expected]);
  });

  test.each(["", "0", "4", "01", "flow_type_complement_token"])("are not %j", (text) => {
    expect(readFlow(text)).toBeUndefined();
  });

  test("of triggers count in their flow alone", () => {
    expect(readTrigger(2, "TRIGGER_TYPE_PRE_USERINFO_CREATION")).toEqual({ flow: 2, trigger: 4 });
    expect([readTrigger(2, "1"), readTrigger(1, "4"), readTrigger(3, "5")]).toEqual(
      Array(3).fill(undefined),
    );
  });
});

describe("laws", () => {
  const setting = fc
    .record({
      trigger: fc.constantFrom(4, 5),
      actionIds: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
    })
    .map<LifeCommand<FlowState, FlowEvent>>(({ trigger, actionIds }) => (state) => {
      const there = { organization: "org-of-the-test" } as ActionState;
      const states = { "action-a": there, "action-b": there, flow: state };
      const given = { flow: 2, trigger: trigger as 4 | 5, actionIds } as const;
      return listed(setTriggerActions(states, "org-of-the-test", given));
    });
  const clearing = fc.constant<LifeCommand<FlowState, FlowEvent>>((state) =>
    listed(clearFlow(state)),
  );
  const losing = fc
    .constantFrom("a", "b")
    .map<LifeCommand<FlowState, FlowEvent>>((id) => (state) => ({
      events: state === undefined ? [] : withoutAction(state, id),
    }));

  holdLaws(flow, fc.oneof(setting, clearing, losing));
});

function listed({ events, rejection }: ReturnType<typeof clearFlow>) {
  return { events: events.flow ?? [], ...(rejection ? { rejection } : {}) };
}
