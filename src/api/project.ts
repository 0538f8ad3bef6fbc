import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  DeactivateProjectRequest,
  ReactivateProjectRequest,
  RemoveProjectRequest,
} from "../../gen/iam/management/v1/project_change_pb.js";
import type {
  AddProjectRequest,
  AddProjectResponseSchema,
} from "../../gen/iam/management/v1/project_pb.js";
import type {
  GetProjectByIDRequest,
  GetProjectByIDResponseSchema,
  ListProjectsRequest,
  ListProjectsResponseSchema,
} from "../../gen/iam/management/v1/project_search_pb.js";
import {
  PrivateLabelingSetting,
  type Project,
  type ProjectQuery,
  ProjectSchema,
  ProjectState,
} from "../../gen/iam/project/v1/project_pb.js";
import { app, appsOf } from "../domain/app/app.ts";
import {
  addProject,
  isIn,
  type PrivateLabelingSetting as LabelingSetting,
  project,
  projectNotFound,
  removeProject,
  type ProjectState as State,
  switchProject,
} from "../domain/project.ts";
import type { Filter } from "../store/query.ts";
import { actorOf, callOf, refusalOf } from "./call.ts";
import { changedDetails, createdDetails, readDetails } from "./details.ts";
import {
  allOf,
  everythingIf,
  type Found,
  findObject,
  listPage,
  textFilter,
  unknownQuery,
} from "./listing.ts";
import { type Service, written } from "./service.ts";

/** The handlers on projects. */
export function projectHandlers(service: Service) {
  const { execute, newId } = service;

  async function switched(id: string, isInactive: boolean, context: HandlerContext) {
    const { organization } = callOf(context);
    const outcome = await execute({
      ...actorOf(context),
      writes: { project: { noun: project, id } },
      relies: {},
      decide: (states) => switchProject(states.project, { organization, isInactive }),
    });
    return { details: changedDetails(written(outcome)) };
  }

  return {
    async addProject(
      request: AddProjectRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddProjectResponseSchema>> {
      const { organization } = callOf(context);
      const id = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { project: { noun: project, id, owner: organization } },
        relies: {},
        decide: () =>
          addProject({
            name: request.name,
            projectRoleAssertion: request.projectRoleAssertion,
            projectRoleCheck: request.projectRoleCheck,
            hasProjectCheck: request.hasProjectCheck,
            privateLabelingSetting: labelingSettings[request.privateLabelingSetting],
          }),
      });
      return { id, details: createdDetails(written(outcome)) };
    },

    deactivateProject: ({ id }: DeactivateProjectRequest, context: HandlerContext) =>
      switched(id, true, context),

    reactivateProject: ({ id }: ReactivateProjectRequest, context: HandlerContext) =>
      switched(id, false, context),

    async removeProject({ id }: RemoveProjectRequest, context: HandlerContext) {
      const { organization } = callOf(context);
      const outcome = await execute({
        ...actorOf(context),
        writes: { project: { noun: project, id } },
        relies: {},
        groups: { apps: { noun: app, ...appsOf(id) } },
        decide: (states) => removeProject(states, { organization }),
      });
      return { details: changedDetails(written(outcome)) };
    },

    async getProjectByID(
      { id }: GetProjectByIDRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof GetProjectByIDResponseSchema>> {
      const found = await findObject(service, project, id);
      if (found === undefined || !isIn(found.state, callOf(context).organization)) {
        throw refusalOf(projectNotFound());
      }
      return { project: projectOf(found) };
    },

    async listProjects(
      { query, queries }: ListProjectsRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof ListProjectsResponseSchema>> {
      const { organization } = callOf(context);
      const where = allOf(queries.map((one) => filterOf(one, organization)));
      const list = { parents: [organization], where };
      const { details, objects } = await listPage(service, project, list, query);
      return { details, result: objects.map(projectOf) };
    },
  };
}

function projectOf({ id, stored, state }: Found<State>): Project {
  return create(ProjectSchema, {
    id,
    details: readDetails(stored),
    name: state.name,
    state: state.isInactive ? ProjectState.INACTIVE : ProjectState.ACTIVE,
    projectRoleAssertion: state.projectRoleAssertion,
    projectRoleCheck: state.projectRoleCheck,
    hasProjectCheck: state.hasProjectCheck,
    privateLabelingSetting: PrivateLabelingSetting[state.privateLabelingSetting],
  });
}

function filterOf({ query }: ProjectQuery, organization: string): Filter {
  switch (query.case) {
    case "nameQuery":
      return textFilter("name", query.value.name, query.value.method);
    case "projectResourceOwnerQuery":
      return everythingIf(query.value.resourceOwner === organization);
    default:
      throw unknownQuery();
  }
}

const labelingSettings: { readonly [setting in PrivateLabelingSetting]: LabelingSetting } = {
  [PrivateLabelingSetting.UNSPECIFIED]: "UNSPECIFIED",
  [PrivateLabelingSetting.ENFORCE_PROJECT_RESOURCE_OWNER_POLICY]:
    "ENFORCE_PROJECT_RESOURCE_OWNER_POLICY",
  [PrivateLabelingSetting.ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY]:
    "ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY",
};
