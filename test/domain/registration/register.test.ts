import { describe, expect, test } from "@jest/globals";
import { comerOf } from "../../../src/domain/comer.ts";
import {
  isHeld,
  isUnfinished,
  registerHuman,
  takeOver,
} from "../../../src/domain/registration/register.ts";
import { credentialsOf } from "../../../src/domain/user/state/credential.ts";
import type { Passkey } from "../../../src/domain/user/state/passkey.ts";
import { type UserState, user } from "../../../src/domain/user/state/user.ts";
import { person } from "../user/people.ts";
import { holderOf, home, inactive, inHome, maker, now, userWith } from "../user/users.ts";

const email = "ada@example.com";
const initialization = { code: "sealed", failures: 0, maker };
const waiting = person({ initialization });
const passkey: Passkey = {
  ...{ credentialId: "k", publicKey: "cose", counter: 0, transports: [], name: "" },
};
const self = { owner: home, actor: "u", timeMs: now };

/** What the events of a decision make of a user, caused by the person. */
function after(state: UserState | undefined, { events }: ReturnType<typeof takeOver>) {
  const all = events.user ?? [];
  return all.reduce<UserState | undefined>(
    (before, event) => user.evolve(before, { ...event, ...self }),
    state,
  );
}

describe("somebody who registers", () => {
  const names = { userName: email, firstName: "Ada", lastName: "Lovelace", displayName: "" };
  const said = { ...names, email, isEmailVerified: true, preferredLanguage: "en" };
  const given = { email, comer: comerOf(said), organization: home, registrationId: "r" };

  test.each([
    ["a password", { passwordHash: "hash" }, "password"],
    ["a passkey", { passkey }, "passkey"],
  ] as const)(
    "gets in by %s alone, which the person has made, and holds nothing",
    (_, way, kind) => {
      const made = after(undefined, registerHuman({ ...given, ...way }, now));
      expect(made).toMatchObject({ userName: email, memberships: [], tokens: {} });
      expect(made?.human).toMatchObject({ email, isEmailVerified: true });
      expect(made?.human).not.toHaveProperty("initialization");
      const ways = credentialsOf(made!, now).map((one) => [one.kind, one.maker]);
      expect(ways).toEqual([
        ["email", "u"],
        [kind, "u"],
      ]);
    },
  );
});

describe("an account begun by somebody else, which waits,", () => {
  const rows: readonly (readonly [string, UserState, boolean, boolean])[] = [
    ["with an address of nobody", waiting, true, false],
    ["with a verified one", person({ initialization, isEmailVerified: true }), true, false],
    ["in capital letters", person({ initialization, email: "ADA@Example.com" }), true, false],
    ["with a role", { ...waiting, ...memberships() }, false, true],
    ["out of use", inactive(waiting), false, true],
    ["that is set up", person({ isEmailVerified: true }), false, true],
    ["that is set up and out of use", inactive(person({ isEmailVerified: true })), false, true],
    ["that is set up with an address of nobody", person(), false, false],
    ["with another address", person({ initialization, email: "bob@example.com" }), false, false],
    ["of a machine", userWith(), false, false],
  ];

  test.each(rows)("%s is for the taking, or held", (_, state, isForTaking, isTheirs) => {
    expect([isUnfinished(state, email), isHeld(state, email)]).toEqual([isForTaking, isTheirs]);
    const taken = takeOver(state, { email, registrationId: "r", passwordHash: "own" }, now);
    expect(taken.rejection === undefined).toBe(isForTaking);
    if (!isForTaking) expect(taken.events).toEqual({});
  });

  test.each([
    ["ada@φίλοσ.gr", "ada@φίλος.gr", false],
    ["ada@φίλος.gr", "ada@φίλοσ.gr", false],
    ["ada@φίλος.gr", " ADA@Φίλος.GR ", true],
    ["νίκος@example.com", "ΝΊΚΟΣ@example.com", true],
  ])("with %s goes to who has proven %s: %s", (theirs, proven, isForTaking) => {
    const waits = person({ initialization, email: theirs });
    const setUp = person({ isEmailVerified: true, email: theirs });
    const told = [isUnfinished(waits, proven), isHeld(setUp, proven)];
    expect(told).toEqual([isForTaking, isForTaking]);
    const taken = takeOver(waits, { email: proven, registrationId: "r", passwordHash: "own" }, now);
    expect(taken.rejection === undefined).toBe(isForTaking);
  });

  test("is nothing where nobody is", () => {
    expect(isUnfinished(undefined, email)).toBe(false);
    const taken = takeOver(undefined, { email, registrationId: "r", passwordHash: "own" }, now);
    expect(taken).toMatchObject({ events: {}, rejection: { reason: "CODE_INVALID" } });
  });

  test.each([
    ["a password", { passwordHash: "own" }, "password"],
    ["a passkey", { passkey }, "passkey"],
  ] as const)("lets nobody in any more but its person by %s", (_, way, kind) => {
    const link = { codeId: "c", codeHash: "h", expirationMs: now + 1, failures: 0, maker };
    const full = person({
      ...{ initialization: { ...initialization, send: false as const }, otpSecret: "theirs" },
      ...{ passwordHash: "theirs", passwordMade: { maker }, emailMade: { maker } },
      externalIDPs: [{ idpId: "i", externalUserId: "e", displayName: "", maker }],
      passkeys: [{ ...passkey, credentialId: "theirs", addedMs: now, maker }],
      passwordless: [link],
    });
    const begun = { ...full, tokens: { t: { tokenHash: "theirs", addedMs: now, maker } } };
    const taken = after(begun, takeOver(begun, { email, registrationId: "r", ...way }, now))!;
    const ways = credentialsOf(taken, now).map(({ kind: what, ...made }) => [what, made]);
    expect(ways).toEqual([
      ["email", { maker: "u" }],
      [kind, expect.objectContaining({ maker: "u" })],
    ]);
    expect(JSON.stringify(ways)).not.toContain("via");
    const { human } = taken;
    expect(human).toMatchObject({ isEmailVerified: true, email });
    for (const gone of ["otpSecret", "initialization"]) expect(human).not.toHaveProperty(gone);
  });
});

function memberships() {
  const { memberships: held } = holderOf("ORG_OWNER", inHome);
  return { memberships: held };
}
