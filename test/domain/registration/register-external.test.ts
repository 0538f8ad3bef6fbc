import { describe, expect, test } from "@jest/globals";
import { comerOf, type ExternalComer } from "../../../src/domain/comer.ts";
import type { IDPState } from "../../../src/domain/idp.ts";
import {
  followNames,
  type NewExternal,
  registerExternal,
} from "../../../src/domain/registration/register-external.ts";
import { dayLimits } from "../../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import { begun, deactivated, given, startMs, typesOf } from "../user/logins.ts";

const now = startMs + 1_000;
const said = {
  ...{ externalUserId: "42", displayName: "Ada Byron", userName: "ada" },
  ...{ firstName: "Ada", lastName: "Lovelace", preferredLanguage: "en" },
  ...{ email: "ada@example.com", isEmailVerified: true },
};
const comer = comerOf(said);
const { userName, firstName, lastName, email } = said;
const account = { userName, firstName, lastName, email };
const provider: IDPState = {
  ...{ name: "Acme", serves: "ORGANIZATION", stylingType: "UNSPECIFIED", autoRegister: false },
  ...{ template: "OIDC", organization: "org" },
};
const options = {
  ...{ isLinkingAllowed: true, isCreationAllowed: true, isAutoCreation: false },
  ...{ isAutoUpdate: false, autoLinking: "NONE" as const },
};

const whole: NewExternal = {
  ...{ idpId: "acme", organization: "org", preferredLanguage: "de", emailCode: "sealed" },
  ...{ comer, account },
};
const register = (more: Partial<NewExternal> = {}) =>
  registerExternal(provider, { ...whole, ...more }, now);
const by = (more: Partial<ExternalComer>) => ({ comer: { ...comer, ...more } });

describe("an account that comes of a provider", () => {
  test("is linked to it, and has no password", () => {
    const { events } = register();
    expect(typesOf(register())).toEqual([
      ...["user.human.added", "user.human.email.verified", "user.human.externalidp.added"],
    ]);
    const [added, , linked] = events?.user ?? [];
    expect(added?.payload).toMatchObject({ ...account, preferredLanguage: "de" });
    expect(added?.payload).not.toHaveProperty("passwordHash");
    expect(linked?.payload).toEqual({
      ...{ idpId: "acme", externalUserId: "42", displayName: "Ada Byron" },
    });
  });

  test.each<readonly [string, Partial<NewExternal>]>([
    ["the provider does not vouch for it", by({ isEmailVerified: false })],
    ["it is not the one that it vouches for", { account: { ...account, email: "a@example.com" } }],
    ["it is written another way", { account: { ...account, email: "Ada@example.com" } }],
  ])("has an address that is asked about, where %s", (_, more) => {
    const types = typesOf(register(more));
    expect(types).not.toContain("user.human.email.verified");
    expect(types).toContain("user.human.email.code.added");
    // Without room for a mail nothing is sent, and it stays unverified.
    const { emailCode: _none, ...unsent } = { ...whole, ...more };
    expect(typesOf(registerExternal(provider, unsent, now))).toEqual([
      ...["user.human.added", "user.human.externalidp.added"],
    ]);
  });

  test("names the action that says that an address is verified", () => {
    const { events } = register(by({ isEmailVerified: false, emailVerifiedBy: "action" }));
    const verified = events?.user?.find(({ type }) => type === "user.human.email.verified");
    expect(verified?.payload).toEqual({ action: "action" });
  });

  test.each<readonly [string, IDPState | undefined]>([
    ["is gone", undefined],
    ["is deactivated", { ...provider, isInactive: true }],
    ["creates nobody", { ...provider, options: { ...options, isCreationAllowed: false } }],
    ["is of another organization", { ...provider, organization: "other" }],
  ])("is refused where the provider %s", (_, state) => {
    const outcome = registerExternal(state, whole, now);
    expect(outcome.rejection?.reason).toBe("IDP_NOT_USABLE");
  });
});

describe("the names of a person who comes", () => {
  const human = { firstName: "Ada", lastName: "L", displayName: "Ada" };
  const gender = "UNSPECIFIED";
  const none = { firstName: "", lastName: "", displayName: "" };
  const follow = (names: Partial<typeof human>, ...events: readonly UserEvent[]) =>
    followNames(given(begun("s"), ...events), { ...none, ...names }, now);

  test("are those that the provider says, and others stay", () => {
    const { events } = follow({ lastName: "Lovelace" });
    expect(events?.user).toEqual([
      {
        type: "user.human.profile.changed",
        payload: expect.objectContaining({ ...human, lastName: "Lovelace" }),
      },
    ]);
  });

  test.each<readonly [string, Partial<typeof human>]>([
    ["says none", {}],
    ["says the same", human],
  ])("change nothing where it %s", (_, names) => {
    expect(follow(names).rejection?.reason).toBe("NOTHING_CHANGED");
  });

  test("are not those of somebody who is deactivated", () => {
    expect(follow({ lastName: "M" }, deactivated).rejection?.reason).toBe("UNAUTHENTICATED");
    expect(followNames(undefined, human, now).rejection?.reason).toBe("UNAUTHENTICATED");
  });

  test("stay until the first login, since no day is counted before", () => {
    expect(followNames(given(), { ...none, lastName: "M" }, now).events).toEqual({});
  });

  test("change so often in a day", () => {
    const changed = (lastName: string) => ({
      type: "user.human.profile.changed" as const,
      payload: { ...human, lastName, nickName: "", preferredLanguage: "", gender } as const,
    });
    const changes = Array.from({ length: dayLimits.changesOfDay }, (_, i) => changed(`${i}`));
    expect(follow({ lastName: "M" }, ...changes.slice(1)).rejection).toBeUndefined();
    expect(follow({ lastName: "M" }, ...changes).rejection?.reason).toBe("LIMIT_REACHED");
  });
});
