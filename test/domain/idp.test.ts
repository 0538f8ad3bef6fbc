import { describe, expect, test } from "@jest/globals";
import { type IDPEvent, type IDPState, idp, servesOrganization } from "../../src/domain/idp.ts";
import { addIDP } from "../../src/domain/idp-change.ts";
import { mayBeSilent, oidcDefaults, optionsOf, signInOf } from "../../src/domain/idp-sign-in.ts";
import {
  client,
  config,
  envelope,
  inOrganization,
  jwt,
  ofInstance,
  ofOrganization,
  options,
  settings,
  setups,
} from "./idps.ts";

function fold(events: readonly IDPEvent[]): IDPState | undefined {
  return events.reduce<IDPState | undefined>(
    (state, event) => idp.evolve(state, { ...event, ...envelope }),
    undefined,
  );
}

const oidc = { ...settings, clientSecret: "sealed" };
/** The events that the calls of before left, which name neither a template nor options. */
const earlier: { readonly [template: string]: readonly IDPEvent[] } = {
  OIDC: [
    { type: "idp.config.added", payload: inOrganization },
    { type: "idp.oidc.config.added", payload: oidc },
  ],
  JWT: [
    { type: "idp.config.added", payload: { ...config, serves: "INSTANCE" } },
    { type: "idp.jwt.config.added", payload: jwt },
  ],
};

describe("the state", () => {
  test.each([
    ["JWT", "INSTANCE", ""],
    ["OIDC", "ORGANIZATION", "org-a"],
  ] as const)("of the type %s claims its name where it serves", (template, serves, scope) => {
    const state = fold(earlier[template]!);
    expect(state).toMatchObject({ ...config, serves, organization: "org-a" });
    expect(idp.claims(state!)).toEqual([{ kind: "idp.name", scope, value: "portal" }]);
    expect(idp.row(state!)).toEqual({ parent: scope, fields: { name: "Portal", serves } });
  });

  test.each(["OIDC", "JWT"])("of earlier events has the template of its protocol: %s", (name) => {
    const state = fold(earlier[name]!);
    expect(state).toMatchObject({ template: name });
    expect(state).not.toHaveProperty("options");
    expect(state).not.toHaveProperty("isInactive");
  });

  test.each([true, false])("of earlier events has options that follow: %s", (autoRegister) => {
    expect(optionsOf({ ...fold(earlier.OIDC!)!, autoRegister })).toEqual({
      ...{ isLinkingAllowed: true, isCreationAllowed: true, isAutoCreation: autoRegister },
      ...{ isAutoUpdate: false, autoLinking: "NONE" },
    });
  });

  test("of a template has what it was created with", () => {
    for (const setup of setups) {
      const { template } = setup;
      const state = fold(addIDP({ ...inOrganization, options }, setup).events.idp!);
      expect(state).toMatchObject({ ...config, template, options });
      expect(optionsOf(state!)).toEqual(options);
    }
  });

  test("has the latest configuration", () => {
    const payload = { ...oidc, clientId: "other", clientSecret: "resealed" };
    const state = fold([...earlier.OIDC!, { type: "idp.oidc.config.changed", payload }]);
    expect(state?.oidc).toEqual(payload);
  });

  test("keeps the secret where a change gives none", () => {
    const payload = { ...settings, clientId: "other" };
    const state = fold([...earlier.OIDC!, { type: "idp.oidc.config.changed", payload }]);
    expect(state?.oidc).toEqual({ ...payload, clientSecret: "sealed" });
  });

  test("of a client has the latest configuration, and keeps the secret", () => {
    const google = addIDP(inOrganization, setups[2]!).events.idp!;
    const payload = { ...client, clientId: "other" };
    const state = fold([...google, { type: "idp.client.config.changed", payload }]);
    expect(state?.client).toEqual({ ...payload, clientSecret: "sealed" });
  });

  test("is out of use and back in it", () => {
    const out = fold([...earlier.OIDC!, { type: "idp.deactivated", payload: {} }]);
    expect(out).toEqual({ ...fold(earlier.OIDC!), isInactive: true });
    const back = idp.evolve(out, { type: "idp.reactivated", payload: {}, ...envelope });
    expect(back).toEqual(fold(earlier.OIDC!));
  });

  test("begins with what every provider has", () => {
    const last = [...setups].map((setup) => addIDP(inOrganization, setup).events.idp![1]!);
    for (const event of last) expect(() => fold([event])).toThrow("first event");
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "idp.renamed", payload: {}, ...envelope } as never;
    expect(() => idp.evolve(undefined, unknown)).toThrow("idp.renamed");
  });
});

test.each([
  ["one of the organization", ofOrganization, "org-a", true],
  ["one of another", ofOrganization, "org-b", false],
  ["one of the instance", ofInstance, "org-b", true],
  ["none", undefined, "org-a", false],
])("whether %s serves the organization", (_, state, organization, expected) => {
  expect(servesOrganization(state, organization)).toBe(expected);
});

test.each<readonly [IDPState["template"], boolean]>([
  ["OIDC", false],
  ["JWT", false],
  ["GOOGLE", true],
  ["GITHUB", true],
  ["AZURE_AD", true],
])("whether %s is believed where it does not say when it asked", (template, expected) => {
  expect(mayBeSilent({ template })).toBe(expected);
});

describe("how one logs in", () => {
  const at = (changed: Partial<IDPState>): IDPState => ({ ...ofOrganization, ...changed });
  const sealed = { clientId: "client", clientSecret: "sealed" };
  const unmapped = { displayNameMapping: "UNSPECIFIED", usernameMapping: "UNSPECIFIED" } as const;
  const entra = "https://login.microsoftonline.com";
  const some = { ...sealed, scopes: ["openid"] };
  const openId = {
    kind: "oidc",
    ...oidcDefaults,
    ...unmapped,
    ...some,
    verifies: "CLAIM",
    subject: "SUB",
    anew: "login",
  };
  const azure = (tenant: string, trustsEmail = false) =>
    at({ template: "AZURE_AD", client: { ...some, tenant, trustsEmail } });

  test.each([
    ["by OIDC", ofOrganization, { ...openId, ...oidc, isIdTokenMapping: false, usesPkce: true }],
    [
      "without PKCE",
      at({ oidc: { ...oidc, usesPkce: false, isIdTokenMapping: true } }),
      { ...openId, ...oidc, usesPkce: false, isIdTokenMapping: true },
    ],
    ["by a JWT", at({ template: "JWT", jwt }), { kind: "jwt", ...jwt }],
    [
      "at Google",
      at({ template: "GOOGLE", client: some }),
      { ...openId, issuer: "https://accounts.google.com", anew: "select_account" },
    ],
    [
      "at Entra, where no address is verified",
      azure("common"),
      { ...openId, issuer: `${entra}/common/v2.0`, verifies: "NEVER", subject: "TENANT" },
    ],
    [
      "at a tenant that vouches for the addresses of its domains",
      azure("a-tenant", true),
      { ...openId, issuer: `${entra}/a-tenant/v2.0`, verifies: "XMS_EDOV", subject: "TENANT" },
    ],
    [
      "at Entra by accounts of people alone, which have a tenant",
      azure("consumers"),
      {
        ...openId,
        issuer: `${entra}/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0`,
        verifies: "NEVER",
        subject: "TENANT",
      },
    ],
    [
      "at GitHub",
      at({ template: "GITHUB", client: some }),
      { kind: "github", ...sealed, scopes: ["openid"] },
    ],
  ])("%s", (_, state, expected) => {
    expect(signInOf(state)).toEqual(expected);
  });

  test.each([
    ["what nobody says, by OIDC", at({ oidc: { ...oidc, scopes: [] } }), "openid profile email"],
    ["openid besides the others", at({ oidc: { ...oidc, scopes: ["email"] } }), "openid email"],
    ["openid once", at({ oidc: { ...oidc, scopes: ["email", "openid"] } }), "email openid"],
    [
      "what nobody says, at GitHub",
      at({ template: "GITHUB", client: { ...some, scopes: [] } }),
      "read:user user:email",
    ],
  ])("asks for %s", (_, state, expected) => {
    expect((signInOf(state) as { readonly scopes: readonly string[] }).scopes.join(" ")).toBe(
      expected,
    );
  });
});
