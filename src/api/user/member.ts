import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type { Scope } from "../../domain/permission.ts";
import { project } from "../../domain/project.ts";
import { codeFieldOf, linkToPage } from "../../domain/user/credential/code.ts";
import type { UserEvent } from "../../domain/user/event.ts";
import { codeLifetimesMs } from "../../domain/user/human/state.ts";
import {
  addProjectMember,
  grantMembership,
  removeMembership,
} from "../../domain/user/membership.ts";
import { isCodeAnsweredBy, makerName, makersOf, voidedBy } from "../../domain/user/raise.ts";
import { type UserState, user } from "../../domain/user/user.ts";
import type { StreamRef, Written } from "../../execute/command.ts";
import { callOf, permissionOf, viaOfCall } from "../call.ts";
import { changedDetails, createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { requireAnswer, type Service } from "../service.ts";
import { freshCode } from "./code.ts";
import { actingAmongOwners, actingOn } from "./user.ts";

const initialization = "user.human.initialization.code.added";

/** The part that all requests to add a member have. */
interface Added {
  readonly userId: string;
  readonly roles: readonly string[];
  readonly returnInitializationLink: boolean;
}

/** The handlers on members of the instance, of organizations and of projects. */
export function memberHandlers(service: Service) {
  const { execute, keyring, publicUrl } = service;

  function grantOf(request: Added, context: HandlerContext) {
    const { userId, roles, returnInitializationLink: isCodeAnswered } = request;
    const { code } = freshCode(service, initialization, userId);
    const needed = { initializationCode: code, isCodeAnswered, ...viaOfCall(context) };
    return { userId, roles, permission: permissionOf(context), ...needed };
  }

  /** The answer, with the link to the code where the grant has made that for its caller. */
  function answerOf({ userId, initializationCode: code }: ReturnType<typeof grantOf>) {
    return (written: Written) => {
      const details = createdDetails(written);
      const voided = [...voidedBy(written.events)];
      if (!isCodeAnsweredBy(written.events)) return { details, voided };
      const linked = keyring.derive(code, codeFieldOf(initialization, userId));
      const link = { publicUrl: publicUrl(), userId, organization: written.owner, code: linked };
      return {
        ...{ details, voided },
        initializationLink: linkToPage("initialize", link),
        initializationExpiration: durationFromMs(codeLifetimesMs.initialization),
      };
    };
  }

  async function add(request: Added, scope: Scope, context: HandlerContext) {
    const grant = { ...grantOf(request, context), scope };
    const outcome = await execute({
      ...raising(request.userId, context),
      decide: (states, nowMs) => grantMembership(states, grant, nowMs),
      answer: answerOf(grant),
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
        answer: answerOf(grant),
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

function organizationOf(context: HandlerContext) {
  return { level: "organization", organization: callOf(context).organization } as const;
}

function projectOf(projectId: string, context: HandlerContext) {
  return { ...organizationOf(context), level: "project", project: projectId } as const;
}
