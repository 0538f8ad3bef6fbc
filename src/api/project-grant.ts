import type { HandlerContext } from "@connectrpc/connect";
import { org } from "../domain/org.ts";
import { project } from "../domain/project.ts";
import {
  addProjectGrant,
  projectGrant,
  projectGrantsBetween,
  projectGrantsOf,
  switchProjectGrant,
  updateProjectGrant,
} from "../domain/project-grant.ts";
import { removeProjectGrant } from "../domain/removal.ts";
import { findDependants } from "../execute/dependants.ts";
import { rolesWith } from "../execute/roles.ts";
import { callOf } from "./call.ts";
import { createdDetails } from "./details.ts";
import type { Handlers } from "./handlers.ts";
import { perform, type Service } from "./service.ts";

/** The handlers that grant projects to other organizations, and change what was granted. */
export function projectGrantHandlers(service: Service) {
  const { newId, store } = service;

  async function change(request: Named, isInactive: boolean, context: HandlerContext) {
    return await perform(service, context, {
      ...actingOn(request),
      decide: (states) => switchProjectGrant(states, { ...frameOf(request, context), isInactive }),
    });
  }

  return {
    async addProjectGrant({ projectId, grantedOrgId, roleKeys }, context) {
      const { organization } = callOf(context);
      const { roleIds, refs } = await rolesWith(store, projectId, roleKeys);
      const given = { organization, projectId, grantedOrgId, roleIds };
      const grantId = newId();
      return await perform(service, context, {
        // Those of one project and to one organization take turns, so that their numbers are no
        // cause to try again.
        writes: {
          project: { noun: project, id: projectId },
          grantedOrg: { noun: org, id: grantedOrgId },
          projectGrant: { noun: projectGrant, id: grantId, owner: organization, isNew: true },
        },
        relies: refs,
        groups: {
          held: { noun: projectGrant, ...projectGrantsOf(projectId) },
          between: { noun: projectGrant, ...projectGrantsBetween(organization, grantedOrgId) },
        },
        decide: (states) => addProjectGrant(states, given),
        answer: (written) => ({ grantId, details: createdDetails(written) }),
      });
    },

    async updateProjectGrant(request, context) {
      const { roleIds, refs } = await rolesWith(store, request.projectId, request.roleKeys);
      const { relies, ...acting } = actingOn(request);
      return await perform(service, context, {
        ...acting,
        relies: { ...relies, ...refs },
        decide: (states) => updateProjectGrant(states, { ...frameOf(request, context), roleIds }),
      });
    },

    deactivateProjectGrant: (request, context) => change(request, true, context),
    reactivateProjectGrant: (request, context) => change(request, false, context),

    async removeProjectGrant(request, context) {
      const { grantId } = request;
      const found = await findDependants(store, { kind: "projectGrant", id: grantId });
      const frame = { ...frameOf(request, context), grantId };
      const { writes, ...acting } = actingOn(request);
      return await perform(service, context, {
        ...acting,
        writes: { ...writes, ...found.writes },
        decide: (states) => removeProjectGrant(states, found.dependants, frame),
      });
    },
  } satisfies Handlers;
}

/** A project grant as requests name it. */
interface Named {
  readonly projectId: string;
  readonly grantId: string;
}

function frameOf({ projectId }: Named, context: HandlerContext) {
  return { organization: callOf(context).organization, projectId };
}

/** The part of a command on a project grant. */
function actingOn({ projectId, grantId }: Named) {
  return {
    writes: { projectGrant: { noun: projectGrant, id: grantId } },
    relies: { project: { noun: project, id: projectId } },
  };
}
