import { describe, expect, test } from "@jest/globals";
import {
  type AppEvent,
  type AppState,
  app,
  type OIDCAuthMethod,
  type OIDCSettings,
} from "../../src/domain/app/app.ts";
import { configureApp, renameApp } from "../../src/domain/app/change.ts";
import { addOIDCApp, completeSettings } from "../../src/domain/app/create.ts";
import type { ProjectState } from "../../src/domain/project.ts";
import { oidcDefaults } from "../cases/stored.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
const project = { organization: "org-a", name: "Shop" } as ProjectState;
const frame = { organization: "org-a", projectId: "p1" };
const client = { clientId: "c1", clientSecretHash: "h1" };

function oidc(settings: Partial<OIDCSettings> = {}, of: Partial<typeof client> = client): AppState {
  const config = { kind: "oidc", clientId: "c1", ...of, ...oidcDefaults, ...settings } as const;
  return { projectId: "p1", name: "Web", config };
}

const inactive: AppState = { ...oidc(), isInactive: true };
const others: readonly (readonly [string, AppState])[] = [
  ["API", { ...oidc(), config: { kind: "api", authMethod: "BASIC", ...client } }],
  ["SAML", { ...oidc(), config: { kind: "saml", entityId: "e", metadataXml: "<a/>" } }],
  ["one without settings", { projectId: "p1", name: "Web" }],
];

const rename = (state: AppState | undefined, name: string, at = frame) =>
  renameApp({ app: state, project }, { ...at, name });
const update = (state: AppState | undefined, settings: Partial<OIDCSettings>, at = frame) =>
  configureApp(
    { app: state, project },
    at,
    "oidc",
    completeSettings({ ...oidcDefaults, ...settings }),
  );

/** Where nothing is found, whatever is asked. */
const nowhere = [
  ["no application", undefined, frame, "APP_NOT_FOUND"],
  ["one of another project", { ...oidc(), projectId: "p2" }, frame, "APP_NOT_FOUND"],
  ["a project of others", oidc(), { ...frame, organization: "b" }, "PROJECT_NOT_FOUND"],
] as const;

describe("renameApp", () => {
  test.each([
    ["another name", oidc(), "Shop"],
    ["its name in another case", oidc(), "WEB"],
    ["the name of an inactive one", inactive, "Shop"],
    ...others.map(([what, state]) => [what, state, "Shop"] as const),
  ] as const)("records %s and nothing else", (_, state, name) => {
    const event = { type: "project.application.changed", payload: { name } } as const;
    expect(rename(state, name)).toEqual({ events: { app: [event] } });
    expect(app.evolve(state, { ...event, ...envelope })).toStrictEqual({ ...state, name });
  });

  test.each(nowhere)("refuses %s", (_, state, at, reason) => {
    expect(rename(state, "Shop", at).rejection?.reason).toBe(reason);
    expect(rename(state, "Web", at).rejection?.reason).toBe(reason);
  });

  test("refuses the name that it has", () => {
    expect(rename(oidc(), "Web").rejection?.reason).toBe("NOTHING_CHANGED");
  });
});

describe("configureApp", () => {
  const settings: readonly Partial<OIDCSettings>[] = [
    { redirectUris: ["https://a.example.com/cb"] },
    { responseTypes: ["ID_TOKEN"], grantTypes: ["IMPLICIT"] },
    { appType: "NATIVE" },
    { postLogoutRedirectUris: ["https://a.example.com/"] },
    { devMode: true },
    { accessTokenType: "JWT" },
    { accessTokenRoleAssertion: true },
    { idTokenRoleAssertion: true },
    { idTokenUserinfoAssertion: true },
    { clockSkewNanos: 1 },
    { additionalOrigins: ["https://a.example.com"] },
    { skipNativeAppSuccessPage: true },
    { backChannelLogoutUri: "https://a.example.com/logout" },
    { authMethod: "POST" },
  ];
  test.each(settings)("records all settings with %j, and leaves the client", (change) => {
    const payload = { ...oidcDefaults, ...change };
    const event = { type: "project.application.config.oidc.changed", payload } as const;
    expect(update(inactive, change)).toEqual({ events: { app: [event] } });
    const after = app.evolve(inactive, { ...event, ...envelope });
    expect(after).toStrictEqual({ ...oidc(change), isInactive: true });
    expect(app.claims(after!)).toEqual(app.claims(inactive));
  });

  test("takes away where the application is told of logouts", () => {
    const before = oidc({ backChannelLogoutUri: "https://a.example.com/logout" });
    const [event] = update(before, { backChannelLogoutUri: " " }).events.app ?? [];
    expect(app.evolve(before, { ...event!, ...envelope })).toStrictEqual(oidc());
  });

  test.each<[OIDCAuthMethod, boolean]>([
    ["BASIC", true],
    ["POST", true],
    ["NONE", false],
    ["PRIVATE_KEY_JWT", false],
  ])("leaves a client of the method %s its secret: %s", (authMethod, isKept) => {
    const change = { authMethod, devMode: true };
    const [event] = update(oidc(), change).events.app ?? [];
    const after = app.evolve(oidc(), { ...event!, ...envelope });
    expect(after).toStrictEqual(oidc(change, isKept ? client : {}));
    // Nobody knows a secret of before, so none comes back.
    const [back] = update(after, {}).events.app ?? [];
    const again = app.evolve(after, { ...back!, ...envelope });
    expect(again).toStrictEqual(oidc({}, isKept ? client : {}));
  });

  test.each(nowhere)("refuses %s", (_, state, at, reason) => {
    expect(update(state, { devMode: true }, at).rejection?.reason).toBe(reason);
  });

  test.each(others)("refuses %s", (_, state) => {
    expect(update(state, {}).rejection?.reason).toBe("APP_NOT_OIDC");
  });

  test.each([
    ["the same", oidc({ redirectUris: ["a:b"] }), { redirectUris: ["a:b"] }],
    ["the same with white space", oidc({ redirectUris: ["a:b"] }), { redirectUris: [" a:b "] }],
    ["the same as left out", oidc(), { responseTypes: [], grantTypes: [] }],
  ] as const)("refuses %s", (_, state, given) => {
    expect(update(state, given).rejection?.reason).toBe("NOTHING_CHANGED");
  });

  test("takes the same entries in another order for a change", () => {
    const state = oidc({ redirectUris: ["a:b", "c:d"] });
    expect(update(state, { redirectUris: ["c:d", "a:b"] }).rejection).toBeUndefined();
  });
});

describe("the state", () => {
  test.each(others)("has no OIDC settings to replace in %s", (_, state) => {
    const type = "project.application.config.oidc.changed";
    const event = { type, payload: oidcDefaults, ...envelope } as const;
    expect(() => app.evolve(state, event)).toThrow("only settings of the kind oidc");
  });
});

describe("laws", () => {
  const command = fc
    .record({
      what: fc.constantFrom("rename", "update"),
      name: fc.constantFrom("Web", "WEB", "Shop"),
      authMethod: fc.constantFrom<OIDCAuthMethod>("BASIC", "NONE"),
      devMode: fc.boolean(),
    })
    .map<LifeCommand<AppState, AppEvent>>(({ what, name, ...settings }) => (state) => {
      const complete = completeSettings({ ...oidcDefaults, ...settings });
      if (state === undefined) {
        const { events } = addOIDCApp({ project }, { ...frame, ...client, name }, complete);
        return { events: events.app ?? [] };
      }
      const { events, rejection } =
        what === "rename" ? rename(state, name) : update(state, settings);
      return { events: events.app ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(app, command);
});
