import { describe, expect, test } from "@jest/globals";
import type { IDPState, Providers } from "../../../../src/domain/idp.ts";
import {
  completeName,
  importHuman,
  linkViolations,
  type NewHuman,
  nameHuman,
} from "../../../../src/domain/user/human/human.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import type { HumanAdded } from "../../../../src/domain/user/state/human-state.ts";
import { user } from "../../../../src/domain/user/state/user.ts";
import { home, now } from "../users.ts";

const added: HumanAdded = {
  userName: "Ada",
  firstName: "Ada",
  lastName: "Lovelace",
  nickName: "",
  displayName: "Ada Lovelace",
  preferredLanguage: "",
  gender: "UNSPECIFIED",
  email: "ada@example.com",
  passwordChangeRequired: false,
};
const human = {
  organization: home,
  added,
  isEmailVerified: false,
  isPhoneVerified: false,
  externalIDPs: [],
  initializationCode: "sealed code",
  phoneCode: "sealed phone code",
} as unknown as NewHuman;
const provider: IDPState = {
  name: "Work",
  serves: "ORGANIZATION",
  stylingType: "UNSPECIFIED",
  autoRegister: false,
  template: "OIDC",
  organization: home,
};
const link = { idpId: "work", externalUserId: "ada", displayName: "" };
const phone = "+41446681800";
const missed: UserEvent = { type: "user.human.initialization.failed", payload: {} };

const initialization = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed code" },
};

describe("importHuman", () => {
  test.each<readonly [string, Partial<NewHuman>, readonly object[]]>([
    ["the least", {}, [initialization]],
    ["a verified address", { isEmailVerified: true }, [verified("email"), initialization]],
    ["a password", { passwordHash: "h" }, [initialization]],
    ["both", { isEmailVerified: true, passwordHash: "h" }, [verified("email")]],
    [
      "a phone",
      { added: { ...added, phone } },
      [
        initialization,
        {
          type: "user.human.phone.code.added",
          payload: { code: "sealed phone code", expirationMs: now + 3_600_000, send: true },
        },
      ],
    ],
    [
      "a verified phone",
      { added: { ...added, phone }, isPhoneVerified: true },
      [initialization, verified("phone")],
    ],
    ["a verified phone that is none", { isPhoneVerified: true }, [initialization]],
    [
      "the secret of an app",
      { otpSecret: "sealed" },
      [initialization, { type: "user.human.otp.added", payload: { secret: "sealed" } }],
    ],
    [
      "accounts",
      { externalIDPs: [link, { ...link, externalUserId: "eda" }] },
      [
        initialization,
        { type: "user.human.externalidp.added", payload: link },
        { type: "user.human.externalidp.added", payload: { ...link, externalUserId: "eda" } },
      ],
    ],
    [
      "a link",
      { passwordless: { codeId: "c", codeHash: "h" } },
      [
        initialization,
        {
          type: "user.human.passwordless.initialization.code.added",
          payload: { codeId: "c", codeHash: "h", expirationMs: now + 3_600_000 },
        },
      ],
    ],
  ])("records %s", (_, given, rest) => {
    const all = { ...human, ...given };
    expect(importHuman({ "idp-work": provider }, all, now)).toEqual({
      events: { user: [{ type: "user.human.added", payload: payloadOf(all) }, ...rest] },
    });
  });

  test.each<readonly [string, Providers, string | undefined]>([
    ["its organization", { "idp-work": provider }, undefined],
    [
      "all, no matter who owns it",
      { "idp-work": { ...provider, serves: "INSTANCE", organization: "org-b" } },
      undefined,
    ],
    [
      "another organization",
      { "idp-work": { ...provider, organization: "org-b" } },
      "IDP_NOT_USABLE",
    ],
    ["nobody, for it is unknown", { "idp-work": undefined }, "IDP_NOT_USABLE"],
    ["nobody, for it was not looked up", {}, "IDP_NOT_USABLE"],
    ["somebody else", { "idp-home": provider }, "IDP_NOT_USABLE"],
  ])("looks whether the provider serves %s", (_, idps, reason) => {
    const { events, rejection } = importHuman(idps, { ...human, externalIDPs: [link] }, now);
    expect(rejection?.reason).toBe(reason);
    expect("user" in events).toBe(reason === undefined);
  });
});

describe("linkViolations", () => {
  const other = { ...link, idpId: "home" };

  test.each<readonly [string, NewHuman["externalIDPs"], readonly string[]]>([
    ["an account twice", [link, other, link], ["idps[2]"]],
    ["an account under two names", [link, { ...link, displayName: "x" }], ["idps[1]"]],
    ["one id at two providers", [link, other], []],
    [
      "ids that look alike when glued",
      [
        { ...link, idpId: "a", externalUserId: "b c" },
        { ...link, idpId: "a b", externalUserId: "c" },
        { ...link, idpId: 'a","b', externalUserId: "c" },
        { ...link, idpId: "a", externalUserId: 'b","c' },
      ],
      [],
    ],
  ])("finds %s", (_, links, fields) => {
    expect(linkViolations("idps", links).map(({ field }) => field)).toEqual(fields);
  });
});

describe("nameHuman", () => {
  test("takes away blanks at the ends, and says what a name looks like", () => {
    expect(nameHuman(" Ada\n")).toEqual({ userName: "Ada" });
    expect(nameHuman("\u0430da")).toEqual({ userName: "\u0430da", nameClaim: "ada" });
    expect(nameHuman(" \u2d54tto ")).toEqual({
      userName: "\u2d54tto",
      nameClaim: "Otto",
      shownClaim: "otto",
    });
  });
});

describe("completeName", () => {
  test.each([
    ["Countess", "Countess"],
    ["", "Ada Lovelace"],
    [" \t", "Ada Lovelace"],
    ["\u200b", "Ada Lovelace"],
    [" C ", " C "],
  ])("for %j is %j", (displayName, shown) => {
    expect(completeName({ displayName, firstName: "Ada", lastName: "Lovelace" })).toBe(shown);
  });
});

describe("the state", () => {
  const whole: NewHuman = {
    ...human,
    isEmailVerified: true,
    added: { ...added, phone },
    passwordHash: "h",
    otpSecret: "sealed secret",
    externalIDPs: [link],
    passwordless: { codeId: "c", codeHash: "h" },
  };
  const folded = (given: NewHuman, more: readonly UserEvent[] = []) => {
    const { user: events = [] } = importHuman({ "idp-work": provider }, given, now).events;
    return [...events, ...more].reduce<ReturnType<typeof user.evolve>>(
      (state, event) => user.evolve(state, { ...event, owner: home, actor: "x", timeMs: now }),
      undefined,
    )!;
  };

  test("follows from the events", () => {
    const { userName: _name, phone: _phone, ...profile } = payloadOf(whole);
    expect(folded(whole)).toStrictEqual({
      userName: "Ada",
      organization: home,
      tokens: {},
      memberships: [],
      human: {
        ...profile,
        emailMade: { maker: "x" },
        isEmailVerified: true,
        passwordMade: { maker: "x" },
        passwordChangedMs: now,
        phone: {
          number: phone,
          isVerified: false,
          code: {
            code: "sealed phone code",
            expirationMs: now + 3_600_000,
            send: true,
            failures: 0,
          },
        },
        phoneCodeMs: now,
        updatedMs: now,
        otpSecret: "sealed secret",
        recoveryCodes: [],
        externalIDPs: [{ ...link, maker: "x" }],
        passwordless: [
          { codeId: "c", codeHash: "h", expirationMs: now + 3_600_000, failures: 0, maker: "x" },
        ],
        passkeys: [],
      },
    });
  });

  test("knows the code that initializes, until another is made", () => {
    const payload = { code: "another", expirationMs: 1 };
    const next = { type: "user.human.initialization.code.added", payload } as const;
    const first = { ...initialization.payload, failures: 0, maker: "x" };
    expect(folded(human).human?.initialization).toEqual(first);
    expect(folded(human, [missed]).human?.initialization).toEqual({ ...first, failures: 1 });
    const second = { ...payload, failures: 0, maker: "x" };
    expect(folded(human, [missed, next]).human?.initialization).toEqual(second);
  });

  test("claims the login name and the address, ignoring case, and every account, as it is", () => {
    const named = { ...whole, externalIDPs: [{ ...link, externalUserId: "Ada" }] };
    expect(user.claims(folded(named))).toEqual([
      { kind: "user.name", scope: "", value: "ada" },
      { kind: "user.externalidp", scope: "work", value: "Ada" },
      { kind: "user.email", scope: "", value: "ada@example.com\nada" },
      { kind: "user.email", scope: "org-a", value: "ada@example.com\nada" },
    ]);
  });

  test("shows names", () => {
    const { userName, firstName, lastName, nickName, displayName, email } = whole.added;
    const names = { userName, firstName, lastName, nickName, displayName, email };
    const fields = { ...names, type: "HUMAN", state: "ACTIVE" };
    expect(user.row(folded(whole))).toEqual({ parent: home, fields });
  });
});

function verified(what: "email" | "phone") {
  return { type: `user.human.${what}.verified`, payload: {} };
}

function payloadOf({ added, passwordHash }: NewHuman): HumanAdded {
  return { ...added, ...(passwordHash === undefined ? {} : { passwordHash }) };
}
