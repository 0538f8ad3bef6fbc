import { describe, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { GetProjectByIDResponse } from "../../gen/iam/management/v1/project_search_pb.js";
import { PrivateLabelingSetting, ProjectState } from "../../gen/iam/project/v1/project_pb.js";
import {
  addProject as decideAdd,
  updateProject as decideUpdate,
  type ProjectInput,
  project,
  type ProjectState as State,
} from "../../src/domain/project.ts";
import { holdLaws, text } from "../domain/laws.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { fc } from "../harness/laws.ts";
import { givenProjectOf, recorded } from "./given.ts";
import { changeRows } from "./lookups.ts";
import { granted } from "./stored.ts";

const { addProject, getProjectByID, updateProject } = ManagementService.method;

const shop: ProjectInput = {
  name: "Shop",
  projectRoleAssertion: true,
  projectRoleCheck: false,
  hasProjectCheck: true,
  privateLabelingSetting: "ENFORCE_PROJECT_RESOURCE_OWNER_POLICY",
};
const given: State = { ...shop, organization: "own" };
const inactive: State = { ...given, isInactive: true };

describe("updateProject decides", () => {
  test.each<[string, State, Partial<ProjectInput>]>([
    ["another name", given, { name: "Store" }],
    ["its name in another case", given, { name: "SHOP" }],
    ["one setting", given, { projectRoleCheck: true }],
    ["one setting less", given, { hasProjectCheck: false }],
    ["another branding", given, { privateLabelingSetting: "UNSPECIFIED" }],
    ["the name of an inactive project", inactive, { name: "Store" }],
  ])("that %s is a change, which says all there is", (_, state, change) => {
    const payload = { ...shop, ...change };
    const event = { type: "project.changed", payload } as const;
    const decided = decideUpdate(state, { organization: "own" }, payload);
    expect(decided).toEqual({ events: { project: [event] } });
    const after = project.evolve(state, { ...event, owner: "own", actor: "x", timeMs: 1 });
    expect(after).toStrictEqual({ ...state, ...change });
  });

  test.each<[string, State | undefined, string, string, string]>([
    ["the same", given, "own", "Shop", "NOTHING_CHANGED"],
    ["the same of an inactive project", inactive, "own", "Shop", "NOTHING_CHANGED"],
    ["another's project", given, "foreign", "Store", "PROJECT_NOT_FOUND"],
    ["another's project as it is", given, "foreign", "Shop", "PROJECT_NOT_FOUND"],
    ["no project", undefined, "own", "Shop", "PROJECT_NOT_FOUND"],
  ])("against %s", (_, state, organization, name, reason) => {
    const { events, rejection } = decideUpdate(state, { organization }, { ...shop, name });
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  const flag = fc.boolean();
  const settings = fc.record({
    ...{ name: text(200), projectRoleAssertion: flag, projectRoleCheck: flag },
    ...{ hasProjectCheck: flag, privateLabelingSetting: fc.constant("UNSPECIFIED" as const) },
  });
  const command = settings.map((input) => (state: State | undefined) => {
    const { organization = "" } = state ?? {};
    const { events, rejection } =
      state === undefined ? decideAdd(input) : decideUpdate(state, { organization }, input);
    return { events: events.project ?? [], ...(rejection ? { rejection } : {}) };
  });
  holdLaws(project, command);
});

/** A name that goes with an id, so that all clients may use it. */
const nameFor = (id: string) => `Store ${id.slice(0, 40)}`;
const stored = { ...shop, name: expect.any(String) };
const { ENFORCE_PROJECT_RESOURCE_OWNER_POLICY } = PrivateLabelingSetting;
const settings = {
  ...{ projectRoleAssertion: true, hasProjectCheck: true },
  privateLabelingSetting: ENFORCE_PROJECT_RESOURCE_OWNER_POLICY,
};

runCases("UpdateProject", [
  ...changeRows({
    ...{ method: updateProject, noun: project, type: "project.changed" },
    notFound: { code: 5, reason: "PROJECT_NOT_FOUND" },
    again: { code: 9, reason: "NOTHING_CHANGED" },
    given: ({ server }, { organization }) => givenProjectOf(server, organization),
    request: (id) => ({ id, name: nameFor(id), ...settings }),
    payload: () => stored,
    removal: { type: "project.removed", payload: {} },
  }),
  row("is seen, and frees the old name", updateProject, async (world) => {
    const { server, call, unique } = world;
    const id = await givenProjectOf(server, server.admin.organization, { name: unique });
    const name = `${unique} anew`;
    return {
      request: { id, name, ...settings },
      expected: {
        async ok() {
          expect(await seen(world, id)).toMatchObject({
            ...{ id, name, ...settings, projectRoleCheck: false, state: ProjectState.ACTIVE },
          });
          granted(await call(addProject, { name: unique }));
          const taken = await call(addProject, { name });
          expect(taken).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
        },
      },
    };
  }),
  row("gives what is left out its default", updateProject, async (world) => {
    const { server, unique } = world;
    const id = await givenProjectOf(server, server.admin.organization, { ...shop, name: unique });
    return {
      request: { id, name: unique },
      expected: {
        async ok() {
          expect(await seen(world, id)).toMatchObject({
            ...{ name: unique, projectRoleAssertion: false, hasProjectCheck: false },
            privateLabelingSetting: PrivateLabelingSetting.UNSPECIFIED,
          });
        },
      },
    };
  }),
  row("leaves an inactive project inactive", updateProject, async (world) => {
    const { server, project: id, unique } = world;
    const deactivated = { type: "project.deactivated", payload: {} } as const;
    await recorded(server, project, server.admin.organization, [deactivated], id);
    return {
      request: { id, name: unique },
      expected: {
        ok: async () => expect((await seen(world, id))?.state).toBe(ProjectState.INACTIVE),
      },
    };
  }),
  row("lets the name change its case", updateProject, async ({ server, unique }) => {
    const name = `shop ${unique}`;
    const id = await givenProjectOf(server, server.admin.organization, { name });
    return {
      request: { id, name: `SHOP ${unique}` },
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
  row("refuses the name of another project, in whatever case", updateProject, async (world) => {
    const { server, project: id, unique } = world;
    await givenProjectOf(server, server.admin.organization, { name: `shop ${unique}` });
    return {
      request: { id, name: `SHOP ${unique}` },
      expected: {
        ...{ code: 6, reason: "NAME_TAKEN" },
        message:
          "Another project of this organization has this name (ignoring case). Choose a " +
          "different one.",
      },
    };
  }),
  row("takes a name that another organization has", updateProject, async (world) => {
    const { server, project: id, unique } = world;
    await givenProjectOf(server, "another organization", { name: unique });
    return {
      request: { id, name: unique },
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
  row("lists every field that breaks its rule", updateProject, ({ project: id }) => ({
    request: { id, name: "", privateLabelingSetting: 3 },
    expected: {
      ...{ code: 3, reason: "INVALID_FIELDS" },
      fields: ["name", "private_labeling_setting"],
    },
  })),
  row("refuses a blank name", updateProject, ({ project: id }) => ({
    request: { id, name: " " },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["name"] },
  })),
]);

async function seen({ call }: World, id: string) {
  return granted<GetProjectByIDResponse>(await call(getProjectByID, { id })).project;
}
