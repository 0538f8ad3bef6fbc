import { describe, expect, test } from "@jest/globals";
import {
  type AppEvent,
  type AppState,
  apiHasSecret,
  app,
  clockSkewNanosMax,
  type OIDCAuthMethod,
  type OIDCSettings,
  oidcHasSecret,
} from "../../src/domain/app/app.ts";
import {
  addAPIApp,
  addOIDCApp,
  type CompleteOIDCSettings,
  clockSkewProblem,
  completeSettings,
  flowViolations,
  type NewApp,
} from "../../src/domain/app/create.ts";
import { checkCompliance } from "../../src/domain/oidc-compliance.ts";
import type { ProjectState } from "../../src/domain/project.ts";
import { redirectUriProblem } from "../../src/domain/uri.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const project = { organization: "org-a", name: "Shop" } as ProjectState;
const added: NewApp = {
  organization: "org-a",
  projectId: "p1",
  name: "Web",
  clientId: "c1",
  clientSecretHash: "h1",
};
const settings: OIDCSettings = {
  redirectUris: ["https://app.example.com/callback"],
  responseTypes: ["CODE"],
  grantTypes: ["AUTHORIZATION_CODE"],
  appType: "WEB",
  authMethod: "BASIC",
  postLogoutRedirectUris: [],
  version: "1.0",
  devMode: false,
  accessTokenType: "BEARER",
  accessTokenRoleAssertion: false,
  idTokenRoleAssertion: false,
  idTokenUserinfoAssertion: false,
  clockSkewNanos: 0,
  additionalOrigins: [],
  skipNativeAppSuccessPage: false,
};
const first = { type: "project.application.added", payload: { projectId: "p1", name: "Web" } };

describe("addOIDCApp", () => {
  test.each([
    ["BASIC", { clientSecretHash: "h1" }],
    ["POST", { clientSecretHash: "h1" }],
    ["NONE", {}],
    ["PRIVATE_KEY_JWT", {}],
  ] as const)("of the method %s records a secret only where there is one", (authMethod, secret) => {
    const given = { ...settings, authMethod };
    expect(oidcHasSecret(authMethod)).toBe("clientSecretHash" in secret);
    expect(addOIDCApp({ project }, added, completeSettings(given))).toEqual({
      events: {
        app: [
          first,
          {
            type: "project.application.config.oidc.added",
            payload: { clientId: "c1", ...secret, ...given },
          },
        ],
      },
    });
  });
});

describe("the rules of what an OIDC client asks for", () => {
  test.each([
    ["no clock skew", 0, true],
    ["the largest clock skew", clockSkewNanosMax, true],
    ["more than that", clockSkewNanosMax + 1, false],
    ["a negative clock skew", -1, false],
  ])("with %s", (_, nanos, isTaken) => {
    expect(clockSkewProblem(nanos)).toBe(isTaken ? undefined : "must be from 0s to 5s");
  });

  test.each([
    ["a code without its grant", { grantTypes: ["IMPLICIT"] }, 1],
    ["a code by the device grant", { grantTypes: ["DEVICE_CODE"] }, 0],
    ["an id token without its grant", { responseTypes: ["ID_TOKEN"] }, 1],
    [
      "both kinds of id token without their grant",
      { responseTypes: ["ID_TOKEN", "CODE", "ID_TOKEN_TOKEN"] },
      2,
    ],
    ["an id token by its grant", { responseTypes: ["ID_TOKEN"], grantTypes: ["IMPLICIT"] }, 0],
    ["no grant at all", { responseTypes: [], grantTypes: [] }, 0],
  ] as const)("with %s", (_, given, count) => {
    const fields = flowViolations({ ...settings, ...given }).map(({ field }) => field);
    expect(fields).toEqual(Array(count).fill("response_types"));
  });
});

describe("addAPIApp", () => {
  test.each([
    ["BASIC", { clientSecretHash: "h1" }],
    ["PRIVATE_KEY_JWT", {}],
  ] as const)("of the method %s records a secret only where there is one", (authMethod, secret) => {
    expect(apiHasSecret(authMethod)).toBe("clientSecretHash" in secret);
    expect(addAPIApp({ project }, added, authMethod)).toEqual({
      events: {
        app: [
          first,
          {
            type: "project.application.config.api.added",
            payload: { clientId: "c1", ...secret, authMethod },
          },
        ],
      },
    });
  });
});

describe("both", () => {
  const decisions = (given: Partial<NewApp>, inProject: ProjectState | undefined) => [
    addOIDCApp({ project: inProject }, { ...added, ...given }, completeSettings(settings)),
    addAPIApp({ project: inProject }, { ...added, ...given }, "BASIC"),
  ];

  test.each([
    ["an unknown project", {}, undefined, "PROJECT_NOT_FOUND"],
    ["a project of others", { organization: "org-b" }, project, "PROJECT_NOT_FOUND"],
  ])("refuse %s", (_, given, inProject, reason) => {
    for (const { events, rejection } of decisions(given, inProject)) {
      expect([events, rejection?.reason]).toEqual([{}, reason]);
    }
  });
});

describe("completeSettings", () => {
  test.each([
    ["response types", { responseTypes: [] }, { responseTypes: ["CODE"] }],
    ["grants", { grantTypes: [] }, { grantTypes: ["AUTHORIZATION_CODE"] }],
    ["doubles", { grantTypes: ["IMPLICIT", "IMPLICIT"] }, { grantTypes: ["IMPLICIT"] }],
    ["doubles of types", { responseTypes: ["CODE", "CODE"] }, { responseTypes: ["CODE"] }],
    ["space around URIs", { redirectUris: [" a:b\n"] }, { redirectUris: ["a:b"] }],
    [
      "space around URIs after logout",
      { postLogoutRedirectUris: ["\ta:b"] },
      { postLogoutRedirectUris: ["a:b"] },
    ],
    ["space around origins", { additionalOrigins: ["a://b "] }, { additionalOrigins: ["a://b"] }],
    ["nothing else", { devMode: true, clockSkewNanos: 5 }, { devMode: true, clockSkewNanos: 5 }],
  ] as const)("sees to %s", (_, given, expected) => {
    expect(completeSettings({ ...settings, ...given })).toEqual({ ...settings, ...expected });
  });
});

describe("the state", () => {
  const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
  const fold = (events: readonly AppEvent[]) =>
    events.reduce<AppState | undefined>(
      (state, event) => app.evolve(state, { ...event, ...envelope }),
      undefined,
    );
  const name = { kind: "app.name", scope: "p1", value: "web" };
  const client = { kind: "app.client", scope: "", value: "c1" };

  test.each([
    ["oidc", addOIDCApp({ project }, added, completeSettings(settings))],
    ["api", addAPIApp({ project }, added, "BASIC")],
  ])("of the kind %s claims its name in the project and its client id", (type, { events }) => {
    const state = fold(events.app ?? []);
    expect(state).toMatchObject({ projectId: "p1", name: "Web", config: { kind: type } });
    expect(app.claims(state!)).toEqual([name, client]);
    expect(app.row(state!)).toEqual({ parent: "p1", fields: { name: "Web" } });
  });

  test("is there before the settings are", () => {
    const { events } = addAPIApp({ project }, added, "BASIC");
    const state = fold(events.app?.slice(0, 1) ?? []);
    expect(app.claims(state!)).toEqual([name]);
    expect(app.row(state!)).toEqual({ parent: "p1", fields: { name: "Web" } });
    expect(() => fold(events.app?.slice(1) ?? [])).toThrow("first event");
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "project.application.renamed", payload: {}, ...envelope } as never;
    expect(() => app.evolve(undefined, unknown)).toThrow("project.application.renamed");
  });
});

describe("laws", () => {
  const uri = fc.oneof(
    fc.webUrl(),
    text(50),
    fc.constantFrom(
      "http://localhost",
      "my.app:/x",
      "com.example:x",
      "https://[::1]/",
      "a:",
      "//x",
    ),
  );
  const uris = fc.array(uri, { maxLength: 3 });
  const given: fc.Arbitrary<CompleteOIDCSettings> = fc
    .record({
      redirectUris: uris,
      postLogoutRedirectUris: uris,
      additionalOrigins: uris,
      responseTypes: fc.subarray(["CODE" as const, "ID_TOKEN" as const, "ID_TOKEN_TOKEN" as const]),
      grantTypes: fc.subarray([
        "AUTHORIZATION_CODE" as const,
        "IMPLICIT" as const,
        "REFRESH_TOKEN" as const,
        "DEVICE_CODE" as const,
      ]),
      appType: fc.constantFrom("WEB" as const, "USER_AGENT" as const, "NATIVE" as const),
      authMethod: fc.constantFrom<OIDCAuthMethod[]>("BASIC", "POST", "NONE", "PRIVATE_KEY_JWT"),
      devMode: fc.boolean(),
      clockSkewNanos: fc.oneof(fc.integer(), fc.constant(clockSkewNanosMax)),
    })
    .map((some) => completeSettings({ ...settings, ...some }));
  // The rules of fields come before any decision.
  const accepted = given.filter(
    ({ redirectUris }) => !redirectUris.some((one) => redirectUriProblem(one) !== undefined),
  );

  const command = fc
    .record({
      name: text(200),
      given,
      oidc: fc.boolean(),
      inProject: fc.constantFrom(project, undefined),
    })
    .map<LifeCommand<AppState, AppEvent>>((one) => (state) => {
      if (state !== undefined) return { events: [] };
      const states = { project: one.inProject };
      const fresh = { ...added, name: one.name };
      const { events, rejection } = one.oidc
        ? addOIDCApp(states, fresh, one.given)
        : addAPIApp(states, fresh, "BASIC");
      return { events: events.app ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(app, command);

  test("whatever is accepted can be judged, and is complete already", () => {
    fc.assert(
      fc.property(accepted, (one) => {
        const { noneCompliant, problems } = checkCompliance(one);
        expect(noneCompliant).toBe(problems.includes("Application.OIDC.V1.NotCompliant"));
        expect(completeSettings(one)).toEqual(one);
      }),
    );
  });
});
