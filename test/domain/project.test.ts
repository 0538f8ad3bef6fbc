import { describe, expect, test } from "@jest/globals";
import { reject } from "../../src/domain/decision.ts";
import {
  addProject,
  isIn,
  type ProjectEvent,
  type ProjectState,
  project,
  setUpProject,
  switchProject,
} from "../../src/domain/project.ts";
import { removeProject } from "../../src/domain/removal.ts";
import { fc } from "../harness/laws.ts";
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

const given: ProjectState = { ...input, organization: "org-a" };
const inactive: ProjectState = { ...given, isInactive: true };
const here = { organization: "org-a" };

describe("switchProject", () => {
  test.each([
    ["an active project", given, true, "project.deactivated"],
    ["an inactive project", inactive, false, "project.reactivated"],
  ] as const)("records that %s becomes the other", (_, state, isInactive, type) => {
    expect(switchProject(state, { ...here, isInactive })).toEqual({
      events: { project: [{ type, payload: {} }] },
    });
  });

  test.each([
    ["an active project", given, "org-a", false, "NOTHING_CHANGED"],
    ["an inactive project", inactive, "org-a", true, "NOTHING_CHANGED"],
    ["another's project", given, "org-b", true, "PROJECT_NOT_FOUND"],
    ["another's project that is so already", given, "org-b", false, "PROJECT_NOT_FOUND"],
    ["no project", undefined, "org-a", true, "PROJECT_NOT_FOUND"],
  ] as const)("refuses %s of %s", (_, state, organization, isInactive, reason) => {
    const { events, rejection } = switchProject(state, { organization, isInactive });
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("removeProject", () => {
  const apps = [{ stream: "app-1", kind: "app" }] as const;
  const remove = (state: ProjectState | undefined, organization: string) =>
    removeProject({ project: state, "app-1": {} }, apps, { organization, projectId: "p" });

  test.each([
    ["an active project", given],
    ["an inactive project", inactive],
  ])("records that %s goes, and what was found of it", (_, state) => {
    expect(remove(state, "org-a")).toEqual({
      events: {
        project: [{ type: "project.removed", payload: {} }],
        "app-1": [{ type: "project.application.removed", payload: {} }],
      },
    });
  });

  test.each([
    ["another's project", given, "org-b"],
    ["no project", undefined, "org-a"],
  ])("refuses %s", (_, state, organization) => {
    expect(remove(state, organization)).toEqual(reject("PROJECT_NOT_FOUND"));
  });
});

describe("the state", () => {
  const fold = (...types: readonly `project.${"deactivated" | "reactivated" | "removed"}`[]) =>
    types.reduce<ProjectState | undefined>(
      (before, type) => project.evolve(before, { type, payload: {}, ...envelope }),
      project.evolve(undefined, { type: "project.added", payload: input, ...envelope }),
    );
  const state = fold();

  test.each([
    ["active at first", fold(), given],
    ["inactive when deactivated", fold("project.deactivated"), inactive],
    ["as before when reactivated", fold("project.deactivated", "project.reactivated"), given],
    ["gone when removed", fold("project.removed"), undefined],
    ["gone when removed while inactive", fold("project.deactivated", "project.removed"), undefined],
  ])("is %s", (_, found, expected) => {
    expect(found).toStrictEqual(expected);
  });

  test("keeps its name while it is inactive", () => {
    expect(project.claims(inactive)).toEqual(project.claims(given));
    expect(project.row(inactive)).toEqual(project.row(given));
  });

  test("begins with the project", () => {
    const switched = { type: "project.deactivated", payload: {}, ...envelope } as const;
    expect(() => project.evolve(undefined, switched)).toThrow("first event");
  });

  test("belongs to the owner of the stream, and claims its name there", () => {
    expect(state).toStrictEqual({ ...input, organization: "org-a" });
    expect(project.claims(state!)).toEqual([
      { kind: "project.name", scope: "org-a", value: "shop" },
    ]);
    expect(project.row(state!)).toEqual({ parent: "org-a", fields: { name: "Shop" } });
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
  expect(reject("PROJECT_NOT_FOUND")).toEqual({
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
    .map<LifeCommand<ProjectState, ProjectEvent>>((added) => (state) => {
      const { events, rejection } = state === undefined ? addProject(added) : { events: {} };
      return { events: events.project ?? [], ...(rejection ? { rejection } : {}) };
    });
  const change = fc
    .record({
      organization: fc.constantFrom("org-of-the-test", "org-of-others"),
      isInactive: fc.option(fc.boolean(), { nil: undefined }),
    })
    .map<LifeCommand<ProjectState, ProjectEvent>>(({ organization, isInactive }) => (state) => {
      const { events, rejection } =
        isInactive === undefined
          ? removeProject({ project: state }, [], { organization, projectId: "p" })
          : switchProject(state, { organization, isInactive });
      return {
        events: (events.project ?? []) as readonly ProjectEvent[],
        ...(rejection ? { rejection } : {}),
      };
    });

  holdLaws(project, fc.oneof(command, change));
});
