import { describe, expect, test } from "@jest/globals";
import { type IDPEvent, type IDPState, idp } from "../../src/domain/idp.ts";
import {
  addIDP,
  type Reach,
  sealIDPAnew,
  secretOf,
  switchIDP,
  type Update,
  updateIDP,
} from "../../src/domain/idp-change.ts";
import type { Template } from "../../src/domain/idp-config.ts";
import { fc } from "../harness/laws.ts";
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
  stateOf,
} from "./idps.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const update = (state: IDPState | undefined, given: Update, linked = 0, reach: Reach = "ALL") =>
  updateIDP({ idp: state, linked }, reach, given);

describe("addIDP", () => {
  test("records what the calls of before recorded", () => {
    expect(addIDP(inOrganization, setups[0]!)).toEqual({
      events: {
        idp: [
          { type: "idp.config.added", payload: inOrganization },
          { type: "idp.oidc.config.added", payload: { ...settings, clientSecret: "sealed" } },
        ],
      },
    });
  });

  test.each(setups)("records a provider of the template $template", (setup) => {
    const { template, settings: given, ...secret } = setup;
    const part = { OIDC: "oidc", JWT: "jwt" }[template as "OIDC"] ?? "client";
    expect(addIDP({ ...inOrganization, options }, setup).events.idp).toEqual([
      {
        type: "idp.config.added",
        payload: { ...inOrganization, options, ...(part === "client" ? { template } : {}) },
      },
      { type: `idp.${part}.config.added`, payload: { ...given, ...secret } },
    ]);
  });
});

describe("updateIDP", () => {
  const changedConfig = (payload: object) => [{ type: "idp.config.changed", payload }];
  const before = { name: config.name, stylingType: config.stylingType, autoRegister: true };

  test("changes the name, the button and whether users are created", () => {
    const given = { name: "Other", stylingType: "UNSPECIFIED", autoRegister: false } as const;
    expect(update(ofOrganization, { config: given }).events.idp).toEqual(changedConfig(given));
  });

  test("gives a provider of before options, and keeps what the call does not say", () => {
    expect(update(ofOrganization, { config: { name: "Portal", options } }).events.idp).toEqual(
      changedConfig({ ...before, autoRegister: false, options }),
    );
  });

  test("finds nothing changed by options that hold already", () => {
    const held = { ...options, isCreationAllowed: true, isAutoCreation: true };
    const asBefore = { ...held, isAutoUpdate: false, autoLinking: "NONE" } as const;
    expect(update(ofOrganization, { config: { options: asBefore } }).rejection?.reason).toBe(
      "NOTHING_CHANGED",
    );
  });

  test("keeps automatic creation the same in options and beside them", () => {
    const open = { ...options, isCreationAllowed: true };
    const state = stateOf("GOOGLE", { options: open });
    expect(update(state, { config: { autoRegister: true } }).events.idp).toEqual(
      changedConfig({ ...before, options: { ...open, isAutoCreation: true } }),
    );
  });

  test("refuses to create users where the options do not allow it", () => {
    const state = stateOf("GOOGLE");
    expect(update(state, { config: { autoRegister: true } }).rejection).toMatchObject({
      reason: "INVALID_FIELDS",
      violations: [{ field: "auto_register" }],
    });
  });

  test("changes config and protocol at once, each with an event", () => {
    const given = { config: { name: "Other" }, settings: { ...client, clientId: "other" } };
    expect(update(stateOf("GITHUB"), given).events.idp).toEqual([
      ...changedConfig({ ...before, name: "Other", autoRegister: false, options }),
      { type: "idp.client.config.changed", payload: { ...client, clientId: "other" } },
    ]);
  });

  test.each(setups)("takes a new secret of $template as a change", ({ template, ...setup }) => {
    const state = stateOf(template);
    const given = { settings: setup.settings, clientSecret: "resealed" };
    expect(update(state, { settings: setup.settings }).rejection?.reason).toBe("NOTHING_CHANGED");
    const [event] = update(state, given).events.idp ?? [];
    expect(event?.payload).toEqual({ ...setup.settings, clientSecret: "resealed" });
  });

  test("changes no provider of another template", () => {
    const { rejection } = updateIDP(
      { idp: stateOf("GOOGLE"), linked: 0 },
      "ALL",
      { config: { name: "Other" } },
      "GITHUB",
    );
    expect(rejection).toEqual({
      reason: "IDP_OTHER_TEMPLATE",
      message: "The identity provider has the template GOOGLE: use the update of that one.",
    });
  });

  test.each([
    ["another issuer", "OIDC", { issuer: "https://evil.example" }, "IDP_IN_USE"],
    ["another issuer of tokens", "JWT", { issuer: "evil" }, "IDP_IN_USE"],
    ["other keys", "JWT", { keysEndpoint: "https://evil.example" }, "IDP_IN_USE"],
    ["another header", "JWT", { headerName: "x-other" }, undefined],
    ["another client", "OIDC", { clientId: "other" }, undefined],
    // Who a user is has the id of the tenant in it.
    ["another tenant", "AZURE_AD", { tenant: "organizations" }, undefined],
  ] as const)("where users are linked, with %s", (_, template, given, reason) => {
    expect(update(stateOf(template), { settings: given }, 2).rejection?.reason).toBe(reason);
    const secret = template === "JWT" ? {} : { clientSecret: "its own" };
    expect(update(stateOf(template), { settings: given, ...secret }).rejection).toBeUndefined();
  });

  test.each([
    ["its own", ofOrganization, "org-a", undefined],
    ["another's", ofOrganization, "org-b", "IDP_NOT_FOUND"],
    ["one that it owns and that serves all", ofInstance, "org-a", "IDP_NOT_FOUND"],
    ["none", undefined, "org-a", "IDP_NOT_FOUND"],
  ])("of an organization: %s", (_, state, organization, reason) => {
    const given = { config: { name: "Other" } };
    expect(update(state, given, 0, { organization }).rejection?.reason).toBe(reason);
    expect(switchIDP(state, { organization }, true).rejection?.reason).toBe(reason);
  });
});

test("switchIDP takes a provider out of use once, and brings it back once", () => {
  const out = { ...ofOrganization, isInactive: true } as const;
  const event = (type: string) => ({ events: { idp: [{ type, payload: {} }] } });
  expect(switchIDP(ofOrganization, "ALL", true)).toEqual(event("idp.deactivated"));
  expect(switchIDP(out, "ALL", false)).toEqual(event("idp.reactivated"));
  expect(switchIDP(out, "ALL", true).rejection?.reason).toBe("NOTHING_CHANGED");
  expect(switchIDP(ofOrganization, "ALL", false).rejection?.reason).toBe("NOTHING_CHANGED");
});

test.each([
  ["OIDC", "sealed", "idp.oidc.secret.sealed"],
  ["GOOGLE", "sealed", "idp.client.secret.sealed"],
  ["GITHUB", "sealed", "idp.client.secret.sealed"],
  ["AZURE_AD", "sealed", "idp.client.secret.sealed"],
  ["JWT", undefined, undefined],
] as const)("the secret of %s is sealed anew", (template, secret, type) => {
  const state = stateOf(template);
  expect(secretOf(state)).toBe(secret);
  const written = type && [{ type, payload: { clientSecret: "anew" } }];
  expect(sealIDPAnew(state, { from: "sealed", to: "anew" }).events.idp).toEqual(written);
  expect(sealIDPAnew(state, { from: "other", to: "anew" })).toEqual({ events: {} });
  if (type === undefined) return;
  const event = { type, payload: { clientSecret: "anew" }, ...envelope } as IDPEvent &
    typeof envelope;
  expect(secretOf(idp.evolve(state, event)!)).toBe("anew");
});

describe("laws", () => {
  const template = fc.constantFrom<Template>("OIDC", "JWT", "GOOGLE", "GITHUB", "AZURE_AD");
  const one = fc.record({
    name: text(200),
    autoRegister: fc.boolean(),
    template,
    clientId: text(200),
    what: fc.constantFrom("config", "settings", "secret", "deactivate", "reactivate"),
    hasOptions: fc.boolean(),
  });
  const command = one.map<LifeCommand<IDPState, IDPEvent>>((given) => (state) => {
    const { name, autoRegister, clientId, what, hasOptions } = given;
    const made = setups.find((setup) => setup.template === given.template)!;
    const named = hasOptions ? { name, autoRegister: false, options } : { name, autoRegister };
    const changes: { readonly [what: string]: Update } = {
      config: { config: named },
      settings: { settings: state?.template === "JWT" ? jwt : { clientId } },
      secret: state?.template === "JWT" ? {} : { clientSecret: name },
    };
    const change = changes[what];
    const { events, rejection } =
      state === undefined
        ? addIDP({ ...inOrganization, ...named }, made)
        : change === undefined
          ? switchIDP(state, "ALL", what === "deactivate")
          : update(state, change);
    return { events: events.idp ?? [], ...(rejection ? { rejection } : {}) };
  });

  holdLaws(idp, command);
});
