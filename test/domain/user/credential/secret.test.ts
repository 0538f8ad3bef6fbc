import { describe, expect, test } from "@jest/globals";
import { removeSecret, setSecret } from "../../../../src/domain/user/credential/secret.ts";
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
  maker,
  manager,
  now,
  orgOwner,
  owner,
  userWith,
} from "../users.ts";

const place = { organization: home };
const input = { ...place, clientSecretHash: "hash" };
const held = { clientSecret: { clientSecretHash: "before", maker } };
const robot = userWith();

describe.each([
  [
    "setSecret",
    (states: Parameters<typeof setSecret>[0], at = place) => setSecret(states, { ...input, ...at }),
  ],
  [
    "removeSecret",
    (states: Parameters<typeof setSecret>[0], at = place) => removeSecret(states, at),
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

describe("setSecret", () => {
  test.each([
    ["a machine", robot, {}],
    ["an inactive one", inactive(robot), {}],
    ["one that has a secret", userWith(held), {}],
    ["one, by a token that others have made,", robot, { via: ["m"] }],
  ] as const)("records the hash of %s, and who has a hand in it", (_, state, via) => {
    const event = {
      type: "user.machine.secret.set",
      payload: { clientSecretHash: "hash", ...via },
    } as const;
    const decision = setSecret({ user: state, caller: manager }, { ...input, ...via });
    expect(decision).toEqual({ events: { user: [event] } });
    const envelope = { owner: home, actor: "u", timeMs: now };
    const clientSecret = { clientSecretHash: "hash", maker: "u", ...via };
    expect(user.evolve(state, { ...event, ...envelope })).toStrictEqual({ ...state, clientSecret });
  });
});

describe("removeSecret", () => {
  test("leaves nothing of it", () => {
    const state = userWith(held);
    const event = { type: "user.machine.secret.removed", payload: {} } as const;
    expect(removeSecret({ user: state, caller: manager }, place)).toEqual({
      events: { user: [event] },
    });
    const envelope = { owner: home, actor: "u", timeMs: now };
    expect(user.evolve(state, { ...event, ...envelope })).toStrictEqual(robot);
  });

  test("refuses a machine without one", () => {
    const { rejection } = removeSecret({ user: robot, caller: manager }, place);
    expect(rejection?.reason).toBe("SECRET_MISSING");
  });
});

describe("laws", () => {
  type Command = LifeCommand<UserState, UserEvent>;
  const of = ({ events, ...rest }: ReturnType<typeof removeSecret>): ReturnType<Command> => ({
    events: events.user ?? [],
    ...rest,
  });
  const begin: Command = (state) =>
    state === undefined ? of(addMachineUser(machine)) : { events: [] };
  const set = fc.string().map<Command>((clientSecretHash) => (state) => {
    const caller = owner;
    return of(setSecret({ user: state, caller }, { ...userPlace(state), clientSecretHash }));
  });
  const remove: Command = (state) =>
    of(removeSecret({ user: state, caller: owner }, userPlace(state)));
  const userPlace = (state: UserState | undefined) => ({ organization: state?.organization ?? "" });
  holdLaws(user, fc.oneof(fc.constant(begin), set, fc.constant(remove)));
});
