import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type ActionEvent,
  type ActionState,
  action,
  createAction,
  timeoutNanosDefault,
  timeoutNanosMax,
} from "../../src/domain/action.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
const input = {
  name: "Enrich",
  script: "function enrich(ctx, api) {}",
  timeoutNanos: timeoutNanosDefault,
  allowedToFail: true,
};
const wrongScript = { field: "script", description: "must parse" };

describe("createAction", () => {
  test("records what it was given", () => {
    expect(createAction(input, [])).toEqual({
      events: { action: [{ type: "action.added", payload: input }] },
    });
  });

  test("takes 10 s where nothing is said, and 20 s at most", () => {
    expect([timeoutNanosDefault, timeoutNanosMax]).toEqual([1e10, 2e10]);
  });

  test.each([
    ["a nanosecond", { timeoutNanos: 1 }, [], []],
    ["the longest time", { timeoutNanos: timeoutNanosMax }, [], []],
    ["more than that", { timeoutNanos: timeoutNanosMax + 1 }, [], ["timeout"]],
    ["no time", { timeoutNanos: 0 }, [], ["timeout"]],
    ["less than no time", { timeoutNanos: -1 }, [], ["timeout"]],
    ["no time that there is", { timeoutNanos: Number.NaN }, [], ["timeout"]],
    ["a blank name", { name: "\u200b" }, [], ["name"]],
    ["a script that does not parse", {}, [wrongScript], ["script"]],
    [
      "everything wrong",
      { name: "", timeoutNanos: 0 },
      [wrongScript],
      ["name", "script", "timeout"],
    ],
  ])("with %s", (_, given, scriptViolations, fields) => {
    const { events, rejection } = createAction({ ...input, ...given }, scriptViolations);
    expect((rejection?.violations ?? []).map(({ field }) => field)).toEqual(fields);
    expect(events.action?.length ?? 0).toBe(fields.length === 0 ? 1 : 0);
  });
});

describe("the state", () => {
  const state = action.evolve(undefined, { type: "action.added", payload: input, ...envelope });

  test("belongs to the owner of the stream, and claims its name there", () => {
    expect(state).toStrictEqual({ ...input, organization: "org-a" });
    expect(action.claims(state!)).toEqual([
      { kind: "action.name", scope: "org-a", value: "enrich" },
    ]);
    expect(action.row(state!)).toEqual({ parent: "", fields: { name: "Enrich" } });
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
    .map<LifeCommand<ActionState, ActionEvent>>((given) => (state) => {
      const { events, rejection } = state === undefined ? createAction(given, []) : { events: {} };
      return { events: events.action ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(action, command);
});
