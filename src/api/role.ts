import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  AddProjectRoleRequestSchema,
  BulkAddProjectRolesRequest_RoleSchema,
  BulkAddProjectRolesRequestSchema,
  UpdateProjectRoleRequestSchema,
} from "../../gen/iam/management/v1/project_role_pb.js";
import { type RoleQuery, RoleSchema } from "../../gen/iam/project/v1/role_pb.js";
import { keyProblem, nameProblem } from "../domain/name.ts";
import { project } from "../domain/project.ts";
import { removeRole } from "../domain/removal.ts";
import {
  addRoles,
  type NewRole,
  type RoleState,
  repeatedKeys,
  role,
  rolesIn,
  updateRole,
} from "../domain/role.ts";
import { findDependants } from "../execute/dependants.ts";
import type { Found } from "../execute/read-object.ts";
import { findRole } from "../execute/roles.ts";
import type { Filter } from "../store/query.ts";
import { callOf } from "./call.ts";
import { decideWhole } from "./changing.ts";
import { createdDetails, readDetails } from "./details.ts";
import { line, name, pathKey, plain, rulesOf, text } from "./field-rule.ts";
import type { Handlers } from "./handlers.ts";
import { assertKnownQuery, listPage, matchAll, matchText } from "./listing.ts";
import { requireProject } from "./project.ts";
import { perform, type Service } from "./service.ts";

const key = text(
  `${pathKey}, not blank, ${plain}`,
  (given) => keyProblem(given) ?? nameProblem(given),
);
const look = { displayName: name, group: line };

/** What the domain asks of the fields of roles: see `fieldRules`. */
export const roleRules = [
  rulesOf(AddProjectRoleRequestSchema, { roleKey: key, ...look }),
  rulesOf(BulkAddProjectRolesRequestSchema, {}, ({ roles }) => repeatedKeys(roles)),
  rulesOf(BulkAddProjectRolesRequest_RoleSchema, { key, ...look }),
  rulesOf(UpdateProjectRoleRequestSchema, look),
];

/** The handlers on the roles of projects. */
export function roleHandlers(service: Service) {
  const { newId, store } = service;

  async function add(projectId: string, roles: readonly NewRole[], context: HandlerContext) {
    const { organization } = callOf(context);
    return await perform(service, context, {
      // Those of one project take turns, so that their number is no cause to try again.
      writes: { project: { noun: project, id: projectId } },
      groups: { held: { noun: role, ...rolesIn(projectId) } },
      begins: { roles: { noun: role, owner: organization, newId } },
      decide: (states) => addRoles(states, { organization, projectId }, roles),
      answer: (written) => ({ details: createdDetails(written) }),
    });
  }

  /** The id of the role with a key; one that no role has, where there is none. */
  const idFor = async (projectId: string, key: string) =>
    (await findRole(store, projectId, key)) ?? newId();

  return {
    addProjectRole: ({ projectId, roleKey: key, displayName, group }, context) =>
      add(projectId, [{ key, displayName, group }], context),

    bulkAddProjectRoles: ({ projectId, roles }, context) => {
      const added = roles.map(({ key, displayName, group }) => ({ key, displayName, group }));
      return add(projectId, added, context);
    },

    async updateProjectRole(request, context) {
      const { organization } = callOf(context);
      const { projectId, roleKey } = request;
      return await perform(service, context, {
        writes: { role: { noun: role, id: await idFor(projectId, roleKey) } },
        relies: { project: { noun: project, id: projectId } },
        decide: (states) =>
          decideWhole(request, context, states.role, (whole) =>
            updateRole(states, { organization, projectId }, whole),
          ),
      });
    },

    async removeProjectRole({ projectId, roleKey }, context) {
      const { organization } = callOf(context);
      const roleId = await idFor(projectId, roleKey);
      const found = await findDependants(store, { kind: "role", id: roleId });
      return await perform(service, context, {
        writes: { role: { noun: role, id: roleId }, ...found.writes },
        relies: { project: { noun: project, id: projectId } },
        decide: (states) =>
          removeRole(states, found.dependants, { organization, projectId, roleId }),
      });
    },

    async listProjectRoles({ projectId, query, queries }, context) {
      await requireProject(service, projectId, context);
      const list = { parents: [projectId], where: matchAll(queries.map(readQuery)) };
      const { details, objects } = await listPage(service, context, role, list, query);
      return { details, result: objects.map(showRole) };
    },
  } satisfies Handlers;
}

function showRole({ stored, state: { key, displayName, group } }: Found<RoleState>) {
  return create(RoleSchema, { details: readDetails(stored), key, displayName, group });
}

function readQuery({ query }: RoleQuery): Filter {
  switch (query.case) {
    case "keyQuery":
      return matchText("key", query.value.key, query.value.method);
    case "displayNameQuery":
      return matchText("displayName", query.value.displayName, query.value.method);
    default:
      return assertKnownQuery();
  }
}
