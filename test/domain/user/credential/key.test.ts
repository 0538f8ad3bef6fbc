import { describe, expect, test } from "@jest/globals";
import { findKey, keysMax } from "../../../../src/domain/key.ts";
import {
  addMachineKey,
  refuseMachineKey,
  removeMachineKey,
} from "../../../../src/domain/user/credential/key.ts";
import { addMachineUser } from "../../../../src/domain/user/machine.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";
import { fc } from "../../../harness/laws.ts";
import { holdLaws, type LifeCommand } from "../../laws.ts";
import { person } from "../people.ts";
import {
  home,
  inactive,
  machine,
  made,
  manager,
  now,
  orgOwner,
  owner,
  userWith,
} from "../users.ts";

const place = { organization: home };
const publicKey = { kty: "RSA", n: "n", e: "AQAB" } as const;
const input = { ...place, keyId: "k", publicKey };
const held = { publicKey, ...made };
const robot = userWith();
const withKeys = (count: number) =>
  userWith({
    keys: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, held])),
  });
const after = (state: UserState, event: UserEvent) =>
  user.evolve(state, { ...event, owner: home, actor: "u", timeMs: now });

describe.each([
  [
    "addMachineKey",
    (states: Parameters<typeof addMachineKey>[0], at = place) =>
      addMachineKey(states, { ...input, ...at }, now),
  ],
  [
    "refuseMachineKey",
    (states: Parameters<typeof addMachineKey>[0], at = place) => refuseMachineKey(states, at, now),
  ],
  [
    "removeMachineKey",
    (states: Parameters<typeof addMachineKey>[0], at = place) =>
      removeMachineKey(states, { ...at, keyId: "k" }),
  ],
] as const)("%s", (_, decide) => {
  test.each([
    ["an unknown user", { user: undefined, caller: owner }, place, "USER_NOT_FOUND"],
    ["one elsewhere", { user: robot, caller: owner }, { organization: "b" }, "USER_NOT_FOUND"],
    ["who holds more", { user: orgOwner, caller: manager }, place, "ESCALATION_DENIED"],
    ["whose caller is gone", { user: manager, caller: undefined }, place, "ESCALATION_DENIED"],
    ["a person", { user: person(), caller: manager }, place, "USER_NOT_MACHINE"],
  ] as const)("refuses %s", (_, states, at, reason) => {
    expect(decide(states, at)).toMatchObject({ events: {}, rejection: { reason } });
  });
});

describe("addMachineKey", () => {
  test.each([
    ["a machine", robot, {}],
    ["an inactive one", inactive(robot), {}],
    ["one that has all but the last it may have", withKeys(keysMax - 1), {}],
    ["one for a while", robot, { expirationMs: now + 1 }],
    ["one, by a token that others have made,", robot, { via: ["m"] }],
  ] as const)("records the public part for %s, and who has a hand in it", (_, state, more) => {
    const payload = { keyId: "k", publicKey, ...more };
    const event = { type: "user.machine.key.added", payload } as const;
    const decision = addMachineKey({ user: state, caller: manager }, { ...input, ...more }, now);
    expect(decision).toEqual({ events: { user: [event] } });
    const key = { publicKey, addedMs: now, maker: "u", ...more };
    expect(after(state, event)).toStrictEqual({ ...state, keys: { ...state.keys, k: key } });
  });

  test.each([
    ["a key that ends now", robot, { expirationMs: now }, "INVALID_FIELDS"],
    ["one more than there may be", withKeys(keysMax), {}, "LIMIT_REACHED"],
  ] as const)("refuses %s, whatever the key", (_, state, ending, reason) => {
    const states = { user: state, caller: manager };
    const refused = { events: {}, rejection: { reason } };
    expect(addMachineKey(states, { ...input, ...ending }, now)).toMatchObject(refused);
    expect(refuseMachineKey(states, { ...place, ...ending }, now)).toMatchObject(refused);
    expect(refuseMachineKey({ user: robot, caller: manager }, place, now)).toBeUndefined();
  });
});

describe("removeMachineKey", () => {
  test("leaves the others", () => {
    const states = { user: withKeys(2), caller: manager };
    const event = { type: "user.machine.key.removed", payload: { keyId: "k0" } } as const;
    const decision = removeMachineKey(states, { ...place, keyId: "k0" });
    expect(decision).toEqual({ events: { user: [event] } });
    expect(after(withKeys(2), event)).toStrictEqual(userWith({ keys: { k1: held } }));
  });

  test.each(["other", "__proto__", "constructor"])("refuses what is no key: %s", (keyId) => {
    for (const state of [withKeys(1), robot]) {
      const { rejection } = removeMachineKey({ user: state, caller: manager }, { ...place, keyId });
      expect(rejection?.reason).toBe("KEY_NOT_FOUND");
    }
  });
});

describe("laws", () => {
  type Command = LifeCommand<UserState, UserEvent>;
  const of = ({ events, ...rest }: ReturnType<typeof removeMachineKey>): ReturnType<Command> => ({
    events: events.user ?? [],
    ...rest,
  });
  const ids = fc.constantFrom("__proto__", "constructor", "1", "a");
  const begin: Command = (state) =>
    state === undefined ? of(addMachineUser(machine)) : { events: [] };
  const adding = fc
    .record({ keyId: ids, end: fc.option(fc.integer(), { nil: undefined }) })
    .map<Command>(({ keyId, end }) => (state) => {
      // Ids are made here: none comes twice.
      if (findKey(state?.keys, keyId) !== undefined) return { events: [] };
      const ending = end === undefined ? {} : { expirationMs: end };
      const key = { ...placeOf(state), keyId, publicKey, ...ending };
      return of(addMachineKey({ user: state, caller: owner }, key, 0));
    });
  const removing = ids.map<Command>(
    (keyId) => (state) =>
      of(removeMachineKey({ user: state, caller: owner }, { ...placeOf(state), keyId })),
  );
  const placeOf = (state: UserState | undefined) => ({ organization: state?.organization ?? "" });
  holdLaws(user, fc.oneof(fc.constant(begin), adding, removing));
});
