import { describe, expect, test } from "@jest/globals";
import {
  type InstanceEvent,
  type InstanceState,
  instance,
  instanceId,
  setUpInstance,
} from "../../src/domain/instance.ts";
import { streamOf } from "../../src/domain/noun.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const ids = { keyChecks: [], organization: "o", project: "p", owner: "u", token: "t" };

describe("setUpInstance", () => {
  test("makes everything in one go where there is nothing", () => {
    const { events, rejection } = setUpInstance(undefined, { ids, tokenHash: "h" });
    expect(rejection).toBeUndefined();
    expect(events.instance).toEqual([
      { type: "instance.set.up", payload: { organization: "o", project: "p", owner: "u" } },
    ]);
    const types = Object.entries(events).map(([name, list]) => [
      name,
      list.map(({ type }) => type),
    ]);
    expect(Object.fromEntries(types)).toEqual({
      instance: ["instance.set.up"],
      org: ["org.added"],
      project: ["project.added"],
      user: ["user.machine.added", "user.membership.granted", "user.token.added"],
    });
  });

  test("does nothing where there is an instance", () => {
    const there = { organization: "x", keyChecks: [] };
    expect(setUpInstance(there, { ids, tokenHash: "h" })).toEqual({ events: {} });
  });
});

describe("the state", () => {
  const [event] = setUpInstance(undefined, { ids, tokenHash: "h" }).events.instance ?? [];
  const envelope = { owner: "o", actor: "u", timeMs: 1 };
  const state = instance.evolve(undefined, { ...event!, ...envelope });

  test("names the organization and claims nothing", () => {
    expect(state).toStrictEqual({ organization: "o", keyChecks: [] });
    expect(instance.claims(state!)).toEqual([]);
    expect(instance.row(state!)).toEqual({ parent: "", fields: {} });
    expect(streamOf(instance, instanceId)).toBe("instance-1");
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "instance.renamed", payload: {}, ...envelope } as never;
    expect(() => instance.evolve(state, unknown)).toThrow("instance.renamed");
  });
});

describe("laws", () => {
  const command = fc
    .record({ organization: fc.uuid(), project: fc.uuid(), owner: fc.uuid(), token: fc.uuid() })
    .map<LifeCommand<InstanceState, InstanceEvent>>((fresh) => (state) => ({
      events: setUpInstance(state, { ids: fresh, tokenHash: "h" }).events.instance ?? [],
    }));

  holdLaws(instance, command);
});
