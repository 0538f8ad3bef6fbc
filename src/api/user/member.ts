import type { HandlerContext } from "@connectrpc/connect";
import type {
  AddIAMMemberRequest,
  RemoveIAMMemberRequest,
} from "../../../gen/iam/admin/v1/member_pb.js";
import type {
  AddOrgMemberRequest,
  AddProjectMemberRequest,
  RemoveOrgMemberRequest,
  RemoveProjectMemberRequest,
} from "../../../gen/iam/management/v1/member_pb.js";
import type { Scope } from "../../domain/permission.ts";
import { project } from "../../domain/project.ts";
import {
  addProjectMember,
  type Grant,
  grantMembership,
  removeMembership,
} from "../../domain/user/membership.ts";
import { callOf } from "../call.ts";
import { changedDetails, createdDetails } from "../details.ts";
import { type Service, written } from "../service.ts";
import { actingAmongOwners, actingOn } from "./user.ts";

/** The handlers on members of the instance, of organizations and of projects. */
export function memberHandlers({ execute }: Service) {
  async function add(userId: string, grant: Grant, context: HandlerContext) {
    const outcome = await execute({
      ...actingOn(userId, context),
      decide: (states) => grantMembership(states, grant),
    });
    return { details: createdDetails(written(outcome)) };
  }

  async function remove(userId: string, scope: Scope, context: HandlerContext) {
    const outcome = await execute({
      ...actingAmongOwners(userId, context),
      decide: (states) => removeMembership(states, { scope }),
    });
    return { details: changedDetails(written(outcome)) };
  }

  return {
    removeIAMMember: ({ userId }: RemoveIAMMemberRequest, context: HandlerContext) =>
      remove(userId, { level: "instance" }, context),

    removeOrgMember: ({ userId }: RemoveOrgMemberRequest, context: HandlerContext) =>
      remove(userId, { level: "organization", ...organizationOf(context) }, context),

    removeProjectMember(
      { userId, projectId }: RemoveProjectMemberRequest,
      context: HandlerContext,
    ) {
      const place = { ...organizationOf(context), project: projectId };
      return remove(userId, { level: "project", ...place }, context);
    },

    addIAMMember({ userId, roles }: AddIAMMemberRequest, context: HandlerContext) {
      const scope = { level: "instance" } as const;
      return add(userId, { scope, roles, permission: "iam.member.write" }, context);
    },

    addOrgMember({ userId, roles }: AddOrgMemberRequest, context: HandlerContext) {
      const scope = { level: "organization", ...organizationOf(context) } as const;
      return add(userId, { scope, roles, permission: "org.member.write" }, context);
    },

    async addProjectMember(request: AddProjectMemberRequest, context: HandlerContext) {
      const { userId, roles } = request;
      const place = { ...organizationOf(context), project: request.projectId };
      const scope = { level: "project", ...place } as const;
      const acting = actingOn(userId, context);
      const outcome = await execute({
        ...acting,
        relies: { ...acting.relies, project: { noun: project, id: request.projectId } },
        decide: (states) =>
          addProjectMember(states, { scope, roles, permission: "project.member.write" }),
      });
      return { details: createdDetails(written(outcome)) };
    },
  };
}

function organizationOf(context: HandlerContext): { readonly organization: string } {
  return { organization: callOf(context).organization };
}
