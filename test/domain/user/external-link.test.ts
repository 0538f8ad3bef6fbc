import { describe, expect, test } from "@jest/globals";
import type { IDPState } from "../../../src/domain/idp.ts";
import { type LoginPolicy, login } from "../../../src/domain/policy/login.ts";
import { waysBy } from "../../../src/domain/policy/obey.ts";
import { linkExternal, unlinkOwnExternal } from "../../../src/domain/user/external-link.ts";
import { dayLimits } from "../../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import { type UserState, user, userLimits } from "../../../src/domain/user/state/user.ts";
import { begun, deactivated, given, startMs, typesOf } from "./logins.ts";

const now = startMs + 1_000;
const own = { userId: "ada", sessionId: "here" };
const account = { idpId: "acme", externalUserId: "42" };
const linked = (externalUserId: string, idpId = "acme"): UserEvent => ({
  type: "user.human.externalidp.added",
  payload: { idpId, externalUserId, displayName: "" },
});
const unlinked = (externalUserId: string): UserEvent => ({
  type: "user.human.externalidp.removed",
  payload: { idpId: "acme", externalUserId },
});
const password: UserEvent = {
  type: "user.human.password.changed",
  payload: { passwordHash: "hash" },
};
const passkey: UserEvent = {
  type: "user.human.passwordless.token.added",
  payload: {
    ...{ credentialId: "key", publicKey: "key", counter: 0, transports: [], name: "" },
    codeId: "code",
  },
};
const app: UserEvent = { type: "user.human.otp.added", payload: { secret: "sealed" } };
const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
const begunInitialization: UserEvent = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed" },
};
/** A person after these, who has no password but that of an event among them. */
function withoutPassword(...events: readonly UserEvent[]): UserState {
  const { human, ...state } = given(...events);
  const { passwordHash: _first, ...rest } = human!;
  return { ...state, human: events.includes(password) ? human! : rest };
}

const { organization } = given();
const idp: IDPState = {
  ...{ name: "Acme", serves: "ORGANIZATION", stylingType: "UNSPECIFIED", autoRegister: false },
  template: "OIDC",
  organization,
};

describe("a link to an account elsewhere", () => {
  const named = { ...account, displayName: "Ada" };
  const link = { ...named, resets: 0 };

  test("is made, by those who made what was shown, and the person is told", () => {
    const state = given(verified);
    const decision = linkExternal({ user: state, idp }, { ...link, via: ["maker"] });
    expect(decision.events.user).toEqual([
      { type: "user.human.externalidp.added", payload: { ...named, via: ["maker"] } },
      { type: "user.human.notice.added", payload: { about: "externalidp.added" } },
    ]);
    expect(typesOf(linkExternal({ user: given(), idp }, link))).toHaveLength(1);
  });

  test.each<[string, string, Parameters<typeof linkExternal>[0]]>([
    ["of nobody", "UNAUTHENTICATED", { user: undefined, idp }],
    ["of somebody out of use", "UNAUTHENTICATED", { user: given(deactivated), idp }],
    [
      "before the account is taken over",
      "USER_NOT_INITIALIZED",
      {
        user: given(begunInitialization),
        idp,
      },
    ],
    ["at a provider that is gone", "IDP_NOT_USABLE", { user: given(), idp: undefined }],
    ["at one out of use", "IDP_NOT_USABLE", { user: given(), idp: { ...idp, isInactive: true } }],
    [
      "at another organization's",
      "IDP_NOT_USABLE",
      {
        user: given(),
        idp: { ...idp, organization: "elsewhere" },
      },
    ],
    [
      "to who was logged out since the proof",
      "UNAUTHENTICATED",
      {
        user: given({ type: "user.human.sessions.terminated", payload: { count: 0 } }),
        idp,
      },
    ],
    ["that is there", "NOTHING_CHANGED", { user: given(linked("42")), idp }],
  ])("is refused %s", (_what, reason, states) => {
    const decision = linkExternal(states, link);
    expect([decision.rejection?.reason, typesOf(decision)]).toEqual([reason, []]);
  });

  test("is made as long as there is room for it", () => {
    const { externalIDPs: most } = userLimits;
    const withLinks = (count: number) =>
      given(...Array.from({ length: count }, (_, i) => linked(`other ${i}`)));
    expect(linkExternal({ user: withLinks(most - 1), idp }, link).rejection).toBeUndefined();
    const full = linkExternal({ user: withLinks(most), idp }, link).rejection;
    expect([full?.reason, full?.message]).toEqual([
      "LIMIT_REACHED",
      expect.stringContaining(`${most}`),
    ]);
  });

  test("is claimed until it is removed", () => {
    const claim = { kind: "user.externalidp", scope: "acme", value: "42" };
    expect(user.claims(given(linked("42"), linked("43")))).toContainEqual(claim);
    expect(user.claims(given(linked("42"), linked("43"), unlinked("42")))).not.toContainEqual(
      claim,
    );
  });
});

describe("a link that a person removes", () => {
  const idpIds = ["acme", "other"];
  const ways = waysBy(login.defaults, idpIds);
  const remove = (
    events: readonly UserEvent[],
    rules: Partial<LoginPolicy> = {},
    usable: readonly string[] = idpIds,
  ) =>
    unlinkOwnExternal(
      withoutPassword(begun("here"), begun("there"), ...events),
      { ...own, ...account, ways: waysBy({ ...login.defaults, ...rules }, usable) },
      now,
    );

  test("ends all other sessions, and the person is told", () => {
    const { events } = remove([verified, password, linked("42")]);
    expect(events.user).toEqual([
      {
        type: "user.human.externalidp.removed",
        payload: { ...account, sessions: ["here"] },
      },
      { type: "user.human.notice.added", payload: { about: "externalidp.removed" } },
    ]);
    const [removed] = events.user ?? [];
    const { human } = given(begun("here"), begun("there"), linked("42"), linked("43"), removed!);
    expect(human?.login?.sessions.map(({ sessionId }) => sessionId)).toEqual(["here"]);
    expect(human?.login?.browsers).toEqual([]);
    expect(human?.externalIDPs).toMatchObject([{ externalUserId: "43" }]);
  });

  const forced = { forceMfa: true, secondFactors: [] } as const;
  test.each<[string, readonly UserEvent[], Partial<LoginPolicy>, string | undefined]>([
    ["a password", [password], {}, undefined],
    ["a password that the policy forbids", [password], { allowPassword: false }, "LAST_WAY_IN"],
    ["a password that is not enough", [password], forced, "LAST_WAY_IN"],
    ["a password with a code to set up", [password], { forceMfa: true }, undefined],
    ["a password with a code", [password, app], forced, undefined],
    ["a passkey", [passkey], {}, undefined],
    ["a passkey that is two factors", [passkey], forced, undefined],
    ["a passkey that the policy forbids", [passkey], { allowPasskeys: false }, "LAST_WAY_IN"],
    ["another account there", [linked("43")], {}, undefined],
    ["another account that is not enough", [linked("43")], forced, "LAST_WAY_IN"],
    ["another account with a code", [linked("43"), app], forced, undefined],
    ["another that the policy forbids", [linked("43")], { allowExternal: false }, "LAST_WAY_IN"],
    ["another provider", [linked("42", "other")], {}, undefined],
    ["nothing else", [], {}, "LAST_WAY_IN"],
  ])("leaves %s, or stays", (_other, events, allowed, reason) => {
    expect(remove([linked("42"), ...events], allowed).rejection?.reason).toBe(reason);
  });

  test("stays where another provider is not offered", () => {
    const { rejection } = remove([linked("42"), linked("42", "other")], {}, ["acme"]);
    expect(rejection?.reason).toBe("LAST_WAY_IN");
  });

  test("is refused where there is none, and outside of a session", () => {
    expect(remove([password, linked("43")]).rejection?.reason).toBe("IDP_LINK_NOT_FOUND");
    const elsewhere = given(begun("there"), password, linked("42"));
    const decision = unlinkOwnExternal(elsewhere, { ...own, ...account, ways }, now);
    expect(decision.rejection?.reason).toBe("UNAUTHENTICATED");
  });

  test("is removed as often as there is room for in a day", () => {
    const { factorsOfDay } = dayLimits;
    const removedAfter = (count: number) => {
      const before = Array.from({ length: count }, (_, i) => unlinked(`${i}`));
      return unlinkOwnExternal(
        given(...before, begun("here"), password, linked("42")),
        { ...own, ...account, ways },
        now,
      );
    };
    expect(removedAfter(factorsOfDay - 1).rejection).toBeUndefined();
    expect(removedAfter(factorsOfDay).rejection?.reason).toBe("LIMIT_REACHED");
  });
});
