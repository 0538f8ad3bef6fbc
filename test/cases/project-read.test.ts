import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type {
  AddProjectRequestSchema,
  AddProjectResponse,
} from "../../gen/iam/management/v1/project_pb.js";
import type { GetProjectByIDResponse } from "../../gen/iam/management/v1/project_search_pb.js";
import { PrivateLabelingSetting, ProjectSchema } from "../../gen/iam/project/v1/project_pb.js";
import { project } from "../../src/domain/project.ts";
import { row, runCases } from "../harness/cases.ts";
import { detailsJson, eventsOf, givenProjectOf, recorded } from "./given.ts";
import { idsOf, type Listing, listRow } from "./listing.ts";
import { listRows } from "./lists.ts";
import { lookupRows } from "./lookups.ts";
import { granted } from "./stored.ts";

const { addProject, getProjectByID, listProjects } = ManagementService.method;
const { ENFORCE_PROJECT_RESOURCE_OWNER_POLICY, ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY } =
  PrivateLabelingSetting;
const notFound = {
  code: 5,
  reason: "PROJECT_NOT_FOUND",
  message: "The organization has no project with this id.",
} as const;
const deactivated = { type: "project.deactivated", payload: {} } as const;

const projects: Listing = {
  method: listProjects,
  given: ({ server }, { organization }, name) => givenProjectOf(server, organization, { name }),
  byName: (name, method = 0) => ({ query: { case: "nameQuery", value: { name, method } } }),
};

const ofOwner = (resourceOwner: string) => ({
  query: { case: "projectResourceOwnerQuery", value: { resourceOwner } },
});

runCases("reading projects", [
  ...lookupRows({
    method: getProjectByID,
    ...{ noun: project, notFound },
    given: ({ server }, { organization }) => givenProjectOf(server, organization),
    request: (id) => ({ id }),
    removal: { type: "project.removed", payload: {} },
  }),
  answered("the defaults", {}, {}),
  answered("role assertion", { projectRoleAssertion: true }, { projectRoleAssertion: true }),
  answered("the role check", { projectRoleCheck: true }, { projectRoleCheck: true }),
  answered(
    "everything else",
    { hasProjectCheck: true, privateLabelingSetting: ENFORCE_PROJECT_RESOURCE_OWNER_POLICY },
    {
      hasProjectCheck: true,
      privateLabelingSetting: "PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY",
    },
  ),
  answered(
    "the branding of users",
    { privateLabelingSetting: ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY },
    { privateLabelingSetting: "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY" },
  ),
  row("GetProjectByID answers an inactive project", getProjectByID, async ({ server, unique }) => {
    const { organization } = server.admin;
    const id = await givenProjectOf(server, organization, { name: unique });
    await recorded(server, project, organization, [deactivated], id);
    return {
      request: { id },
      expected: {
        async ok(message) {
          const details = detailsJson(await eventsOf(server, `project-${id}`));
          const state = "PROJECT_STATE_INACTIVE";
          expect(toJson(getProjectByID.output, message)).toEqual({
            project: { id, details, name: unique, state },
          });
        },
      },
    };
  }),

  ...listRows(projects),
  listRow(projects, "has what GetProjectByID has, but nothing removed", async (place, world) => {
    const { server, call } = world;
    const { organization } = place.spot;
    const [kept, inactive, gone] = await place.given("kept", "inactive", "gone");
    await recorded(server, project, organization, [deactivated], inactive);
    await recorded(server, project, organization, [{ type: "project.removed", payload: {} }], gone);
    return {
      async ok(page) {
        expect(idsOf(page)).toEqual([inactive, kept]);
        expect(page.details?.totalResult).toBe(2n);
        for (const { id, ...listed } of page.result) {
          const answer = await call(getProjectByID, { id }, place.token);
          const { project: one } = granted<GetProjectByIDResponse>(answer);
          expect({ ...listed, id }).toEqual(one);
          expect(one?.$typeName).toBe(ProjectSchema.typeName);
        }
      },
    };
  }),
  listRow(projects, "finds all by their own organization", async ({ given, spot }) => {
    const ids = await given("a", "b");
    return {
      ask: { queries: [ofOwner(spot.organization)] },
      ok: (page) => expect(idsOf(page)).toEqual(ids.toReversed()),
    };
  }),
  listRow(projects, "finds none by another organization", async ({ given }, { server }) => {
    await given("a");
    return {
      ask: { queries: [ofOwner(server.admin.organization)] },
      ok: (page) => expect(page).toMatchObject({ result: [], details: { totalResult: 0n } }),
    };
  }),
]);

/** What is given to AddProject is read again, and nothing else. */
function answered(
  what: string,
  given: MessageInitShape<typeof AddProjectRequestSchema>,
  read: object,
) {
  return row(`GetProjectByID answers ${what}`, getProjectByID, async ({ server, call, unique }) => {
    const added = await call(addProject, { ...given, name: unique });
    const { id } = granted<AddProjectResponse>(added);
    return {
      request: { id },
      expected: {
        async ok(message) {
          const details = detailsJson(await eventsOf(server, `project-${id}`));
          expect(toJson(getProjectByID.output, message)).toEqual({
            project: { id, details, name: unique, state: "PROJECT_STATE_ACTIVE", ...read },
          });
        },
      },
    };
  });
}
