import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type { Scope } from "../../domain/permission.ts";
import { project } from "../../domain/project.ts";
import { codeFieldOf, linkToPage } from "../../domain/user/credential/code.ts";
import {
  grantMembership,
  removeMembership,
  updateMembership,
} from "../../domain/user/membership.ts";
import { isCodeAnsweredBy, makerName, makersOf, voidedBy } from "../../domain/user/raise.ts";
import type { UserEvent } from "../../domain/user/state/event.ts";
import { codeLifetimesMs } from "../../domain/user/state/human-state.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import type { StreamRef, Written } from "../../execute/command.ts";
import { callOf, permissionOf, viaOfCall } from "../call.ts";
import { changedDetails, createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { perform, type Service } from "../service.ts";
import { freshCode } from "./code.ts";
import { actingAmongOwners, actingOn } from "./user.ts";

const initialization = "user.human.initialization.code.added";

/** What requests to add or update a member have. */
interface Given {
  readonly userId: string;
  readonly roles: readonly string[];
  readonly returnInitializationLink: boolean;
}

/** The handlers on members of the instance, of organizations and of projects. */
export function memberHandlers(service: Service) {
  const { keyring, publicUrl } = service;

  function grantOf(request: Given, scope: Scope, context: HandlerContext) {
    const { userId, roles, returnInitializationLink: isCodeAnswered } = request;
    const { code } = freshCode(service, initialization, userId);
    const needed = { initializationCode: code, isCodeAnswered, ...viaOfCall(context) };
    return { userId, roles, scope, permission: permissionOf(context), ...needed };
  }

  /** The answer, with the link to the code where the grant has made that for its caller. */
  function answerOf(
    { userId, initializationCode: code }: ReturnType<typeof grantOf>,
    detailsOf: typeof changedDetails,
  ) {
    return (written: Written) => {
      const details = detailsOf(written);
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

  async function add(request: Given, scope: Scope, context: HandlerContext) {
    const grant = grantOf(request, scope, context);
    return await perform(service, context, {
      ...raising(actingOn(request.userId, context), grant),
      decide: (states, nowMs) => grantMembership(states, grant, nowMs),
      answer: answerOf(grant, createdDetails),
    });
  }

  async function update(request: Given, scope: Scope, context: HandlerContext) {
    const grant = grantOf(request, scope, context);
    return await perform(service, context, {
      ...raising(actingAmongOwners(request.userId, context), grant),
      decide: (states, nowMs) => updateMembership(states, grant, nowMs),
      answer: answerOf(grant, changedDetails),
    });
  }

  async function remove(userId: string, scope: Scope, context: HandlerContext) {
    return await perform(service, context, {
      ...actingAmongOwners(userId, context),
      decide: (states) => removeMembership(states, { scope }),
    });
  }

  return {
    addIAMMember: (request, context) => add(request, onInstance, context),

    addOrgMember: (request, context) => add(request, organizationOf(context), context),

    addProjectMember: (request, context) =>
      add(request, projectOf(request.projectId, context), context),

    updateIAMMember: (request, context) => update(request, onInstance, context),

    updateOrgMember: (request, context) => update(request, organizationOf(context), context),

    updateProjectMember: (request, context) =>
      update(request, projectOf(request.projectId, context), context),

    removeIAMMember: ({ userId }, context) => remove(userId, onInstance, context),

    removeOrgMember: ({ userId }, context) => remove(userId, organizationOf(context), context),

    removeProjectMember: ({ userId, projectId }, context) =>
      remove(userId, projectOf(projectId, context), context),
  } satisfies Handlers;
}

/**
 * A command on a user, for a decision that also takes those who made what lets somebody in as the
 * user, and the project of the scope.
 */
function raising<Acting extends ReturnType<typeof actingOn>>(
  acting: Acting,
  { userId, scope }: { readonly userId: string; readonly scope: Scope },
) {
  const held = scope.level === "project" ? { project: { noun: project, id: scope.project } } : {};
  return {
    ...acting,
    relies: { ...acting.relies, ...held },
    leads(states: { readonly user: UserState | undefined }, nowMs: number) {
      const makers: { [name: `maker ${string}`]: StreamRef<UserState, UserEvent> } = {};
      for (const id of makersOf(states.user, userId, nowMs)) {
        makers[makerName(id)] = { noun: user, id };
      }
      return makers;
    },
  };
}

/** The scope of roles on the instance. */
export const onInstance = { level: "instance" } as const;

/** The scope of roles in the organization that the call acts on. */
export function organizationOf(context: HandlerContext) {
  return { level: "organization", organization: callOf(context).organization } as const;
}

/** The scope of roles on a project, if it is one of that organization. */
export function projectOf(projectId: string, context: HandlerContext) {
  return { ...organizationOf(context), level: "project", project: projectId } as const;
}
