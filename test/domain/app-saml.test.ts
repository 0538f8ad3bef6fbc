import { describe, expect, test } from "@jest/globals";
import { type AppEvent, type AppState, app, type SAMLConfig } from "../../src/domain/app/app.ts";
import { addSAMLApp, refuseNewApp } from "../../src/domain/app/create.ts";
import type { ProjectState } from "../../src/domain/project.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const project = { organization: "org-a", name: "Shop" } as ProjectState;
const place = { organization: "org-a", projectId: "p1", name: "Web" };
const config: SAMLConfig = { entityId: "https://sp.example.com", metadataXml: "<a/>" };
const envelope = { owner: "org-a", actor: "x", timeMs: 1 };

describe("addSAMLApp", () => {
  test.each([
    ["given", config],
    ["fetched", { ...config, metadataUrl: "https://sp.example.com/metadata" }],
  ])("records metadata that was %s", (_, read) => {
    expect(addSAMLApp({ project }, place, read)).toEqual({
      events: {
        app: [
          { type: "project.application.added", payload: { projectId: "p1", name: "Web" } },
          { type: "project.application.config.saml.added", payload: read },
        ],
      },
    });
  });

  test.each([
    ["an unknown project", undefined, {}, "PROJECT_NOT_FOUND"],
    ["a project of another organization", project, { organization: "b" }, "PROJECT_NOT_FOUND"],
  ])("refuses %s, and says so before the metadata is read", (_, there, given, reason) => {
    const decision = addSAMLApp({ project: there }, { ...place, ...given }, config);
    expect(decision.events).toEqual({});
    expect(decision.rejection?.reason).toBe(reason);
    expect(refuseNewApp({ project: there }, { ...place, ...given })).toEqual(decision);
  });

  test("has nothing to say before the metadata is read where it is taken", () => {
    expect(refuseNewApp({ project }, place)).toBeUndefined();
  });
});

describe("the state", () => {
  const fold = (events: readonly AppEvent[]) =>
    events.reduce<AppState | undefined>(
      (state, event) => app.evolve(state, { ...event, ...envelope }),
      undefined,
    );

  test("claims its name in the project, and its entity ID as it is in the instance", () => {
    const read = { ...config, entityId: "https://SP.example.com/Ä" };
    const state = fold(addSAMLApp({ project }, place, read).events.app ?? []);
    expect(state).toEqual({ projectId: "p1", name: "Web", config: { kind: "saml", ...read } });
    expect(app.claims(state!)).toEqual([
      { kind: "app.name", scope: "p1", value: "web" },
      { kind: "app.entity", scope: "", value: "https://SP.example.com/Ä" },
    ]);
    expect(app.row(state!)).toEqual({ parent: "p1", fields: { name: "Web" } });
  });

  test("begins with what every application has", () => {
    const [, configured] = addSAMLApp({ project }, place, config).events.app ?? [];
    expect(() => fold([configured!])).toThrow("first event");
  });
});

describe("laws", () => {
  const command = fc
    .record({
      name: text(200),
      entityId: text(50),
      metadataXml: text(100),
      metadataUrl: fc.option(fc.webUrl(), { nil: undefined }),
      inProject: fc.constantFrom(project, undefined),
    })
    .map<LifeCommand<AppState, AppEvent>>(
      ({ name, inProject, metadataUrl, ...read }) =>
        (state) => {
          if (state !== undefined) return { events: [] };
          const { events, rejection } = addSAMLApp(
            { project: inProject },
            { ...place, name },
            { ...read, ...(metadataUrl === undefined ? {} : { metadataUrl }) },
          );
          return { events: events.app ?? [], ...(rejection ? { rejection } : {}) };
        },
    );

  holdLaws(app, command);
});
