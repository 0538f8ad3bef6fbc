import { describe, expect, test } from "@jest/globals";
import {
  addPasskey,
  checkInitialization,
  checkPasskeyCode,
  initialize,
  verifyOwnPhone,
} from "../../../../src/domain/user/credential/account.ts";
import { passwordCharacters } from "../../../../src/domain/user/credential/password.ts";
import type { UserDecision } from "../../../../src/domain/user/state/acting.ts";
import { type UserState, userLimits } from "../../../../src/domain/user/state/user.ts";
import { person } from "../people.ts";
import { inactive, maker, now, userWith } from "../users.ts";

const code = { code: "sealed", expirationMs: now + 1, failures: 0, maker };
const begun = person({ initialization: code });
const own = { passwordHash: "old", passwordChangedMs: 1 };

const missed = { type: "user.human.initialization.failed", payload: {} };
const invalid = "CODE_INVALID";
/** Whatever is wrong with a code, these are the words. */
const message = "The code is wrong, expired, already used or not pending: request a new one.";

/** The user, whether the code is the one that was shown, when, and what comes of it. */
type Row = readonly [
  name: string,
  state: UserState | undefined,
  isRight: boolean,
  events: readonly object[],
  reason: string | undefined,
];

/** The same without who it is about. */
type Rest = readonly [isRight: boolean, events: readonly object[], reason: string | undefined];

/** Those whom no code lets in, whatever it is. */
const strangers: readonly (readonly [string, UserState | undefined])[] = [
  ["nobody", undefined],
  ["a machine", userWith()],
  ["an inactive machine", inactive(userWith())],
  ["a person without a code", person()],
];
const shut = (rows: readonly (readonly [string, UserState | undefined])[]): readonly Row[] =>
  rows.flatMap(([name, state]) => [
    [`any code of ${name}`, state, true, [], invalid] as const,
    [`a wrong code of ${name}`, state, false, [], invalid] as const,
  ]);

/** A code that tells what it was compared with. */
function shownCode(isRight: boolean) {
  const compared: string[] = [];
  const opens = (stored: string) => {
    compared.push(stored);
    return isRight;
  };
  return { compared, opens };
}

function expectDecision(
  { events, rejection }: UserDecision,
  expected: readonly object[],
  reason: string | undefined,
): void {
  expect(events.user ?? []).toEqual(expected);
  const told = reason === invalid ? { reason, message } : expect.objectContaining({ reason });
  expect(rejection).toEqual(reason === undefined ? undefined : told);
}

const withInitialization = (more: Partial<typeof code>) =>
  person({ initialization: { ...code, ...more } });
const shutByInitialization = shut([
  ...strangers,
  ["an inactive person", inactive(begun)],
  ["a person, at its end", withInitialization({ expirationMs: now })],
  ["a person, after its end", withInitialization({ expirationMs: now - 1 })],
  ["a person, missed five times", withInitialization({ failures: 5 })],
  ["a person, missed more often", withInitialization({ failures: 6 })],
]);

describe("checkInitialization", () => {
  test.each<Row>([
    ["the right code", begun, true, [], undefined],
    ["a wrong code", begun, false, [missed], invalid],
    ["the right code after four misses", withInitialization({ failures: 4 }), true, [], undefined],
    ["a fifth wrong code", withInitialization({ failures: 4 }), false, [missed], invalid],
    [
      "the right code of a verified person with a password",
      person({ initialization: code, isEmailVerified: true, ...own }),
      true,
      [],
      undefined,
    ],
    ...shutByInitialization,
  ])("%s", (_, state, isRight, events, reason) => {
    const { compared, opens } = shownCode(isRight);
    expectDecision(checkInitialization(state, { opens }, now), events, reason);
    // A code is compared once or not at all, and every miss is an event.
    const isCompared = reason === undefined || events.length > 0;
    expect(compared).toEqual(isCompared ? [code.code] : []);
  });
});

describe("initialize", () => {
  const verified = { type: "user.human.email.verified", payload: {} };
  const changed = { type: "user.human.password.changed", payload: { passwordHash: "new" } };
  const done = { type: "user.human.initialized", payload: {} };
  const known = person({ initialization: code, isEmailVerified: true });
  const secured = person({ initialization: code, ...own });
  const both = person({ initialization: code, isEmailVerified: true, ...own });
  const chosen = { passwordHash: "new" };

  type Password = { readonly passwordHash?: string };
  test.each<readonly [string, UserState | undefined, Password, ...Rest]>([
    ["a password", begun, chosen, true, [verified, changed, done], undefined],
    ["a password of a verified person", known, chosen, true, [changed, done], undefined],
    ["another password", secured, chosen, true, [verified, changed, done], undefined],
    ["another password of a verified person", both, chosen, true, [changed, done], undefined],
    ["the password that is there", secured, {}, true, [verified, done], undefined],
    ["the password that is there of a verified person", both, {}, true, [done], undefined],
    ["no password", begun, {}, true, [], "INVALID_FIELDS"],
    ["no password of a verified person", known, {}, true, [], "INVALID_FIELDS"],
    ["a wrong code with a password", begun, chosen, false, [missed], invalid],
    ["a wrong code without a password", begun, {}, false, [missed], invalid],
    ...shutByInitialization.map(
      ([name, state, isRight, events, reason]) =>
        [name, state, chosen, isRight, events, reason] as const,
    ),
  ])("%s", (_, state, password, isRight, events, reason) => {
    const { compared, opens } = shownCode(isRight);
    expectDecision(initialize(state, { opens, ...password }, now), events, reason);
    const isCompared = reason !== invalid || events.length > 0;
    expect(compared).toEqual(isCompared ? [code.code] : []);
  });

  test("says which field misses what", () => {
    expect(initialize(begun, { opens: () => true }, now).rejection).toEqual({
      reason: "INVALID_FIELDS",
      message: "password: must be given: the account has no password",
      violations: [
        { field: "password", description: "must be given: the account has no password" },
      ],
    });
  });
});

const link = { codeId: "c", codeHash: "hash", expirationMs: now + 1, failures: 0, maker };
const linked = (more: Partial<typeof link> = {}) =>
  person({
    passwordless: [
      { ...link, codeHash: "other", codeId: "b" },
      { ...link, ...more },
    ],
  });
const missedLink = {
  type: "user.human.passwordless.initialization.failed",
  payload: { codeId: "c" },
};
const shutByLink = shut([
  ...strangers,
  ["a person with a code for the account", begun],
  ["an inactive person", inactive(linked())],
  ["a person with another link", linked({ codeId: "d" })],
  ["a person, at its end", linked({ expirationMs: now })],
  ["a person, missed five times", linked({ failures: 5 })],
]);

const passkey = {
  credentialId: "K1",
  publicKey: "cose",
  counter: 3,
  transports: ["internal"],
  name: "laptop",
};
const holding = (...ids: readonly string[]) => {
  const passkeys = ids.map((credentialId) => ({ ...passkey, credentialId, maker, addedMs: 0 }));
  return { ...linked(), human: { ...linked().human, passkeys } };
};
const others = (count: number) => holding(...Array.from({ length: count }, (_, i) => `${i}`));

describe("checkPasskeyCode", () => {
  test.each<Row>([
    ["the right code", linked(), true, [], undefined],
    ["a wrong code", linked(), false, [missedLink], invalid],
    ["a fifth wrong code", linked({ failures: 4 }), false, [missedLink], invalid],
    ["the right code after four misses", linked({ failures: 4 }), true, [], undefined],
    ["the last passkey", others(userLimits.passkeys - 1), true, [], undefined],
    ["a wrong code for one more", others(userLimits.passkeys), false, [missedLink], invalid],
    ...shutByLink,
  ])("%s", (_, state, isRight, events, reason) => {
    const { compared, opens } = shownCode(isRight);
    expectDecision(checkPasskeyCode(state, { codeId: "c", opens }, now), events, reason);
    const isCompared = reason === undefined || events.length > 0;
    expect(compared).toEqual(isCompared ? ["hash"] : []);
  });

  test("passkeys without end: none is begun where there is no room", () => {
    const state = others(userLimits.passkeys);
    const { opens } = shownCode(true);
    const decision = checkPasskeyCode(state, { codeId: "c", opens }, now);
    expectDecision(decision, [], "LIMIT_REACHED");
  });
});

describe("addPasskey", () => {
  const added = {
    type: "user.human.passwordless.token.added",
    payload: { codeId: "c", ...passkey },
  };
  const again = holding("K1");

  test.each<Row>([
    ["a passkey", linked(), true, [added], undefined],
    ["a wrong code", linked(), false, [missedLink], invalid],
    ["a passkey once more", again, true, [], "PASSKEY_TAKEN"],
    ["passkeys without end: the last", others(userLimits.passkeys - 1), true, [added], undefined],
    ["passkeys without end: one more", others(userLimits.passkeys), true, [], "LIMIT_REACHED"],
    ["a wrong code for one more", others(userLimits.passkeys), false, [missedLink], invalid],
    ["a wrong code for a passkey once more", again, false, [missedLink], invalid],
    ...shutByLink,
  ])("%s", (_, state, isRight, events, reason) => {
    const { opens } = shownCode(isRight);
    expectDecision(addPasskey(state, { codeId: "c", opens, passkey }, now), events, reason);
  });
});

describe("verifyOwnPhone", () => {
  const sealed = { code: "sealed", expirationMs: now + 1, send: true, failures: 0 };
  const phone = (more: Partial<typeof sealed> = {}) =>
    person({ phone: { number: "+41446681800", isVerified: false, code: { ...sealed, ...more } } });
  const failed = { type: "user.human.phone.verification.failed", payload: {} };

  test.each<Row>([
    [
      "the right code",
      phone(),
      true,
      [{ type: "user.human.phone.verified", payload: {} }],
      undefined,
    ],
    ["a wrong code", phone(), false, [failed], invalid],
    ["a fifth wrong code", phone({ failures: 4 }), false, [failed], invalid],
    ...shut([
      ...strangers,
      ["an inactive person", inactive(phone())],
      ["a person, at its end", phone({ expirationMs: now })],
      ["a person whose code is gone", person({ phone: { number: "+1", isVerified: false } })],
    ]),
  ])("%s", (_, state, isRight, events, reason) => {
    const { opens } = shownCode(isRight);
    expectDecision(verifyOwnPhone(state, { opens }, now), events, reason);
  });
});

test("passwords have as many characters as the contract says", () => {
  expect(passwordCharacters).toEqual({ min: 8, max: 256 });
});
