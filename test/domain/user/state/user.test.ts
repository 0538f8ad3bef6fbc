import { describe, expect, test } from "@jest/globals";
import { addToken, hasToken, removeToken } from "../../../../src/domain/user/credential/token.ts";
import { addMachineUser, setUpOwner } from "../../../../src/domain/user/machine.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import type { HumanState } from "../../../../src/domain/user/state/login-state.ts";
import { type UserState, user, userLimits } from "../../../../src/domain/user/state/user.ts";
import {
  held,
  home,
  inHome,
  instance,
  machine,
  made,
  manager,
  now,
  orgOwner,
  owner,
  tokens,
  userWith,
} from "../users.ts";

describe("addMachineUser", () => {
  test("records what it was given", () => {
    expect(addMachineUser(machine)).toEqual({
      events: { user: [{ type: "user.machine.added", payload: machine }] },
    });
  });
});

describe("addToken", () => {
  const input = { organization: home, tokenId: "t", tokenHash: "hash" };
  const states = { user: userWith(), caller: manager };
  const added = (payload: object) => ({
    events: { user: [{ type: "user.token.added", payload }] },
  });

  test.each([
    ["without an end", {}, { tokenId: "t", tokenHash: "hash" }],
    [
      "that ends",
      { expirationMs: now + 1 },
      { tokenId: "t", tokenHash: "hash", expirationMs: now + 1 },
    ],
  ])("records a token %s", (_, rest, payload) => {
    expect(addToken(states, { ...input, ...rest }, now)).toEqual(added(payload));
  });

  test("takes the last one that fits", () => {
    const full = userWith({ tokens: tokens(userLimits.tokens - 1) });
    expect(addToken({ ...states, user: full }, input, now).rejection).toBeUndefined();
  });

  test.each([
    ["one that ends now", states, { expirationMs: now }, "INVALID_FIELDS"],
    ["one that ended before time began", states, { expirationMs: -1 }, "INVALID_FIELDS"],
    ["an unknown user", { ...states, user: undefined }, {}, "USER_NOT_FOUND"],
    ["a user of another organization", states, { organization: "org-b" }, "USER_NOT_FOUND"],
    ["who holds more", { ...states, user: orgOwner }, {}, "ESCALATION_DENIED"],
    ["whose caller is gone", { user: manager, caller: undefined }, {}, "ESCALATION_DENIED"],
    [
      "whose caller lost the role meanwhile",
      { user: manager, caller: userWith() },
      {},
      "ESCALATION_DENIED",
    ],
    [
      "one more than fits",
      { ...states, user: userWith({ tokens: tokens(userLimits.tokens) }) },
      {},
      "LIMIT_REACHED",
    ],
  ])("refuses %s", (_, given, rest, reason) => {
    const { events, rejection } = addToken(given, { ...input, ...rest }, now);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("removeToken", () => {
  const held = userWith({ tokens: { t: { tokenHash: "hash", ...made } } });

  test("records the removal", () => {
    expect(
      removeToken({ user: held, caller: manager, owners: 1 }, { organization: home, tokenId: "t" }),
    ).toEqual({
      events: { user: [{ type: "user.token.removed", payload: { tokenId: "t" } }] },
    });
  });

  describe("of an owner", () => {
    const lasting = { tokenHash: "a", ...made };
    const ending = { tokenHash: "b", expirationMs: now + 1, ...made };
    test.each([
      ["the only one of the last owner", { t: lasting }, 1, "LAST_OWNER"],
      ["the only one that lasts", { t: lasting, u: ending }, 1, "LAST_OWNER"],
      ["the only one of one of two owners", { t: lasting }, 2, "removed"],
      ["one of two that last", { t: lasting, u: { tokenHash: "c", ...made } }, 1, "removed"],
      ["one that would have ended", { t: ending, u: lasting }, 1, "removed"],
      ["one that does not make an owner count", { t: ending }, 1, "removed"],
    ])("%s", (_, held, owners, expected) => {
      const state = { ...owner, tokens: held };
      const acting = { user: state, caller: owner, owners };
      const { rejection } = removeToken(acting, { organization: state.organization, tokenId: "t" });
      expect(rejection?.reason ?? "removed").toBe(expected);
    });
  });

  test.each([
    ["an unknown user", undefined, manager, home, "t", "USER_NOT_FOUND"],
    ["a user of another organization", held, owner, "org-b", "t", "USER_NOT_FOUND"],
    ["an unknown token", held, manager, home, "u", "TOKEN_NOT_FOUND"],
    ["a property of every object", held, manager, home, "constructor", "TOKEN_NOT_FOUND"],
    ["the prototype", held, manager, home, "__proto__", "TOKEN_NOT_FOUND"],
    [
      "a token of who holds more",
      { ...orgOwner, ...tokens(1) },
      manager,
      home,
      "t0",
      "ESCALATION_DENIED",
    ],
    ["an unknown token of who holds more", orgOwner, manager, home, "u", "ESCALATION_DENIED"],
  ] as const)("refuses %s", (_, state, caller, organization, tokenId, reason) => {
    const acting = { user: state, caller, owners: 1 };
    const { events, rejection } = removeToken(acting, { organization, tokenId });
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("hasToken", () => {
  const state = userWith({
    tokens: {
      forever: { tokenHash: "f", ...made },
      ending: { tokenHash: "e", expirationMs: now, ...made },
    },
  });

  test.each([
    ["a token without an end", "f", Number.MAX_SAFE_INTEGER, true],
    ["a token before its end", "e", now - 1, true],
    ["a token at its end", "e", now, false],
    ["a token after its end", "e", now + 1, false],
    ["a token that is not there", "x", now, false],
    ["the id of a token", "forever", now, false],
    ["nothing", "", now, false],
  ])("%s", (_, tokenHash, atMs, held) => {
    expect(hasToken(state, tokenHash, atMs)).toBe(held);
    expect(hasToken({ ...state, isInactive: true }, tokenHash, atMs)).toBe(false);
  });
});

describe("the state", () => {
  const event = { owner: home, actor: "x", timeMs: now };
  const events: readonly UserEvent[] = [
    { type: "user.machine.added", payload: machine },
    { type: "user.membership.granted", payload: { scope: inHome, roles: ["ORG_OWNER"] } },
    { type: "user.token.added", payload: { tokenId: "1", tokenHash: "h1" } },
    { type: "user.token.added", payload: { tokenId: "2", tokenHash: "h2", expirationMs: now } },
    { type: "user.token.removed", payload: { tokenId: "1" } },
  ];
  const state = events.reduce<UserState | undefined>(
    (before, one) => user.evolve(before, { ...one, ...event }),
    undefined,
  );

  test("follows from the events", () => {
    const { userName, ...rest } = machine;
    expect(state).toStrictEqual({
      userName,
      machine: rest,
      organization: home,
      memberships: held({ scope: inHome, roles: ["ORG_OWNER"] }),
      tokens: { 2: { tokenHash: "h2", expirationMs: now, ...made, maker: "x" } },
    });
  });

  test("claims the login name, ignoring case, every membership and every token", () => {
    expect(user.claims(state!)).toEqual([
      { kind: "user.name", scope: "", value: "robot" },
      { kind: "user.membership", scope: home, value: "robot" },
      { kind: "user.token", scope: "", value: "h2" },
    ]);
  });

  test("shows names", () => {
    const names = { firstName: "", lastName: "", nickName: "", email: "" };
    const shown = { userName: "Robot", displayName: "A robot", type: "MACHINE", state: "ACTIVE" };
    expect(user.row(state!)).toEqual({ parent: home, fields: { ...names, ...shown } });
  });

  test("is not made up where the first event is missing", () => {
    for (const one of events.slice(1)) {
      expect(() => user.evolve(undefined, { ...one, ...event })).toThrow("first event");
    }
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "user.renamed", payload: {}, ...event } as never;
    const human = { externalIDPs: [], passkeys: [], passwordless: [] } as object as HumanState;
    expect(() => user.evolve({ ...state!, human }, unknown)).toThrow("user.renamed");
  });

  test("of a machine takes nothing that happens to people", () => {
    const verified = { type: "user.human.email.verified", payload: {} } as const;
    expect(() => user.evolve(state, { ...verified, ...event })).toThrow("first event");
  });
});

test("the first user owns the instance and has a token", () => {
  const given = { userName: "admin", name: "Administrator", token: "t", tokenHash: "h" };
  expect(setUpOwner(given)).toEqual([
    {
      type: "user.machine.added",
      payload: {
        userName: "admin",
        name: "Administrator",
        description: "",
        accessTokenType: "BEARER",
      },
    },
    { type: "user.membership.granted", payload: { scope: instance, roles: ["IAM_OWNER"] } },
    { type: "user.token.added", payload: { tokenId: "t", tokenHash: "h" } },
  ]);
});
