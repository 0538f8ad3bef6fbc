import type { HandlerContext } from "@connectrpc/connect";
import {
  addGrant,
  type GrantDecision,
  type GrantState,
  grant,
  grantsOf,
  removeGrant,
  switchGrant,
  updateGrant,
} from "../../domain/grant.ts";
import { type GrantKeys, grantNames, removeGrants } from "../../domain/grant-removal.ts";
import { project } from "../../domain/project.ts";
import { projectGrant } from "../../domain/project-grant.ts";
import { user } from "../../domain/user/state/user.ts";
import type { Refs } from "../../execute/command.ts";
import { readObject } from "../../execute/read-object.ts";
import { refsBy, rolesWith } from "../../execute/roles.ts";
import { callOf, refuse } from "../call.ts";
import { createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { listPage } from "../listing.ts";
import { perform, type Service } from "../service.ts";
import { readGrantQueries } from "./grant-query.ts";
import { showGrants } from "./grant-view.ts";
import { actingOn } from "./user.ts";

/** The handlers that grant roles of projects, and change what was granted. */
export function grantHandlers(service: Service) {
  const { newId, store } = service;

  async function change(
    request: Named,
    context: HandlerContext,
    decide: (states: Parameters<typeof switchGrant>[0], acted: Acted) => GrantDecision,
  ) {
    const { organization } = callOf(context);
    const { projectId: _of, ...acting } = await actingOnGrant(store, request, context);
    return await perform(service, context, {
      ...acting,
      decide: (states) => decide(states, { organization, userId: request.userId }),
    });
  }

  return {
    async addUserGrant({ userId, projectId, roleKeys, ...request }, context) {
      const { organization } = callOf(context);
      const by = request.projectGrantId === "" ? {} : { projectGrantId: request.projectGrantId };
      const { roleIds, refs } = await rolesWith(store, projectId, roleKeys);
      const userGrantId = newId();
      const { writes, relies, ...acting } = actingOn(userId, context);
      return await perform(service, context, {
        ...acting,
        // Those of one user take turns, so that their number is no cause to try again.
        writes: {
          ...writes,
          grant: { noun: grant, id: userGrantId, owner: organization, isNew: true },
        },
        relies: {
          ...{ ...relies, ...refs, ...refsBy(by), project: { noun: project, id: projectId } },
        },
        groups: { held: { noun: grant, ...grantsOf(userId) } },
        decide: (states) => addGrant(states, { organization, userId, projectId, roleIds, ...by }),
        answer: (written) => ({ userGrantId, details: createdDetails(written) }),
      });
    },

    async updateUserGrant(request, context) {
      const { organization } = callOf(context);
      const { userId, roleKeys } = request;
      const { projectId, ...acting } = await actingOnGrant(store, request, context);
      const { roleIds, refs } = await rolesWith(store, projectId, roleKeys);
      return await perform(service, context, {
        ...acting,
        relies: { ...acting.relies, ...refs },
        decide: (states) => updateGrant(states, { organization, userId, projectId, roleIds }),
      });
    },

    deactivateUserGrant: (request, context) =>
      change(request, context, (states, acted) =>
        switchGrant(states, { ...acted, isInactive: true }),
      ),

    reactivateUserGrant: (request, context) =>
      change(request, context, (states, acted) =>
        switchGrant(states, { ...acted, isInactive: false }),
      ),

    removeUserGrant: (request, context) => change(request, context, removeGrant),
  } satisfies Handlers;
}

/** The handlers that remove several grants, and that read them. */
export function grantReadHandlers(service: Service) {
  const { store } = service;

  return {
    async bulkRemoveUserGrant({ grantId: ids }, context) {
      const { caller, organization } = callOf(context);
      const unique = [...new Set(ids)];
      const found = await Promise.all(unique.map((id) => readObject(store, grant, id)));
      const keys = found.map((one, index) => keysOf(unique[index] ?? "", one?.state));
      const refs = refsOf(keys);
      return await perform(service, context, {
        writes: refs.grants,
        relies: { ...refs.rests, caller: { noun: user, id: caller.userId } },
        decide: (states) => removeGrants(states, keys, { organization }),
        answer: () => ({}),
      });
    },

    async getUserGrantByID({ userId, grantId }, context) {
      const found = await readObject(store, grant, grantId);
      const { organization } = callOf(context);
      const isTheirs = found?.state.userId === userId && found.state.organization === organization;
      const [shown] = isTheirs ? await showGrants(store, [found]) : [];
      if (shown !== undefined) return { userGrant: shown };
      const person = await readObject(store, user, userId);
      return refuse(
        person?.state.organization === organization ? "USER_GRANT_NOT_FOUND" : "USER_NOT_FOUND",
      );
    },

    async listUserGrants({ query, queries }, context) {
      const { organization } = callOf(context);
      const where = await readGrantQueries(service, context, queries);
      const list = { parents: [organization], where };
      const { details, objects } = await listPage(service, context, grant, list, query);
      return { details, result: [...(await showGrants(store, objects))] };
    },
  } satisfies Handlers;
}

/** A grant as requests name it. */
interface Named {
  readonly userId: string;
  readonly grantId: string;
}

/** The part of a command on a grant, which no request says the project of. */
async function actingOnGrant(
  store: Service["store"],
  { userId, grantId }: Named,
  context: HandlerContext,
) {
  const found = await readObject(store, grant, grantId);
  const { projectId = "" } = found?.state ?? {};
  const { writes, relies, ...acting } = actingOn(userId, context);
  return {
    ...acting,
    projectId,
    writes: { grant: { noun: grant, id: grantId } },
    relies: {
      ...{ ...relies, ...writes, ...refsBy(found?.state) },
      project: { noun: project, id: projectId },
    },
  };
}

interface Acted {
  readonly organization: string;
  readonly userId: string;
}

/** Where a grant is; one that is not there is of nobody. */
function keysOf(grantId: string, state: GrantState | undefined): GrantKeys {
  const { userId = "", projectId = "", projectGrantId } = state ?? {};
  return {
    grantId,
    userId,
    projectId,
    ...(projectGrantId === undefined ? {} : { projectGrantId }),
  };
}

function refsOf(keys: readonly GrantKeys[]) {
  const grants: { [name: string]: Refs[string] } = {};
  const rests: { [name: string]: Refs[string] } = {};
  for (const one of keys) {
    const names = grantNames(one);
    grants[names.grant] = { noun: grant, id: one.grantId };
    rests[names.user] = { noun: user, id: one.userId };
    rests[names.project] = { noun: project, id: one.projectId };
    const { projectGrantId: by } = one;
    if (by !== undefined) rests[names.projectGrant] = { noun: projectGrant, id: by };
  }
  return { grants, rests };
}
