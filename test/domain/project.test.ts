import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  addProject,
  isIn,
  type ProjectEvent,
  type ProjectState,
  project,
  projectNotFound,
  setUpProject,
} from "../../src/domain/project.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
const input = {
  name: "Shop",
  projectRoleAssertion: true,
  projectRoleCheck: false,
  hasProjectCheck: true,
  privateLabelingSetting: "ENFORCE_PROJECT_RESOURCE_OWNER_POLICY",
} as const;

describe("addProject", () => {
  test("records what it was given", () => {
    expect(addProject(input)).toEqual({
      events: { project: [{ type: "project.added", payload: input }] },
    });
  });

  test.each(["", "  ", "\u3000"])("refuses the name %j", (name) => {
    const { events, rejection } = addProject({ ...input, name });
    expect(events).toEqual({});
    expect(rejection?.reason).toBe("INVALID_FIELDS");
    expect(rejection?.violations).toEqual([{ field: "name", description: "must not be blank" }]);
  });

  test("of the first start has nothing turned on", () => {
    const payload = {
      name: "Getting started",
      projectRoleAssertion: false,
      projectRoleCheck: false,
      hasProjectCheck: false,
      privateLabelingSetting: "UNSPECIFIED",
    };
    expect(setUpProject("Getting started")).toEqual([{ type: "project.added", payload }]);
  });
});

describe("the state", () => {
  const state = project.evolve(undefined, { type: "project.added", payload: input, ...envelope });

  test("belongs to the owner of the stream, and claims its name there", () => {
    expect(state).toStrictEqual({ ...input, organization: "org-a" });
    expect(project.claims(state!)).toEqual([
      { kind: "project.name", scope: "org-a", value: "shop" },
    ]);
    expect(project.row(state!)).toEqual({ parent: "", fields: { name: "Shop" } });
  });

  test.each([
    ["its organization", state, "org-a", true],
    ["another organization", state, "org-b", false],
    ["its organization in another case", state, "ORG-A", false],
    ["no organization", state, "", false],
    ["nothing", undefined, "org-a", false],
  ])("is in %s", (_, given, organization, expected) => {
    expect(isIn(given, organization)).toBe(expected);
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "project.renamed", payload: {}, ...envelope } as never;
    expect(() => project.evolve(state, unknown)).toThrow("project.renamed");
  });
});

test("a project that is not there is refused without a word about others", () => {
  expect(projectNotFound()).toEqual({
    events: {},
    rejection: {
      reason: "PROJECT_NOT_FOUND",
      message: "The organization has no project with this id.",
    },
  });
});

describe("laws", () => {
  const command = fc
    .record({
      name: text(200),
      projectRoleAssertion: fc.boolean(),
      projectRoleCheck: fc.boolean(),
      hasProjectCheck: fc.boolean(),
      privateLabelingSetting: fc.constantFrom(
        "UNSPECIFIED" as const,
        "ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY" as const,
      ),
    })
    .map<LifeCommand<ProjectState, ProjectEvent>>((given) => (state) => {
      const { events, rejection } = state === undefined ? addProject(given) : { events: {} };
      return { events: events.project ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(project, command);
});
