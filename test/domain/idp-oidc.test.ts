import { describe, expect, test } from "@jest/globals";
import { type Update, updateOIDCConfig } from "../../src/domain/idp-change.ts";
import type { OIDCSettings } from "../../src/domain/idp-config.ts";
import type { Membership, Role, Scope } from "../../src/domain/permission.ts";
import { ofInstance, ofOrganization, rightsOf, settings, stateOf } from "./idps.ts";

describe("updateOIDCConfig", () => {
  const holding = (role: Role, scope: Scope): readonly Membership[] => [{ scope, roles: [role] }];
  const inOrg = (organization: string) => ({ level: "organization", organization }) as const;
  const adminRoles = holding("IAM_OWNER", { level: "instance" });
  const admin = rightsOf(adminRoles);
  const changed = { ...settings, clientId: "other" };
  const updateOf = (given: OIDCSettings, clientSecret: string | undefined): Update => ({
    settings: given,
    ...(clientSecret === undefined ? {} : { clientSecret }),
  });

  test("replaces the settings as a whole, and keeps a secret that is not given", () => {
    const empty: OIDCSettings = {
      ...settings,
      scopes: [],
      displayNameMapping: "UNSPECIFIED",
      usernameMapping: "UNSPECIFIED",
    };
    const given = { idp: ofOrganization, linked: 0 };
    expect(updateOIDCConfig(given, admin, { settings: empty })).toEqual({
      events: {
        idp: [{ type: "idp.oidc.config.changed", payload: empty }],
      },
    });
  });

  test.each([
    ["the same settings and a secret", settings, "resealed", undefined],
    ["the same settings", settings, undefined, "NOTHING_CHANGED"],
    ["another client id", changed, undefined, undefined],
    ["another issuer", { ...settings, issuer: "https://a.example" }, "its own", undefined],
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
    const states = { idp: ofOrganization, linked: 0 };
    const { events, rejection } = updateOIDCConfig(states, admin, updateOf(given, secret));
    expect(rejection?.reason).toBe(reason);
    const payload = secret === undefined ? given : { ...given, clientSecret: secret };
    const written = [{ type: "idp.oidc.config.changed", payload }];
    expect(events.idp).toEqual(reason === undefined ? written : undefined);
  });

  const jwtProvider = stateOf("JWT", { serves: "INSTANCE" });
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
    const states = { idp: state, linked: 0 };
    const reach = rightsOf(memberships);
    expect(updateOIDCConfig(states, reach, { settings: changed }).rejection?.reason).toBe(reason);
  });
});
