import { describe, expect, test } from "@jest/globals";
import {
  addPasskeyLink,
  resendInitialization,
  sendPasskeyLink,
} from "../../../../src/domain/user/credential/invitation.ts";
import { pendingCodesOf } from "../../../../src/domain/user/state/credential.ts";
import { type UserState, user, userLimits } from "../../../../src/domain/user/state/user.ts";
import { person } from "../people.ts";
import { home, maker, manager, now, orgOwner, userWith } from "../users.ts";

const code = { code: "sealed", expirationMs: now, failures: 5, maker };
const invited = person({ initialization: code });
const raised = { ...invited, memberships: orgOwner.memberships };
const place = { organization: home };

/** Whom neither operation helps, and why. */
const others: readonly (readonly [string, UserState | undefined, UserState | undefined, string])[] =
  [
    ["nobody", undefined, manager, "USER_NOT_FOUND"],
    [
      "a person of another organization",
      { ...invited, organization: "b" },
      manager,
      "USER_NOT_FOUND",
    ],
    ["a person who holds more", raised, manager, "ESCALATION_DENIED"],
    ["a person, by a caller who is gone", raised, undefined, "ESCALATION_DENIED"],
    ["a machine", userWith(), manager, "USER_NOT_HUMAN"],
  ];

describe("resendInitialization", () => {
  const added = {
    type: "user.human.initialization.code.added",
    payload: { code: "fresh" },
  };
  const changed = { type: "user.human.email.changed", payload: { email: "new@example.com" } };
  const resend = (state: UserState | undefined, caller: UserState | undefined, email = "") =>
    resendInitialization({ user: state, caller }, { ...place, email, code: "fresh" });

  test.each([
    ["makes another code, the one before void or not", "", [added]],
    ["keeps the address that it is", "ada@example.com", [added]],
    ["sends it elsewhere", "new@example.com", [changed, added]],
  ])("%s", (_, email, events) => {
    expect(resend(invited, manager, email)).toEqual({ events: { user: events } });
  });

  test.each([
    ...others,
    ["a person who has the account", person(), manager, "USER_INITIALIZED"],
  ] as const)("refuses %s", (_, state, caller, reason) => {
    const { events, rejection } = resend(state, caller);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("leaves an address that is not verified", () => {
    const known = person({ isEmailVerified: true, initialization: code });
    const envelope = { owner: home, actor: maker, timeMs: now };
    const event = { type: "user.human.email.changed", payload: changed.payload } as const;
    expect(user.evolve(known, { ...event, ...envelope })?.human).toMatchObject({
      ...{ email: "new@example.com", isEmailVerified: false },
    });
  });
});

const link = { codeId: "new", codeHash: "hash" };
const links = (count: number, expirationMs = now + 1) =>
  Array.from({ length: count }, (_, nth) => {
    return { codeId: `${nth}`, codeHash: "h", expirationMs, failures: 0, maker };
  });
const most = userLimits.passkeyLinks;
const key = { publicKey: "p", counter: 0, transports: [], name: "", maker, addedMs: 0 };
const held = Array.from({ length: userLimits.passkeys }, (_, i) => ({
  ...{ credentialId: `${i}`, ...key },
}));

describe("addPasskeyLink", () => {
  const add = (state: UserState | undefined, caller: UserState | undefined) =>
    addPasskeyLink({ user: state, caller }, { ...place, ...link }, now);

  test.each([
    ["the first", []],
    ["the last that may work", links(most - 1)],
    ["one where the others have ended", links(most, now)],
  ])("makes %s", (_, passwordless) => {
    expect(add(person({ passwordless }), manager)).toEqual({
      events: {
        user: [
          {
            type: "user.human.passwordless.initialization.code.added",
            payload: { ...link, expirationMs: now + 3_600_000 },
          },
        ],
      },
    });
  });

  test.each([
    ...others,
    ["one more", person({ passwordless: links(most) }), manager, "LIMIT_REACHED"],
    [
      "passkeys without end: a link for one more",
      person({ passkeys: held }),
      manager,
      "LIMIT_REACHED",
    ],
  ] as const)("refuses %s", (_, state, caller, reason) => {
    const { events, rejection } = add(state, caller);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("sendPasskeyLink", () => {
  const mailed = { ...link, code: "sealed" };
  const ready = { isEmailVerified: true };
  const send = (state: UserState | undefined, caller: UserState | undefined) =>
    sendPasskeyLink({ user: state, caller }, { ...place, ...mailed }, now);

  test.each([
    ["the first", []],
    ["the last that may work", links(most - 1)],
  ])("makes %s, whose time has not begun", (_, passwordless) => {
    const event = { type: "user.human.passwordless.link.added", payload: mailed };
    expect(send(person({ ...ready, passwordless }), manager)).toEqual({
      events: { user: [event] },
    });
  });

  const no = "RESET_IMPOSSIBLE";
  test.each<(typeof others)[number]>([
    ...others.slice(0, -1),
    ["a machine", userWith(), manager, no],
    ["one whose address nobody has verified", person(), manager, no],
    [
      "one who has yet to take the account over",
      person({ ...ready, initialization: code }),
      manager,
      no,
    ],
    ["one who is out of use", { ...person(ready), isInactive: true }, manager, no],
    ["one more", person({ ...ready, passwordless: links(most) }), manager, "LIMIT_REACHED"],
  ])("refuses %s", (_, state, caller, reason) => {
    const { events, rejection } = send(state, caller);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("keeps the key of its code in use, unlike one that was answered", () => {
    const sent = { ...mailed, failures: 0, maker };
    const state = person({ ...ready, passwordless: [...links(1), sent] });
    expect(pendingCodesOf(state, now)).toEqual([{ code: "sealed" }]);
    const begun = person({ ...ready, passwordless: [{ ...sent, expirationMs: now }] });
    expect(pendingCodesOf(begun, now)).toEqual([]);
    expect(pendingCodesOf(begun, now - 1)).toEqual([{ code: "sealed", expirationMs: now }]);
  });

  test.each([
    [
      "ends with the address",
      { type: "user.human.email.changed", payload: { email: "b@b.b" } },
      [],
    ],
    ["outlasts its proof", { type: "user.human.email.verified", payload: {} }, ["new"]],
  ] as const)("%s, unless it was answered", (_, event, left) => {
    const envelope = { owner: home, actor: maker, timeMs: now };
    const sent = { ...mailed, failures: 0, maker };
    const before = person({ ...ready, passwordless: [...links(1), sent] });
    const after = user.evolve(before, { ...event, ...envelope })?.human?.passwordless;
    expect(after?.map(({ codeId }) => codeId)).toEqual(["0", ...left]);
  });
});
