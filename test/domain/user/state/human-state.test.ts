import { describe, expect, test } from "@jest/globals";
import { mustExist } from "../../../../src/domain/noun.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { codeFailuresMax } from "../../../../src/domain/user/state/human-state.ts";
import type { HumanState } from "../../../../src/domain/user/state/login-state.ts";
import { statusOf, user } from "../../../../src/domain/user/state/user.ts";
import { humanAfter, person } from "../people.ts";
import { home, maker, now } from "../users.ts";

/** What becomes of people by the events with which they take their accounts over. */

const envelope = { owner: home, actor: maker, timeMs: now + 5 };
const initialization = { code: "sealed", expirationMs: now, failures: 0, maker };
const link = { codeId: "c", codeHash: "h", expirationMs: now + 9 };
const begun = person({ initialization, passwordless: [{ ...link, failures: 0, maker }] }).human;

const evolved = (events: readonly UserEvent[], before: HumanState = begun) =>
  events.reduce((state, event) => mustExist(humanAfter(state, { ...event, ...envelope })), before);

const missed: UserEvent = { type: "user.human.initialization.failed", payload: {} };
const initialized: UserEvent = { type: "user.human.initialized", payload: {} };
const misses = (count: number) => Array.from({ length: count }, () => missed);

describe("the code that initializes", () => {
  const next: UserEvent = {
    type: "user.human.initialization.code.added",
    payload: { code: "another", expirationMs: 1 },
  };

  test.each<readonly [string, readonly UserEvent[], HumanState["initialization"]]>([
    ["counts a miss", misses(1), { ...initialization, failures: 1 }],
    ["is there when it is void", misses(codeFailuresMax), { ...initialization, failures: 5 }],
    ["counts on", misses(codeFailuresMax + 1), { ...initialization, failures: 6 }],
    [
      "counts anew where another is made",
      [missed, next],
      { code: "another", expirationMs: 1, failures: 0, maker },
    ],
    ["is gone when it was used", [missed, initialized], undefined],
    ["is not asked for twice", [initialized, initialized], undefined],
  ])("%s", (_, events, expected) => {
    const human = evolved(events);
    expect(human.initialization).toEqual(expected);
    expect("initialization" in human).toBe(expected !== undefined);
    const status = expected === undefined ? "ACTIVE" : "INITIAL";
    expect(statusOf({ ...person(), human })).toBe(status);
    expect(user.row({ ...person(), human }).fields.state).toBe(status);
  });

  test("is not made up where there is none", () => {
    expect(() => evolved([initialized, missed])).toThrow("first event");
  });
});

describe("the password", () => {
  const changed: UserEvent = {
    type: "user.human.password.changed",
    payload: { passwordHash: "new" },
  };
  const expected = {
    passwordHash: "new",
    // The address of the mail was chosen by somebody else.
    passwordMade: { maker, via: ["u"] },
    passwordChangedMs: now + 5,
    passwordChangeRequired: false,
  };

  test.each<readonly [string, Partial<HumanState>]>([
    ["none", {}],
    ["one", { passwordHash: "old", passwordChangedMs: 1 }],
    ["one that must be changed", { passwordHash: "old", passwordChangeRequired: true }],
  ])("is the last one that was chosen, after %s", (_, before) => {
    expect(evolved([changed], { ...begun, ...before })).toEqual({ ...begun, ...expected });
  });
});

describe("links and passkeys", () => {
  const failed = (codeId: string): UserEvent => ({
    type: "user.human.passwordless.initialization.failed",
    payload: { codeId },
  });
  const another = { codeId: "d", codeHash: "i", expirationMs: now + 9 };
  const anotherAdded: UserEvent = {
    type: "user.human.passwordless.initialization.code.added",
    payload: another,
  };
  const passkey = {
    credentialId: "K1",
    publicKey: "cose",
    counter: 7,
    transports: ["usb"],
    name: "laptop",
  };
  const added = (codeId: string, one = passkey): UserEvent => ({
    type: "user.human.passwordless.token.added",
    payload: { codeId, ...one },
  });
  const other = { ...passkey, credentialId: "K2" };
  const links = (first: number, second: number) => [
    { ...link, failures: first, maker },
    { ...another, failures: second, maker },
  ];

  test.each<readonly [string, readonly UserEvent[], readonly object[], readonly object[]]>([
    ["a second link", [anotherAdded], links(0, 0), []],
    ["a miss of one of them", [anotherAdded, failed("d")], links(0, 1), []],
    ["misses of both", [anotherAdded, failed("c"), failed("d"), failed("c")], links(2, 1), []],
    ["a miss of a link that is gone", [anotherAdded, failed("x")], links(0, 0), []],
    ["a passkey", [anotherAdded, added("d")], links(0, 0).slice(0, 1), [passkey]],
    ["a passkey of a link that is gone", [anotherAdded, added("x")], links(0, 0), [passkey]],
    ["two passkeys", [anotherAdded, added("d"), added("c", other)], [], [passkey, other]],
  ])("after %s", (_, events, passwordless, passkeys) => {
    const made = passkeys.map((one) => ({ ...one, maker, addedMs: envelope.timeMs }));
    expect(evolved(events)).toEqual({ ...begun, passwordless, passkeys: made });
  });

  test("are forgotten where they have ended: links, when the next is made", () => {
    const late = { ...envelope, timeMs: now + 9 };
    const { passwordless } = mustExist(humanAfter(begun, { ...anotherAdded, ...late }));
    expect(passwordless).toEqual([{ ...another, failures: 0, maker }]);
  });

  test("are claimed: each passkey, by its id as it is, and no link", () => {
    const human = evolved([added("c"), added("d", { ...passkey, credentialId: "k1" })]);
    expect(user.claims({ ...person(), human })).toEqual([
      { kind: "user.name", scope: "", value: "ada" },
      { kind: "user.passkey", scope: "", value: "K1" },
      { kind: "user.passkey", scope: "", value: "k1" },
    ]);
  });
});
