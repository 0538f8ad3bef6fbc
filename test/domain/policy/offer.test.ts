import { describe, expect, test } from "@jest/globals";
import type { IDPState } from "../../../src/domain/idp.ts";
import {
  login,
  loginPolicy,
  type NamingPolicy,
  stricter,
} from "../../../src/domain/policy/login.ts";
import { nameProvider, type Offered, usableProviders } from "../../../src/domain/policy/offer.ts";
import type { PolicyState } from "../../../src/domain/policy/policy.ts";

const { defaults } = login;
const providers: readonly Offered[] = [
  { id: "all", state: { serves: "INSTANCE" } },
  { id: "other", state: { serves: "INSTANCE" } },
  { id: "own", state: { serves: "ORGANIZATION" } },
  { id: "idle", state: { serves: "ORGANIZATION", isInactive: true } },
];

describe("the providers that a login offers", () => {
  test.each<[string, Partial<NamingPolicy> & { readonly isDefault: boolean }, readonly string[]]>([
    ["all by a default without a list", { isDefault: true }, ["all", "other", "own"]],
    ["its own by a default with none", { isDefault: true, idps: [] }, ["own"]],
    ["its own, and those of the default", { isDefault: true, idps: ["all"] }, ["all", "own"]],
    ["none by a default that allows none", { isDefault: true, allowExternal: false }, []],
    ["none by a policy that names none", { isDefault: false, idps: [] }, []],
    ["none by a policy without a list", { isDefault: false }, []],
    ["those named, if in use", { isDefault: false, idps: ["own", "idle", "all"] }, ["all", "own"]],
    ["none of those named", { isDefault: false, idps: ["own"], allowExternal: false }, []],
  ])("are %s", (_those, policy, ids) => {
    const offered = usableProviders({ ...defaults, ...policy }, providers);
    expect(offered.map(({ id }) => id)).toEqual(ids);
  });

  test("are none where either of two policies allows none", () => {
    const without = { ...defaults, allowExternal: false };
    expect(stricter(defaults, defaults).allowExternal).toBe(true);
    expect(stricter(without, defaults).allowExternal).toBe(false);
    expect(stricter(defaults, without).allowExternal).toBe(false);
  });
});

describe("a provider that a policy names", () => {
  const idp: IDPState = {
    ...{ name: "Acme", serves: "ORGANIZATION", stylingType: "UNSPECIFIED", autoRegister: false },
    template: "OIDC",
    organization: "org-a",
  };
  const serving: IDPState = { ...idp, serves: "INSTANCE" };
  test.each<[string, string | undefined, IDPState | undefined, string | undefined]>([
    ["the organization's own", "org-a", idp, undefined],
    ["another organization's", "org-b", idp, "IDP_NOT_USABLE"],
    ["one that is gone", "org-a", undefined, "IDP_NOT_USABLE"],
    ["one of the instance", "org-b", serving, undefined],
    ["one of the instance, by the default", undefined, serving, undefined],
    ["an organization's, by the default", undefined, idp, "IDP_NOT_USABLE"],
  ])("is %s, or is refused", (_what, organization, state, reason) => {
    const named = { idpId: "acme", organization };
    const { rejection } = nameProvider(defaults, { "idp-acme": state }, named);
    expect(rejection?.reason).toBe(reason);
  });
});

describe("a policy", () => {
  const envelope = { owner: "org-a", actor: "ada", timeMs: 0 };
  const { allowExternal: _new, ...before } = defaults;
  const evolved = (
    type: "policy.login.added" | "policy.login.changed",
    state?: PolicyState<NamingPolicy>,
  ) => loginPolicy.evolve(state, { type, payload: before as NamingPolicy, ...envelope });

  test("of before allows no logins by providers, and names none", () => {
    expect(evolved("policy.login.added")).toMatchObject({ allowExternal: false, idps: [] });
    expect(evolved("policy.login.changed")).toMatchObject({ allowExternal: false });
    expect(evolved("policy.login.changed")).not.toHaveProperty("idps");
  });

  test("keeps what it names when it is replaced", () => {
    const own = { ...defaults, idps: ["a"], organization: "org-a", isOwn: true } as const;
    expect(evolved("policy.login.changed", own)).toMatchObject({ idps: ["a"], isOwn: true });
  });

  test("of the first organization claims beside the default what both name", () => {
    const named = { ...defaults, idps: ["a"], organization: "org-a" };
    const claims = [named, { ...named, isOwn: true as const }].map((one) =>
      loginPolicy.claims(one),
    );
    expect(claims[0]).not.toEqual(claims[1]);
  });
});
