import { describe, expect, test } from "@jest/globals";
import { type AppEvent, type AppState, app } from "../../src/domain/app/app.ts";
import { configureApp } from "../../src/domain/app/change.ts";
import { addOIDCApp, completeSettings } from "../../src/domain/app/create.ts";
import { addAppKey, findKeyHolder, removeAppKey } from "../../src/domain/app/key.ts";
import { findKey, keysMax } from "../../src/domain/key.ts";
import type { ProjectState } from "../../src/domain/project.ts";
import { oidcDefaults } from "../cases/stored.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const nowMs = 1_000;
const envelope = { owner: "org-a", actor: "x", timeMs: nowMs };
const project = { organization: "org-a", name: "Shop" } as ProjectState;
const frame = { organization: "org-a", projectId: "p1" };
const publicKey = { kty: "RSA", n: "n", e: "AQAB" } as const;
const held = { publicKey, addedMs: 1 };
const byKey = { authMethod: "PRIVATE_KEY_JWT" } as const;

const api: AppState = {
  projectId: "p1",
  name: "Stock",
  config: { kind: "api", clientId: "c1", ...byKey },
};
const oidc: AppState = {
  ...api,
  config: { kind: "oidc", clientId: "c1", ...oidcDefaults, ...byKey },
};
const saml: AppState = {
  ...api,
  config: { kind: "saml", entityId: "e", metadataXml: "<a/>" },
};
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, held]));

const add = (state: AppState | undefined, more: object = {}, at = frame) =>
  addAppKey({ app: state, project }, { ...at, keyId: "k", publicKey, ...more }, nowMs);
const remove = (state: AppState | undefined, keyId: string, at = frame) =>
  removeAppKey({ app: state, project }, { ...at, keyId });
const after = (state: AppState, event: AppEvent) => app.evolve(state, { ...event, ...envelope });

/** Where nothing is found, whatever is asked. */
const nowhere = [
  ["no application", undefined, frame, "APP_NOT_FOUND"],
  ["one of another project", { ...api, projectId: "p2" }, frame, "APP_NOT_FOUND"],
  ["a project of others", api, { ...frame, organization: "b" }, "PROJECT_NOT_FOUND"],
] as const;

describe("addAppKey", () => {
  test.each([
    ["an API client", api, {}],
    ["an OIDC client", oidc, {}],
    ["an inactive one", { ...oidc, isInactive: true }, {}],
    ["one that has keys, all but the last it may have,", { ...api, keys: keys(keysMax - 1) }, {}],
    ["a client, for a while,", api, { expirationMs: nowMs + 1 }],
  ] as const)("records the public part for %s and nothing else", (_, state, ending) => {
    const event = {
      type: "project.application.key.added",
      payload: { keyId: "k", publicKey, ...ending },
    } as const;
    expect(add(state, ending)).toEqual({ events: { app: [event] } });
    const added = { ...publicKeyHeld, ...ending };
    const left = { ...("keys" in state ? state.keys : {}), k: added };
    expect(after(state, event)).toStrictEqual({ ...state, keys: left });
    expect(findKeyHolder(state, ending, nowMs)).toEqual({ kind: "found", clientId: "c1" });
  });
  const publicKeyHeld = { publicKey, addedMs: nowMs };

  test.each(nowhere)("refuses %s", (_, state, at, reason) => {
    expect(add(state, {}, at).rejection?.reason).toBe(reason);
  });

  test.each([
    ["a key that ends now", api, { expirationMs: nowMs }, "INVALID_FIELDS"],
    ["one more than there may be", { ...api, keys: keys(keysMax) }, {}, "LIMIT_REACHED"],
    ["SAML", saml, {}, "APP_WITHOUT_KEYS"],
    ["no settings", { projectId: "p1", name: "Web" }, {}, "APP_WITHOUT_KEYS"],
    [
      "a secret",
      { ...api, config: { ...api.config, authMethod: "BASIC" } },
      {},
      "APP_WITHOUT_KEYS",
    ],
    [
      "nothing",
      { ...oidc, config: { ...oidc.config, authMethod: "NONE" } },
      {},
      "APP_WITHOUT_KEYS",
    ],
  ] as const)("refuses %s, whatever the key", (_, state, ending, reason) => {
    const { events, rejection } = add(state as AppState, ending);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
    const holder = findKeyHolder(state as AppState, ending, nowMs);
    expect(holder).toEqual({ kind: "refused", refusal: { events: {}, rejection } });
  });
});

describe("removeAppKey", () => {
  test("leaves the others, also of an application that may have no more", () => {
    const state = { ...saml, keys: { k: held, k2: held } };
    const event = { type: "project.application.key.removed", payload: { keyId: "k" } } as const;
    expect(remove(state, "k")).toEqual({ events: { app: [event] } });
    expect(after(state, event)).toStrictEqual({ ...state, keys: { k2: held } });
    expect([findKey(state.keys, "k"), findKey(state.keys, "k3")]).toEqual([held, undefined]);
  });

  test.each([...nowhere, ["a key that is not there", api, frame, "KEY_NOT_FOUND"] as const])(
    "refuses %s",
    (_, state, at, reason) => {
      expect(remove(state, "k", at).rejection?.reason).toBe(reason);
    },
  );

  test.each(["__proto__", "constructor", "toString"])("refuses the property %s", (name) => {
    expect(remove({ ...api, keys: keys(1) }, name).rejection?.reason).toBe("KEY_NOT_FOUND");
  });
});

describe("keys of a client that gets other settings", () => {
  test.each([
    ["stay where they are used", byKey, { keys: keys(2) }],
    ["go with a method of secrets", { authMethod: "BASIC" }, {}],
    ["go with a method of nothing", { authMethod: "NONE" }, {}],
  ] as const)("%s", (_, method, left) => {
    const settings = completeSettings({ ...oidcDefaults, ...method, devMode: true });
    const state = { ...oidc, keys: keys(2) };
    const { events } = configureApp({ app: state, project }, frame, "oidc", settings);
    const config = { kind: "oidc", clientId: "c1", ...settings } as const;
    expect(after(state, events.app![0]!)).toStrictEqual({ ...oidc, config, ...left });
  });
});

describe("laws", () => {
  type Command = LifeCommand<AppState, AppEvent>;
  const of = ({ events, ...rest }: ReturnType<typeof add>): ReturnType<Command> => ({
    events: events.app ?? [],
    ...rest,
  });
  const ids = fc.constantFrom("__proto__", "constructor", "1", "a");
  const methods = fc.constantFrom("BASIC", "PRIVATE_KEY_JWT", "PRIVATE_KEY_JWT", "NONE");
  const settings = fc
    .record({ authMethod: methods, devMode: fc.boolean() })
    .map((one) => completeSettings({ ...oidcDefaults, ...one } as typeof oidcDefaults));
  const client = { clientId: "c1", clientSecretHash: "h1", name: "Web" };
  const begin = settings.map<Command>(
    (given) => (state) =>
      state === undefined
        ? of(addOIDCApp({ project }, { ...frame, ...client }, given))
        : { events: [] },
  );
  const adding = fc
    .record({ keyId: ids, end: fc.option(fc.integer(), { nil: undefined }) })
    .map<Command>(
      ({ keyId, end }) =>
        (state) =>
          // Ids are made here: none comes twice.
          findKey(state?.keys, keyId) !== undefined
            ? { events: [] }
            : of(add(state, { keyId, ...(end === undefined ? {} : { expirationMs: end }) })),
    );
  const removing = ids.map<Command>((keyId) => (state) => of(remove(state, keyId)));
  const update = settings.map<Command>(
    (given) => (state) => of(configureApp({ app: state, project }, frame, "oidc", given)),
  );
  holdLaws(app, fc.oneof(begin, adding, adding, removing, update));
});
