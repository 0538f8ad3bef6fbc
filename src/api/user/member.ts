import type { HandlerContext } from "@connectrpc/connect";
import type { Scope } from "../../domain/permission.ts";
import { project } from "../../domain/project.ts";
import {
  addProjectMember,
  grantMembership,
  removeMembership,
} from "../../domain/user/membership.ts";
import { callOf, permissionOf } from "../call.ts";
import { changedDetails, createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { requireWritten, type Service } from "../service.ts";
import { actingAmongOwners, actingOn } from "./user.ts";

/** The part that all requests to add a member have. */
interface Added {
  readonly userId: string;
  readonly roles: readonly string[];
}

/** The handlers on members of the instance, of organizations and of projects. */
export function memberHandlers({ execute }: Service) {
  async function add({ userId, roles }: Added, scope: Scope, context: HandlerContext) {
    const permission = permissionOf(context);
    const outcome = await execute({
      ...actingOn(userId, context),
      decide: (states) => grantMembership(states, { scope, roles, permission }),
    });
    return { details: createdDetails(requireWritten(outcome)) };
  }

  async function remove(userId: string, scope: Scope, context: HandlerContext) {
    const outcome = await execute({
      ...actingAmongOwners(userId, context),
      decide: (states) => removeMembership(states, { scope }),
    });
    return { details: changedDetails(requireWritten(outcome)) };
  }

  return {
    removeIAMMember: ({ userId }, context) => remove(userId, { level: "instance" }, context),

    removeOrgMember: ({ userId }, context) => remove(userId, organizationOf(context), context),

    removeProjectMember: ({ userId, projectId }, context) =>
      remove(userId, projectOf(projectId, context), context),

    addIAMMember: (request, context) => add(request, { level: "instance" }, context),

    addOrgMember: (request, context) => add(request, organizationOf(context), context),

    async addProjectMember({ userId, roles, projectId }, context) {
      const grant = {
        scope: projectOf(projectId, context),
        roles,
        permission: permissionOf(context),
      };
      const acting = actingOn(userId, context);
      const outcome = await execute({
        ...acting,
        relies: { ...acting.relies, project: { noun: project, id: projectId } },
        decide: (states) => addProjectMember(states, grant),
      });
      return { details: createdDetails(requireWritten(outcome)) };
    },
  } satisfies Handlers;
}

function organizationOf(context: HandlerContext) {
  return { level: "organization", organization: callOf(context).organization } as const;
}

function projectOf(projectId: string, context: HandlerContext) {
  return { ...organizationOf(context), level: "project", project: projectId } as const;
}
