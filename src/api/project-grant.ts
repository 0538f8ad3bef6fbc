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
import { removeProjectGrant } from "../domain/project-removal.ts";
import type { Written } from "../execute/command.ts";
import { findDependants } from "../execute/dependants.ts";
import { rolesWith } from "../execute/roles.ts";
import { actorOf, callOf } from "./call.ts";
import { changedDetails, createdDetails } from "./details.ts";
import type { Handlers } from "./handlers.ts";
import { requireAnswer, type Service } from "./service.ts";

/** The handlers that grant projects to other organizations, and change what was granted. */
export function projectGrantHandlers(service: Service) {
  const { execute, newId, store } = service;

  async function change(request: Named, isInactive: boolean, context: HandlerContext) {
    const outcome = await execute({
      ...actingOn(request, context),
      decide: (states) => switchProjectGrant(states, { ...frameOf(request, context), isInactive }),
    });
    return requireAnswer(outcome);
  }

  return {
    async addProjectGrant({ projectId, grantedOrgId, roleKeys }, context) {
      const { organization } = callOf(context);
      const { roleIds, refs } = await rolesWith(store, projectId, roleKeys);
      const given = { organization, projectId, grantedOrgId, roleIds };
      const grantId = newId();
      const outcome = await execute({
        ...actorOf(context),
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
      return requireAnswer(outcome);
    },

    async updateProjectGrant(request, context) {
      const { roleIds, refs } = await rolesWith(store, request.projectId, request.roleKeys);
      const { relies, ...acting } = actingOn(request, context);
      const outcome = await execute({
        ...acting,
        relies: { ...relies, ...refs },
        decide: (states) => updateProjectGrant(states, { ...frameOf(request, context), roleIds }),
      });
      return requireAnswer(outcome);
    },

    deactivateProjectGrant: (request, context) => change(request, true, context),
    reactivateProjectGrant: (request, context) => change(request, false, context),

    async removeProjectGrant(request, context) {
      const { grantId } = request;
      const found = await findDependants(store, { kind: "projectGrant", id: grantId });
      const frame = { ...frameOf(request, context), grantId };
      const { writes, ...acting } = actingOn(request, context);
      const outcome = await execute({
        ...acting,
        writes: { ...writes, ...found.writes },
        decide: (states) => removeProjectGrant(states, found.dependants, frame),
      });
      return requireAnswer(outcome);
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
function actingOn({ projectId, grantId }: Named, context: HandlerContext) {
  return {
    ...actorOf(context),
    writes: { projectGrant: { noun: projectGrant, id: grantId } },
    relies: { project: { noun: project, id: projectId } },
    answer: (written: Written) => ({ details: changedDetails(written) }),
  };
}
