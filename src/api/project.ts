import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type UpdateProjectRequest,
  UpdateProjectRequestSchema,
} from "../../gen/iam/management/v1/project_change_pb.js";
import {
  type AddProjectRequest,
  AddProjectRequestSchema,
} from "../../gen/iam/management/v1/project_pb.js";
import {
  PrivateLabelingSetting,
  type ProjectQuery,
  ProjectSchema,
  ProjectState,
} from "../../gen/iam/project/v1/project_pb.js";
import {
  addProject,
  isIn,
  type ProjectInput,
  project,
  type ProjectState as State,
  switchProject,
  updateProject,
} from "../domain/project.ts";
import { removeProject } from "../domain/removal.ts";
import { findDependants } from "../execute/dependants.ts";
import { type Found, readObject } from "../execute/read-object.ts";
import type { Filter } from "../store/query.ts";
import { callOf, refuse } from "./call.ts";
import { decideWhole } from "./changing.ts";
import { createdDetails, readDetails } from "./details.ts";
import { enumNames } from "./enum.ts";
import { name, rulesOf } from "./field-rule.ts";
import type { Handlers } from "./handlers.ts";
import { assertKnownQuery, listPage, matchAll, matchIf, matchText } from "./listing.ts";
import { perform, type Service } from "./service.ts";

/** What the domain asks of the fields of projects: see `fieldRules`. */
export const projectRules = [
  rulesOf(AddProjectRequestSchema, { name }),
  rulesOf(UpdateProjectRequestSchema, { name }),
];

/** The handlers on projects. */
export function projectHandlers(service: Service) {
  const { newId } = service;

  async function change(id: string, isInactive: boolean, context: HandlerContext) {
    const { organization } = callOf(context);
    return await perform(service, context, {
      writes: { project: { noun: project, id } },
      decide: (states) => switchProject(states.project, { organization, isInactive }),
    });
  }

  return {
    async addProject(request, context) {
      const { organization } = callOf(context);
      const id = newId();
      return await perform(service, context, {
        writes: { project: { noun: project, id, owner: organization, isNew: true } },
        decide: () => addProject(readInput(request)),
        answer: (written) => ({ id, details: createdDetails(written) }),
      });
    },

    async updateProject(request, context) {
      const { organization } = callOf(context);
      return await perform(service, context, {
        writes: { project: { noun: project, id: request.id } },
        decide: ({ project: before }) =>
          decideWhole(request, context, before && showInput(before), (whole) =>
            updateProject(before, { organization }, readInput(whole)),
          ),
      });
    },

    deactivateProject: ({ id }, context) => change(id, true, context),
    reactivateProject: ({ id }, context) => change(id, false, context),

    async removeProject({ id }, context) {
      const { organization } = callOf(context);
      const found = await findDependants(service.store, { kind: "project", id });
      const frame = { organization, projectId: id };
      return await perform(service, context, {
        writes: { project: { noun: project, id }, ...found.writes },
        decide: (states) => removeProject(states, found.dependants, frame),
      });
    },

    async getProjectByID({ id }, context) {
      return { project: showProject(await requireProject(service, id, context)) };
    },

    async listProjects({ query, queries }, context) {
      const { organization } = callOf(context);
      const where = matchAll(queries.map((one) => readQuery(one, organization)));
      const list = { parents: [organization], where };
      const { details, objects } = await listPage(service, context, project, list, query);
      return { details, result: objects.map(showProject) };
    },
  } satisfies Handlers;
}

/** Reads a project of the organization of the call. Throws `Refused` where it has none. */
export async function requireProject(
  { store }: Pick<Service, "store">,
  id: string,
  context: HandlerContext,
): Promise<Found<State>> {
  const found = await readObject(store, project, id);
  return isIn(found?.state, callOf(context).organization) ? found : refuse("PROJECT_NOT_FOUND");
}

function readInput(request: AddProjectRequest | UpdateProjectRequest): ProjectInput {
  const { name, projectRoleAssertion, projectRoleCheck, hasProjectCheck } = request;
  return {
    ...{ name, projectRoleAssertion, projectRoleCheck, hasProjectCheck },
    privateLabelingSetting: labelingSettings.read(request.privateLabelingSetting),
  };
}

function showProject({ id, stored, state }: Found<State>) {
  return create(ProjectSchema, {
    id,
    details: readDetails(stored),
    state: state.isInactive ? ProjectState.INACTIVE : ProjectState.ACTIVE,
    ...showInput(state),
  });
}

function showInput(input: ProjectInput) {
  const { name, projectRoleAssertion, projectRoleCheck, hasProjectCheck } = input;
  return {
    ...{ name, projectRoleAssertion, projectRoleCheck, hasProjectCheck },
    privateLabelingSetting: labelingSettings.show(input.privateLabelingSetting),
  };
}

function readQuery({ query }: ProjectQuery, organization: string): Filter {
  switch (query.case) {
    case "nameQuery":
      return matchText("name", query.value.name, query.value.method);
    case "projectResourceOwnerQuery":
      return matchIf(query.value.resourceOwner === organization);
    default:
      return assertKnownQuery();
  }
}

const labelingSettings = enumNames(PrivateLabelingSetting, "");
