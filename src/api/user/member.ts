import type { HandlerContext } from "@connectrpc/connect";
import type { Scope } from "../../domain/permission.ts";
import { project } from "../../domain/project.ts";
import {
  addProjectMember,
  grantMembership,
  removeMembership,
} from "../../domain/user/membership.ts";
import { makerName, makersOf, voidedBy } from "../../domain/user/raise.ts";
import { type UserEvent, type UserState, user } from "../../domain/user/user.ts";
import type { StreamRef, Written } from "../../execute/command.ts";
import { callOf, permissionOf } from "../call.ts";
import { changedDetails, createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { requireAnswer, type Service } from "../service.ts";
import { freshCode } from "./code.ts";
import { actingAmongOwners, actingOn } from "./user.ts";

/** The part that all requests to add a member have. */
interface Added {
  readonly userId: string;
  readonly roles: readonly string[];
}

/** The handlers on members of the instance, of organizations and of projects. */
export function memberHandlers(service: Service) {
  const { execute } = service;

  function grantOf({ userId, roles }: Added, context: HandlerContext) {
    const { code } = freshCode(service, "user.human.initialization.code.added", userId);
    return { userId, roles, permission: permissionOf(context), initializationCode: code };
  }

  async function add(request: Added, scope: Scope, context: HandlerContext) {
    const grant = { ...grantOf(request, context), scope };
    const outcome = await execute({
      ...raising(request.userId, context),
      decide: (states, nowMs) => grantMembership(states, grant, nowMs),
      answer,
    });
    return requireAnswer(outcome);
  }

  async function remove(userId: string, scope: Scope, context: HandlerContext) {
    const outcome = await execute({
      ...actingAmongOwners(userId, context),
      decide: (states) => removeMembership(states, { scope }),
      answer: (written) => ({ details: changedDetails(written) }),
    });
    return requireAnswer(outcome);
  }

  return {
    removeIAMMember: ({ userId }, context) => remove(userId, { level: "instance" }, context),

    removeOrgMember: ({ userId }, context) => remove(userId, organizationOf(context), context),

    removeProjectMember: ({ userId, projectId }, context) =>
      remove(userId, projectOf(projectId, context), context),

    addIAMMember: (request, context) => add(request, { level: "instance" }, context),

    addOrgMember: (request, context) => add(request, organizationOf(context), context),

    async addProjectMember(request, context) {
      const { userId, projectId } = request;
      const grant = { ...grantOf(request, context), scope: projectOf(projectId, context) };
      const acting = raising(userId, context);
      const outcome = await execute({
        ...acting,
        relies: { ...acting.relies, project: { noun: project, id: projectId } },
        decide: (states, nowMs) => addProjectMember(states, grant, nowMs),
        answer,
      });
      return requireAnswer(outcome);
    },
  } satisfies Handlers;
}

/**
 * As `actingOn`, for a decision that also takes those who made what lets somebody in as
 * the user.
 */
function raising(userId: string, context: HandlerContext) {
  return {
    ...actingOn(userId, context),
    leads(states: { readonly user: UserState | undefined }, nowMs: number) {
      const makers: { [name: `maker ${string}`]: StreamRef<UserState, UserEvent> } = {};
      for (const id of makersOf(states.user, userId, nowMs)) {
        makers[makerName(id)] = { noun: user, id };
      }
      return makers;
    },
  };
}

function answer(written: Written) {
  return { details: createdDetails(written), voided: [...voidedBy(written.events)] };
}

function organizationOf(context: HandlerContext) {
  return { level: "organization", organization: callOf(context).organization } as const;
}

function projectOf(projectId: string, context: HandlerContext) {
  return { ...organizationOf(context), level: "project", project: projectId } as const;
}
