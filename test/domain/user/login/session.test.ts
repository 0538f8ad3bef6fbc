import { describe, expect, test } from "@jest/globals";
import { beginSession, endSessions, joinSession } from "../../../../src/domain/user/login/login.ts";
import { loginLimits } from "../../../../src/domain/user/state/login-limits.ts";
import {
  logoutsOf,
  provenMs,
  sessionOf,
  sessionsOf,
} from "../../../../src/domain/user/state/session.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";
import { deactivateUser, removeUser } from "../../../../src/domain/user/status.ts";
import { begun, deactivated, given, startMs, typesOf } from "../logins.ts";
import { owner } from "../users.ts";

const { sessions, sessionMs, told } = loginLimits;
const joined = (sessionId: string, clientId: string) =>
  ({ type: "user.human.session.joined", payload: { sessionId, clientId } }) as const;
const has = (state: UserState | undefined, sessionId: string, nowMs = startMs) =>
  sessionOf(state, sessionId, nowMs) !== undefined;

describe("a session", () => {
  const session = {
    ...{ userId: "ada", sessionId: "one" },
    clientId: "app",
    factors: ["password"],
    browser: "b",
  } as const;
  const ending = { userId: "me", sessionIds: ["one"] };

  test("is listed until it has ended, the latest login first", () => {
    const state = given(begun("one"), begun("two"));
    const listed = (nowMs: number, of = state) =>
      sessionsOf(of, nowMs).map(({ sessionId }) => sessionId);
    expect(listed(startMs + sessionMs)).toEqual(["two", "one"]);
    expect(listed(startMs + sessionMs + 1)).toEqual(["two"]);
    expect(listed(startMs, given(begun("one"), deactivated))).toEqual([]);
    expect(sessionsOf(undefined, startMs)).toEqual([]);
  });

  test("ends with others that are named, each once", () => {
    const state = given(begun("one"), begun("two"), begun("three"));
    const sessionIds = ["one", "three", "one", "of somebody else"];
    expect(endSessions(state, { userId: "ada", sessionIds }, startMs).events.user).toEqual([
      { type: "user.human.session.ended", payload: { sessionId: "three" } },
      { type: "user.human.session.ended", payload: { sessionId: "one" } },
    ]);
  });

  test("begins, goes on and ends", () => {
    expect(typesOf(beginSession(given(), session, startMs))).toEqual(["user.human.session.begun"]);
    const state = given(begun("one"), begun("two"), begun("one"));
    expect(state.human?.login?.sessions.map(({ sessionId }) => sessionId)).toEqual(["two", "one"]);
    expect(has(state, "one")).toBe(true);
    expect(typesOf(endSessions(state, ending, startMs))).toEqual(["user.human.session.ended"]);
    const { sessionId } = session;
    const ended = given(begun("one"), { type: "user.human.session.ended", payload: { sessionId } });
    expect(has(ended, "one")).toBe(false);
    expect(endSessions(ended, ending, startMs)).toEqual({ events: {} });
  });

  test.each([
    ["a password", { factors: ["password"] }, 9],
    ["a provider that says when it asked", { factors: ["external"], askedMs: 5 }, 5],
    ["a provider that says that it will", { factors: ["external"], askedMs: 10 }, 9],
    ["a provider that does not say it", { factors: ["external"] }, 0],
    ["a provider and a code", { factors: ["external", "otp"] }, 9],
  ] as const)("proves who somebody is by %s", (_, { factors, ...asked }, ms) => {
    expect(provenMs({ factors, begunMs: 9, external: { idpId: "idp", ...asked } })).toBe(ms);
  });

  const asked = (sessionId: string, clientIds: readonly string[]) => [
    { type: "logout.asked", payload: { userId: "me", sessionId, told: clientIds } },
  ];

  test("tells the applications that want to know when it has ended, each once", () => {
    const join = (state: UserState, clientId: string, sessionId = "one") =>
      joinSession(state, joined(sessionId, clientId).payload, startMs);
    expect(join(given(begun("one")), "a").events.user).toEqual([joined("one", "a")]);
    const state = given(begun("one"), joined("one", "a"), begun("two"), joined("two", "b"));
    expect(join(state, "a")).toEqual({ events: {} });
    expect(join(state, "a", "none")).toEqual({ events: {} });
    // Somebody who logs in again has not left.
    const again = given(begun("one"), joined("one", "a"), begun("one"));
    const ofOne = [asked("one", ["a"])];
    expect(endSessions(again, ending, startMs).events.logouts).toEqual(ofOne);
    expect(endSessions(state, ending, startMs).events.logouts).toEqual(ofOne);
    expect(logoutsOf("me", sessionsOf(state, startMs))).toEqual([asked("two", ["b"]), ...ofOne]);
    expect(endSessions(given(begun("one")), ending, startMs).events.logouts).toEqual([]);
  });

  test(`tells at most ${told} applications, however many sessions end with it`, () => {
    const clientIds = Array.from({ length: told }, (_, i) => `${i}`);
    const ofSession = (id: string) => [begun(id), ...clientIds.map((one) => joined(id, one))];
    const before = given(...ofSession("one").slice(0, -1));
    const next = joined("one", "x").payload;
    expect(joinSession(before, next, startMs).events.user).toHaveLength(1);
    const full = given(...ofSession("one"));
    expect(joinSession(full, next, startMs)).toEqual({ events: {} });
    const ids = Array.from({ length: sessions }, (_, i) => `${i}`);
    const all = given(...ids.flatMap(ofSession));
    const logouts = ids.toReversed().map((id) => asked(id, clientIds));
    expect(logoutsOf("me", sessionsOf(all, startMs))).toEqual(logouts);
  });

  test("ends by its time: then nobody goes on with it, comes to it, or is told of its end", () => {
    const made = [begun("one", "b", ["admin"]), joined("one", "a")];
    const state = given(...made);
    const [lastMs, endMs] = [startMs + sessionMs, startMs + sessionMs + 1];
    expect([has(state, "one", lastMs), has(state, "one", endMs)]).toEqual([true, false]);
    const at = (nowMs: number) => {
      const acting = { user: state, caller: owner, owners: 2 };
      const place = { organization: "org", userId: "me" };
      const decided = [
        joinSession(state, joined("one", "b").payload, nowMs),
        endSessions(state, ending, nowMs),
        deactivateUser(acting, place, nowMs),
        removeUser(acting, place, nowMs),
      ];
      const { events } = beginSession(state, session, nowMs);
      const [again] = (events.user ?? []) as readonly { readonly payload: object }[];
      const logouts = decided.map((one) => ("logouts" in one.events ? one.events.logouts : []));
      return [decided.map(typesOf), logouts, "via" in (again?.payload ?? {})];
    };
    const gone = [["user.deactivated"], ["user.removed"]];
    const ended = "user.human.session.ended";
    const told = [asked("one", ["a"])];
    expect(at(lastMs)).toEqual([
      [["user.human.session.joined"], [ended], ...gone],
      [[], told, told, told],
      true,
    ]);
    expect(at(endMs)).toEqual([[[], [], ...gone], [[], [], [], []], false]);
  });

  test("is none of somebody who is out of use or gone", () => {
    const rejection = expect.objectContaining({ reason: "UNAUTHENTICATED" });
    for (const state of [given(begun("one"), deactivated), undefined]) {
      expect(beginSession(state, session, startMs)).toEqual({ events: {}, rejection });
      expect(has(state, "one")).toBe(false);
    }
  });

  test(`is one of at most ${sessions}`, () => {
    const many = Array.from({ length: sessions + 1 }, (_, i) => begun(`${i}`));
    const all = given(...many.slice(0, sessions));
    expect(has(all, "0")).toBe(true);
    const more = given(...many);
    expect([has(more, "0"), has(more, "1")]).toEqual([false, true]);
  });

  test("is forgotten by the next one once its time is over", () => {
    const state = given(begun("one"));
    const at = (timeMs: number) =>
      user.evolve(state, { ...begun("two"), owner: "org", actor: "ada", timeMs });
    const begunMs = startMs + 1;
    expect(has(at(begunMs + sessionMs - 1), "one")).toBe(true);
    expect(at(begunMs + sessionMs)?.human?.login?.sessions).toHaveLength(1);
  });
});
