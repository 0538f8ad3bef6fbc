import { describe, expect, test } from "@jest/globals";
import {
  askToTell,
  type LogoutEvent,
  type LogoutState,
  logout,
  recordTold,
} from "../../src/domain/logout.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const envelope = { owner: "", actor: "", timeMs: 1 };
const asked = askToTell({ userId: "me", sessionId: "one", told: ["a", "b"] })[0]!;
const state = logout.evolve(undefined, { ...asked, ...envelope })!;
const told = (field: string) => ({ position: "7", field });

describe("a logout", () => {
  test("asks to tell each application once, and is over when all have been told", () => {
    expect(logout.messages?.(asked, state)).toEqual([
      { field: "told.0", channel: "call", to: "a" },
      { field: "told.1", channel: "call", to: "b" },
    ]);
    const [sent] = recordTold(state, told("told.0"), undefined).events.logout ?? [];
    expect(sent).toEqual({ type: "logout.sent", payload: told("told.0") });
    const half = logout.evolve(state, { ...sent!, ...envelope })!;
    expect(half).toEqual({ userId: "me", sessionId: "one", waiting: { "told.1": "b" } });
    const [failed] = recordTold(half, told("told.1"), "nobody answers").events.logout ?? [];
    expect(failed?.payload).toEqual({ ...told("told.1"), problem: "nobody answers" });
    expect(logout.evolve(half, { ...failed!, ...envelope })).toBeUndefined();
    for (const event of [sent!, failed!]) {
      const { field } = event.payload as { field: string };
      expect(logout.settles?.(event)).toEqual({ position: 7n, field });
      expect(logout.messages?.(event, half)).toEqual([]);
    }
    expect(logout.settles?.(asked)).toBeUndefined();
  });

  test("is told to nobody twice, and of nobody else", () => {
    for (const field of ["told.2", "__proto__", ""]) {
      expect(recordTold(state, told(field), undefined)).toEqual({ events: {} });
    }
    expect(recordTold(undefined, told("told.0"), undefined)).toEqual({ events: {} });
  });

  test("claims nothing, is listed by nothing, and takes no event that nobody knows", () => {
    expect([logout.claims(state), logout.row(state)]).toEqual([[], { parent: "", fields: {} }]);
    const unknown = { type: "logout.ended", payload: {}, ...envelope } as never;
    expect(() => logout.evolve(state, unknown)).toThrow("logout.ended");
  });
});

describe("laws", () => {
  // One who is told last ends the stream, which is no one's again: here one is left.
  const first = { position: "1", field: "told.0" };
  const command = fc
    .array(fc.string(), { minLength: 2 })
    .map<LifeCommand<LogoutState, LogoutEvent>>((told) => (before) => ({
      events:
        before === undefined
          ? askToTell({ userId: "me", sessionId: "one", told })
          : (recordTold(before, first, undefined).events.logout ?? []),
    }));

  holdLaws(logout, command);
});
