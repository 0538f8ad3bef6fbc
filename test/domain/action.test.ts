import { describe, expect, test } from "@jest/globals";
import {
  type ActionEvent,
  type ActionState,
  action,
  createAction,
  switchAction,
  timeoutNanosDefault,
  timeoutNanosMax,
  timeoutProblem,
  updateAction,
} from "../../src/domain/action.ts";
import { reject } from "../../src/domain/decision.ts";
import { removeAction } from "../../src/domain/removal.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
const input = {
  name: "Enrich",
  script: "function enrich(ctx, api) {}",
  timeoutNanos: timeoutNanosDefault,
  allowedToFail: true,
};

describe("createAction", () => {
  test("records what it was given", () => {
    expect(createAction(input)).toEqual({
      events: { action: [{ type: "action.added", payload: input }] },
    });
  });

  test("takes 10 s where nothing is said, and 20 s at most", () => {
    expect([timeoutNanosDefault, timeoutNanosMax]).toEqual([1e10, 2e10]);
  });

  test.each([
    ["a nanosecond", 1, true],
    ["the longest time", timeoutNanosMax, true],
    ["more than that", timeoutNanosMax + 1, false],
    ["no time", 0, false],
    ["less than no time", -1, false],
    ["no time that there is", Number.NaN, false],
  ])("the rule of times, with %s", (_, nanos, isTaken) => {
    expect(timeoutProblem(nanos)).toBe(
      isTaken ? undefined : "must be more than 0s and at most 20s",
    );
  });
});

const given: ActionState = { ...input, organization: "org-a" };
const inactive: ActionState = { ...given, isInactive: true };

describe("switchAction", () => {
  test.each([
    ["an active action", given, true, "action.deactivated"],
    ["an inactive action", inactive, false, "action.reactivated"],
  ] as const)("records that %s becomes the other", (_, state, isInactive, type) => {
    expect(switchAction(state, { organization: "org-a", isInactive })).toEqual({
      events: { action: [{ type, payload: {} }] },
    });
  });

  test.each([
    ["an active action", given, "org-a", false, "NOTHING_CHANGED"],
    ["an inactive action", inactive, "org-a", true, "NOTHING_CHANGED"],
    ["another's action", given, "org-b", true, "ACTION_NOT_FOUND"],
    ["another's action that is so already", given, "org-b", false, "ACTION_NOT_FOUND"],
    ["no action", undefined, "org-a", true, "ACTION_NOT_FOUND"],
  ] as const)("refuses %s of %s", (_, state, organization, isInactive, reason) => {
    const { events, rejection } = switchAction(state, { organization, isInactive });
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("updateAction", () => {
  test.each([
    ["name", { name: "Other" }],
    ["script", { script: "1" }],
    ["timeout", { timeoutNanos: 1 }],
    ["whether it may fail", { allowedToFail: false }],
  ])("records another %s, with all that it keeps", (_, changed) => {
    const payload = { ...input, ...changed };
    const decision = updateAction(given, { organization: "org-a" }, payload);
    expect(decision).toEqual({ events: { action: [{ type: "action.changed", payload }] } });
    const event = { type: "action.changed", payload, ...envelope } as const;
    expect(action.evolve(inactive, event)).toStrictEqual({ ...inactive, ...changed });
  });

  test.each([
    ["what is so already", given, "org-a", "NOTHING_CHANGED"],
    ["another's action", given, "org-b", "ACTION_NOT_FOUND"],
    ["no action", undefined, "org-a", "ACTION_NOT_FOUND"],
  ])("refuses %s", (_, state, organization, reason) => {
    expect(updateAction(state, { organization }, input).rejection?.reason).toBe(reason);
  });
});

describe("removeAction", () => {
  test.each([given, inactive])("records that the action goes", (state) => {
    const acted = { organization: "org-a", actionId: "a" };
    expect(removeAction({ action: state }, [], acted)).toEqual({
      events: { action: [{ type: "action.removed", payload: {} }] },
    });
  });

  test.each([
    ["another's action", given, "org-b"],
    ["no action", undefined, "org-a"],
    ["no action of no organization", undefined, ""],
  ])("refuses %s without a word about others", (_, state, organization) => {
    const refused = removeAction({ action: state }, [], { organization, actionId: "a" });
    expect(refused).toEqual(reject("ACTION_NOT_FOUND"));
    expect(refused).toEqual({
      events: {},
      rejection: {
        reason: "ACTION_NOT_FOUND",
        message: "The organization has no action with this id.",
      },
    });
  });
});

describe("the state", () => {
  const fold = (
    ...types: readonly Exclude<
      ActionEvent["type"],
      "action.added" | "action.changed" | "action.failed"
    >[]
  ) =>
    types.reduce<ActionState | undefined>(
      (before, type) => action.evolve(before, { type, payload: {}, ...envelope }),
      action.evolve(undefined, { type: "action.added", payload: input, ...envelope }),
    );
  const state = fold();

  test.each([
    ["active at first", fold(), given],
    ["inactive when deactivated", fold("action.deactivated"), inactive],
    ["as before when reactivated", fold("action.deactivated", "action.reactivated"), given],
    ["gone when removed", fold("action.removed"), undefined],
    ["gone when removed while inactive", fold("action.deactivated", "action.removed"), undefined],
  ])("is %s", (_, found, expected) => {
    expect(found).toStrictEqual(expected);
  });

  test("keeps its name while it is inactive, and shows that it is", () => {
    expect(action.claims(inactive)).toEqual(action.claims(given));
    expect(action.row(inactive).fields).toEqual({ name: "Enrich", state: "INACTIVE" });
  });

  test("begins with the action", () => {
    const switched = { type: "action.deactivated", payload: {}, ...envelope } as const;
    expect(() => action.evolve(undefined, switched)).toThrow("first event");
  });

  test("belongs to the owner of the stream, and claims its name there", () => {
    expect(state).toStrictEqual({ ...input, organization: "org-a" });
    expect(action.claims(state!)).toEqual([
      { kind: "action.name", scope: "org-a", value: "enrich" },
    ]);
    expect(action.row(state!)).toEqual({
      parent: "org-a",
      fields: { name: "Enrich", state: "ACTIVE" },
    });
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "action.run", payload: {}, ...envelope } as never;
    expect(() => action.evolve(state, unknown)).toThrow("action.run");
  });
});

describe("laws", () => {
  const command = fc
    .record({
      name: text(200),
      script: text(200),
      timeoutNanos: fc.oneof(fc.integer(), fc.constant(timeoutNanosMax)),
      allowedToFail: fc.boolean(),
    })
    .map<LifeCommand<ActionState, ActionEvent>>((added) => (state) => {
      const { events, rejection } = state === undefined ? createAction(added) : { events: {} };
      return { events: events.action ?? [], ...(rejection ? { rejection } : {}) };
    });
  const change = fc
    .record({
      organization: fc.constantFrom("org-of-the-test", "org-of-others"),
      isInactive: fc.option(fc.boolean(), { nil: undefined }),
    })
    .map<LifeCommand<ActionState, ActionEvent>>(({ organization, isInactive }) => (state) => {
      const { events, rejection }: ReturnType<typeof switchAction> =
        isInactive === undefined
          ? removeAction({ action: state }, [], { organization, actionId: "a" })
          : switchAction(state, { organization, isInactive });
      return { events: events.action ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(action, fc.oneof(command, change));
});
