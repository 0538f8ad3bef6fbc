import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  addJWTIDP,
  addOrgOIDCIDP,
  type IDPEvent,
  type IDPState,
  idp,
  type JWTProvider,
  type OIDCProvider,
  type OIDCSettings,
  type ProviderRights,
  servesOrganization,
  updateOIDCConfig,
} from "../../src/domain/idp.ts";
import type { Membership, Role, Scope } from "../../src/domain/permission.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
const config = { name: "Portal", stylingType: "GOOGLE", autoRegister: true } as const;
const jwt: JWTProvider = {
  jwtEndpoint: "https://idp.example.com/jwt",
  issuer: "idp",
  keysEndpoint: "https://idp.example.com/keys",
  headerName: "x-jwt",
};
const settings: OIDCSettings = {
  issuer: "https://idp.example.com",
  clientId: "client",
  scopes: ["openid", "email"],
  displayNameMapping: "EMAIL",
  usernameMapping: "PREFERRED_USERNAME",
};
const oidc: OIDCProvider = { ...settings, clientSecret: "sealed" };
const ofOrganization: IDPState = {
  ...config,
  serves: "ORGANIZATION",
  organization: "org-a",
  oidc,
};
const ofInstance: IDPState = { ...ofOrganization, serves: "INSTANCE" };

function fold(events: readonly IDPEvent[]): IDPState | undefined {
  return events.reduce<IDPState | undefined>(
    (state, event) => idp.evolve(state, { ...event, ...envelope }),
    undefined,
  );
}

describe("addJWTIDP", () => {
  test("records a provider that serves every organization", () => {
    expect(addJWTIDP(config, jwt)).toEqual({
      events: {
        idp: [
          { type: "idp.config.added", payload: { ...config, serves: "INSTANCE" } },
          { type: "idp.jwt.config.added", payload: jwt },
        ],
      },
    });
  });
});

describe("addOrgOIDCIDP", () => {
  test("records a provider that serves the organization that owns it", () => {
    expect(addOrgOIDCIDP(config, oidc)).toEqual({
      events: {
        idp: [
          { type: "idp.config.added", payload: { ...config, serves: "ORGANIZATION" } },
          { type: "idp.oidc.config.added", payload: oidc },
        ],
      },
    });
  });
});

describe("updateOIDCConfig", () => {
  const holding = (role: Role, scope: Scope): readonly Membership[] => [{ scope, roles: [role] }];
  const inOrg = (organization: string) => ({ level: "organization", organization }) as const;
  const adminRoles = holding("IAM_OWNER", { level: "instance" });
  const admin = rightsOf(adminRoles);
  const changed = { ...settings, clientId: "other" };

  test("replaces the settings as a whole, and keeps a secret that is not given", () => {
    const empty: OIDCSettings = {
      ...settings,
      scopes: [],
      displayNameMapping: "UNSPECIFIED",
      usernameMapping: "UNSPECIFIED",
    };
    expect(updateOIDCConfig(ofOrganization, empty, undefined, admin)).toEqual({
      events: {
        idp: [{ type: "idp.oidc.config.changed", payload: empty }],
      },
    });
  });

  test.each([
    ["the same settings and a secret", settings, "resealed", undefined],
    ["the same settings", settings, undefined, "NOTHING_CHANGED"],
    ["another client id", changed, undefined, undefined],
    ["another issuer", { ...settings, issuer: "https://a.example" }, undefined, undefined],
    ["fewer scopes", { ...settings, scopes: ["openid"] }, undefined, undefined],
    ["more scopes", { ...settings, scopes: [...settings.scopes, "a"] }, undefined, undefined],
    ["other scopes", { ...settings, scopes: ["email", "openid"] }, undefined, undefined],
    [
      "another display name",
      { ...settings, displayNameMapping: "UNSPECIFIED" },
      undefined,
      undefined,
    ],
    ["another user name", { ...settings, usernameMapping: "UNSPECIFIED" }, undefined, undefined],
  ] as const)("with %s", (_, given, secret, reason) => {
    const { events, rejection } = updateOIDCConfig(ofOrganization, given, secret, admin);
    expect(rejection?.reason).toBe(reason);
    const payload = secret === undefined ? given : { ...given, clientSecret: secret };
    const written = [{ type: "idp.oidc.config.changed", payload }];
    expect(events.idp).toEqual(reason === undefined ? written : undefined);
  });

  const jwtProvider = fold(addJWTIDP(config, jwt).events.idp ?? []);
  const orgOwner = holding("ORG_OWNER", inOrg("org-a"));
  const settingsManager = holding("ORG_SETTINGS_MANAGER", inOrg("org-a"));
  test.each([
    ["the owner of the instance", adminRoles, ofOrganization, undefined],
    ["the owner of the instance", adminRoles, ofInstance, undefined],
    ["the owner of the instance", adminRoles, jwtProvider, "IDP_NOT_OIDC"],
    ["the owner of the instance", adminRoles, undefined, "IDP_NOT_FOUND"],
    ["the owner of the organization", orgOwner, ofOrganization, undefined],
    ["who sets the organization up", settingsManager, ofOrganization, undefined],
    ["who sets the organization up", settingsManager, ofInstance, "IDP_NOT_FOUND"],
    ["who sets the organization up", settingsManager, jwtProvider, "IDP_NOT_FOUND"],
    ["who sets the organization up", settingsManager, undefined, "IDP_NOT_FOUND"],
    [
      "who sets up another",
      holding("ORG_SETTINGS_MANAGER", inOrg("org-b")),
      ofOrganization,
      "IDP_NOT_FOUND",
    ],
    [
      "who views it all",
      holding("IAM_OWNER_VIEWER", { level: "instance" }),
      ofOrganization,
      "IDP_NOT_FOUND",
    ],
    ["who lost every role", [], ofOrganization, "IDP_NOT_FOUND"],
  ] as const)("by %s", (_, memberships, state, reason) => {
    const { rejection } = updateOIDCConfig(state, changed, undefined, rightsOf(memberships));
    expect(rejection?.reason).toBe(reason);
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

describe("the state", () => {
  test.each([
    ["jwt", addJWTIDP(config, jwt), "INSTANCE", ""],
    ["oidc", addOrgOIDCIDP(config, oidc), "ORGANIZATION", "org-a"],
  ] as const)("of the type %s claims its name where it serves", (_, decision, serves, scope) => {
    const state = fold(decision.events.idp ?? []);
    expect(state).toMatchObject({ ...config, serves, organization: "org-a" });
    expect(idp.claims(state!)).toEqual([{ kind: "idp.name", scope, value: "portal" }]);
    expect(idp.row(state!)).toEqual({ parent: scope, fields: { name: "Portal", serves } });
  });

  test("has the latest configuration", () => {
    const added = addOrgOIDCIDP(config, oidc).events.idp ?? [];
    const payload = { ...oidc, clientId: "other", clientSecret: "resealed" };
    const state = fold([...added, { type: "idp.oidc.config.changed", payload }]);
    expect(state?.oidc).toEqual(payload);
  });

  test("keeps the secret where a change gives none", () => {
    const added = addOrgOIDCIDP(config, oidc).events.idp ?? [];
    const { clientSecret, ...settings } = oidc;
    const payload = { ...settings, clientId: "other" };
    const state = fold([...added, { type: "idp.oidc.config.changed", payload }]);
    expect(state?.oidc).toEqual({ ...payload, clientSecret });
  });

  test("begins with what every provider has", () => {
    expect(() => fold([{ type: "idp.jwt.config.added", payload: jwt }])).toThrow("first event");
    expect(() => fold([{ type: "idp.oidc.config.added", payload: oidc }])).toThrow("first event");
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "idp.renamed", payload: {}, ...envelope } as never;
    expect(() => idp.evolve(undefined, unknown)).toThrow("idp.renamed");
  });
});

describe("laws", () => {
  const mapping = fc.constantFrom("UNSPECIFIED" as const, "EMAIL" as const);
  const given = fc.record({
    issuer: fc.constantFrom("https://a.example", "https://b.example/c", "no issuer"),
    clientId: text(200),
    scopes: fc.array(text(20), { maxLength: 3 }),
    displayNameMapping: mapping,
    usernameMapping: mapping,
  });
  const command = fc
    .record({
      name: text(200),
      given,
      secret: fc.option(text(20), { nil: undefined }),
      kind: fc.constantFrom("jwt" as const, "oidc" as const),
    })
    .map<LifeCommand<IDPState, IDPEvent>>((one) => (state) => {
      const named = { ...config, name: one.name };
      const { events, rejection } =
        state !== undefined
          ? updateOIDCConfig(
              state,
              one.given,
              one.secret,
              rightsOf([{ scope: { level: "instance" }, roles: ["IAM_OWNER"] }]),
            )
          : one.kind === "jwt"
            ? addJWTIDP(named, jwt)
            : addOrgOIDCIDP(named, { ...one.given, clientSecret: one.secret ?? "" });
      return { events: events.idp ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(idp, command);
});

/** What the contract lets who holds these change. */
function rightsOf(memberships: readonly Membership[]): ProviderRights {
  return { memberships, permission: "iam.idp.write", ownerPermission: "org.idp.write" };
}
