import { describe, expect, test } from "@jest/globals";
import { type LogEvent, type LogState, log, sealKey } from "../../src/domain/log.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const begun = { type: "log.begun", payload: { key: "old", publicKey: "PEM" } } as const;
const envelope = { owner: "", actor: "start", timeMs: 1 };
const state = log.evolve(undefined, { ...begun, ...envelope })!;

const sealing = { isCurrent: (key: string) => key === "new", anew: (key: string) => `new ${key}` };

describe("the key of the log", () => {
  test("is sealed anew where an older master key seals it", () => {
    const { events } = sealKey(state, sealing);
    expect(events).toEqual({ log: [{ type: "log.key.sealed", payload: { key: "new old" } }] });
    const after = log.evolve(state, { ...events.log![0]!, ...envelope });
    expect(after).toEqual({ key: "new old", publicKey: "PEM" });
  });

  test("stays as it is where the newest one does, or there is no event that has it", () => {
    expect(sealKey({ ...state, key: "new" }, sealing)).toEqual({ events: {} });
    expect(sealKey(undefined, sealing)).toEqual({ events: {} });
  });
});

describe("the state", () => {
  test("claims nothing and is not listed by anything", () => {
    expect(log.claims(state)).toEqual([]);
    expect(log.row(state)).toEqual({ parent: "", fields: {} });
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "log.ended", payload: {}, ...envelope } as never;
    expect(() => log.evolve(state, unknown)).toThrow("log.ended");
  });
});

describe("laws", () => {
  const command = fc.string().map<LifeCommand<LogState, LogEvent>>((key) => (before) => ({
    events:
      before === undefined
        ? [{ type: "log.begun", payload: { key, publicKey: "PEM" } }]
        : (sealKey(before, { isCurrent: (held) => held === key, anew: () => key }).events.log ??
          []),
  }));

  holdLaws(log, command);
});
