import { describe, expect, test } from "@jest/globals";
import {
  type APIAuthMethod,
  type AppEvent,
  type AppState,
  app,
  appsOf,
  type OIDCAuthMethod,
  refuseApp,
} from "../../src/domain/app/app.ts";
import { regenerateSecret, removeApp, switchApp } from "../../src/domain/app/change.ts";
import { addAPIApp, addSAMLApp } from "../../src/domain/app/create.ts";
import { reject } from "../../src/domain/decision.ts";
import type { ProjectState } from "../../src/domain/project.ts";
import { oidcDefaults } from "../cases/stored.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
const project = { organization: "org-a", name: "Shop" } as ProjectState;
const frame = { organization: "org-a", projectId: "p1" };
const client = { clientId: "c1", clientSecretHash: "h1" };

function api(authMethod: APIAuthMethod = "BASIC"): AppState {
  return { projectId: "p1", name: "Web", config: { kind: "api", authMethod, ...client } };
}

function oidc(authMethod: OIDCAuthMethod): AppState {
  const config = { kind: "oidc", ...oidcDefaults, authMethod, ...client } as const;
  return { projectId: "p1", name: "Web", config };
}

const saml: AppState = {
  ...{ projectId: "p1", name: "Web" },
  config: { kind: "saml", entityId: "https://sp.example.com", metadataXml: "<a/>" },
};
const bare: AppState = { projectId: "p1", name: "Web" };
const inactive: AppState = { ...api(), isInactive: true };

/** Where nothing is found, whatever is asked. */
const nowhere = [
  ["no application", undefined, project, frame, "APP_NOT_FOUND"],
  [
    "an application of another project",
    { ...api(), projectId: "p2" },
    project,
    frame,
    "APP_NOT_FOUND",
  ],
  ["an unknown project", api(), undefined, frame, "PROJECT_NOT_FOUND"],
  ["a project of others", api(), project, { ...frame, organization: "b" }, "PROJECT_NOT_FOUND"],
  ["nothing at all", undefined, undefined, frame, "PROJECT_NOT_FOUND"],
] as const;

describe("an application", () => {
  test("is found in its project", () => {
    expect(refuseApp({ app: saml, project }, frame)).toBeUndefined();
  });

  test.each(nowhere)("is not found: %s", (_, state, within, at, reason) => {
    const states = { app: state, project: within };
    const decisions = [
      removeApp(states, at),
      switchApp(states, { ...at, isInactive: true }),
      switchApp(states, { ...at, isInactive: false }),
      regenerateSecret(states, { ...at, type: "api", clientSecretHash: "h2" }),
    ];
    for (const { events, rejection } of decisions) {
      expect([events, rejection?.reason]).toEqual([{}, reason]);
    }
  });
});

test.each([
  ["an active one", api()],
  ["an inactive one", inactive],
  ["one without a configuration", bare],
])("removeApp records that %s goes", (_, state) => {
  expect(removeApp({ app: state, project }, frame)).toEqual({
    events: { app: [{ type: "project.application.removed", payload: {} }] },
  });
});

describe("switchApp", () => {
  test.each([
    ["an active application", saml, true, "project.application.deactivated"],
    ["an inactive application", inactive, false, "project.application.reactivated"],
  ] as const)("records that %s becomes the other", (_, state, isInactive, type) => {
    expect(switchApp({ app: state, project }, { ...frame, isInactive })).toEqual({
      events: { app: [{ type, payload: {} }] },
    });
  });

  test.each([
    ["active", api(), false],
    ["inactive", inactive, true],
  ])("refuses one that is %s already", (_, state, isInactive) => {
    const refused = switchApp({ app: state, project }, { ...frame, isInactive });
    expect(refused).toEqual(reject("NOTHING_CHANGED"));
  });

  test("does not ask whether the project is in use", () => {
    const states = { app: api(), project: { ...project, isInactive: true } as const };
    expect(switchApp(states, { ...frame, isInactive: true }).rejection).toBeUndefined();
  });
});

describe("regenerateSecret", () => {
  const again = (state: AppState, type: "oidc" | "api") =>
    regenerateSecret({ app: state, project }, { ...frame, type, clientSecretHash: "h2" });

  test.each([
    ["basic OIDC", oidc("BASIC"), "oidc"],
    ["OIDC by post", oidc("POST"), "oidc"],
    ["API", api(), "api"],
    ["inactive API", inactive, "api"],
  ] as const)("records the new secret of an application: %s", (_, state, type) => {
    const decision = again(state, type);
    const changed = `project.application.config.${type}.secret.changed`;
    expect(decision).toEqual({
      events: { app: [{ type: changed, payload: { clientSecretHash: "h2" } }] },
    });
    const [event] = decision.events.app ?? [];
    const after = app.evolve(state, { ...event!, ...envelope });
    expect(after).toEqual({ ...state, config: { ...state.config, clientSecretHash: "h2" } });
    expect(app.claims(after!)).toEqual(app.claims(state));
  });

  test.each([
    ["OIDC", oidc("BASIC"), "api", "The application does not have the type api."],
    ["API", api(), "oidc", "The application does not have the type oidc."],
    ["SAML", saml, "oidc", "The application does not have the type oidc."],
    ["SAML", saml, "api", "The application does not have the type api."],
    ["a bare one", bare, "api", "The application does not have the type api."],
    ["OIDC", oidc("NONE"), "oidc", "Clients with the method NONE have no client secret."],
    [
      ...["OIDC", oidc("PRIVATE_KEY_JWT"), "oidc"],
      "Clients with the method PRIVATE_KEY_JWT have no client secret.",
    ],
    [
      ...["API", api("PRIVATE_KEY_JWT"), "api"],
      "Clients with the method PRIVATE_KEY_JWT have no client secret.",
    ],
  ] as const)("refuses %s that has none, with its reason", (_, state, type, message) => {
    const rejection = { reason: "APP_WITHOUT_SECRET", message };
    expect(again(state, type)).toEqual({ events: {}, rejection });
  });
});

describe("the state", () => {
  test.each([
    ["deactivated", api(), "project.application.deactivated", inactive],
    ["reactivated", inactive, "project.application.reactivated", api()],
    ["removed", api(), "project.application.removed", undefined],
    ["removed", inactive, "project.application.removed", undefined],
  ] as const)("follows when it is %s", (_, before, type, after) => {
    expect(app.evolve(before, { type, payload: {}, ...envelope })).toStrictEqual(after);
  });

  test("is known to its project by a claim, in use or not", () => {
    expect(appsOf("p1")).toEqual({ kind: "app.name", scope: "p1" });
    expect(app.claims(inactive)).toEqual(app.claims(api()));
    expect(app.claims(inactive)[0]).toEqual({ ...appsOf("p1"), value: "web" });
  });

  test.each([
    ["project.application.deactivated", {}],
    ["project.application.reactivated", {}],
    ["project.application.config.api.secret.changed", { clientSecretHash: "h" }],
  ] as const)("begins with something else than %s", (type, payload) => {
    const event = { type, payload, ...envelope } as AppEvent & typeof envelope;
    expect(() => app.evolve(undefined, event)).toThrow("first event");
  });
});

describe("laws", () => {
  const command = fc
    .record({
      what: fc.constantFrom("api", "saml", "switch", "secret", "remove"),
      ...{ isInactive: fc.boolean(), isOIDC: fc.boolean(), isHere: fc.boolean() },
      hash: fc.constantFrom("h1", "h2"),
    })
    .map<LifeCommand<AppState, AppEvent>>((one) => (state) => {
      const { events, rejection } = decided(state, one);
      return { events: events.app ?? [], ...(rejection ? { rejection } : {}) };
    });

  function decided(
    state: AppState | undefined,
    one: { what: string; isInactive: boolean; isOIDC: boolean; isHere: boolean; hash: string },
  ) {
    const at = { ...frame, projectId: one.isHere ? "p1" : "p2" };
    const states = { app: state, project };
    switch (one.what) {
      case "switch":
        return switchApp(states, { ...at, isInactive: one.isInactive });
      case "secret": {
        const type = one.isOIDC ? "oidc" : "api";
        return regenerateSecret(states, { ...at, type, clientSecretHash: one.hash });
      }
      case "remove":
        return removeApp(states, at);
      default: {
        if (state !== undefined) return { events: {} };
        const place = { ...frame, name: one.hash };
        return one.what === "saml"
          ? addSAMLApp({ project }, place, { entityId: "e", metadataXml: "<a/>" })
          : addAPIApp({ project }, { ...place, ...client }, "BASIC");
      }
    }
  }

  holdLaws(app, command);
});
