import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { GroupGrantSchema } from "../../gen/iam/group/v1/grant_pb.js";
import { type GrantState, grant, grantsOfGroup } from "../domain/grant.ts";
import { group } from "../domain/group.ts";
import { grantToGroup, removeGroupGrant, updateGroupGrant } from "../domain/group-change.ts";
import { project } from "../domain/project.ts";
import type { Written } from "../execute/command.ts";
import { weighGrants } from "../execute/grants.ts";
import { readOf } from "../execute/owner.ts";
import { type Found, readObject } from "../execute/read-object.ts";
import { refsBy, rolesWith } from "../execute/roles.ts";
import { callOf } from "./call.ts";
import { changedDetails, createdDetails, readDetails } from "./details.ts";
import { actingOnGroup, readGroup } from "./group.ts";
import type { Handlers } from "./handlers.ts";
import { listPage } from "./listing.ts";
import { perform, type Service } from "./service.ts";

/** The handlers that grant roles of projects to groups. */
export function groupGrantHandlers(service: Service) {
  const { newId, store } = service;

  return {
    async addGroupGrant({ groupId, projectId, roleKeys, ...request }, context) {
      const { organization } = callOf(context);
      const by = request.projectGrantId === "" ? {} : { projectGrantId: request.projectGrantId };
      const { roleIds, refs } = await rolesWith(store, projectId, roleKeys);
      const grantId = newId();
      const { relies, groups, ...acting } = actingOnGroup(groupId, context);
      return await perform(service, context, {
        ...acting,
        // Those of one group take turns, so that their number is no cause to try again.
        writes: {
          group: { noun: group, id: groupId },
          grant: { noun: grant, id: grantId, owner: organization, isNew: true },
        },
        relies: {
          ...{ ...relies, ...refs, ...refsBy(by), project: { noun: project, id: projectId } },
        },
        groups: { ...groups, held: { noun: grant, ...grantsOfGroup(groupId) } },
        decide: (states) =>
          grantToGroup(states, { organization, groupId, projectId, roleIds, ...by }),
        answer: (written) => ({ grantId, details: createdDetails(written) }),
      });
    },

    async updateGroupGrant({ groupId, grantId, roleKeys }, context) {
      const { organization } = callOf(context);
      const { projectId, ...acting } = await actingOnGrant(service, { groupId, grantId }, context);
      const { roleIds, refs } = await rolesWith(store, projectId, roleKeys);
      const given = { organization, groupId, projectId, roleIds };
      return await perform(service, context, {
        ...acting,
        relies: { ...acting.relies, ...refs },
        decide: (states) => updateGroupGrant(states, given),
      });
    },

    async removeGroupGrant({ groupId, grantId }, context) {
      const { organization } = callOf(context);
      const { projectId: _of, ...acting } = await actingOnGrant(
        service,
        { groupId, grantId },
        context,
      );
      return await perform(service, context, {
        ...acting,
        decide: (states) => removeGroupGrant(states, { organization, groupId }),
      });
    },

    async listGroupGrants({ query, groupId }, context) {
      await readGroup(service, groupId, context);
      const list = { parents: [groupId] };
      const { details, objects } = await listPage(service, context, grant, list, query);
      return { details, result: await showGrants(service, objects) };
    },
  } satisfies Handlers;
}

/** The part of a command on a grant of a group, which no request says the project of. */
async function actingOnGrant(
  { store }: Pick<Service, "store">,
  { groupId, grantId }: { readonly groupId: string; readonly grantId: string },
  context: HandlerContext,
) {
  const found = await readObject(store, grant, grantId);
  const projectId = found?.state.projectId ?? "";
  const { relies, ...acting } = actingOnGroup(groupId, context);
  return {
    ...acting,
    projectId,
    writes: { grant: { noun: grant, id: grantId } },
    relies: {
      ...relies,
      ...refsBy(found?.state),
      group: { noun: group, id: groupId },
      project: { noun: project, id: projectId },
    },
    answer: (written: Written) => ({ grantId, details: changedDetails(written) }),
  };
}

/** Grants as they are shown; those that rest on something gone are not. */
async function showGrants({ store }: Service, found: readonly Found<GrantState>[]) {
  const states = found.map(({ state }) => state);
  const weighed = await weighGrants(readOf(store), states);
  return found.flatMap(({ id, stored, state }, index) => {
    const { groupId = "", projectId, projectGrantId = "" } = state;
    const { project: of, projectGrant: by, keys = [] } = weighed[index] ?? {};
    if (of === undefined || (projectGrantId !== "" && by === undefined)) return [];
    const reach = { groupId, projectId, projectGrantId, roleKeys: [...keys] };
    return [create(GroupGrantSchema, { id, details: readDetails(stored), ...reach })];
  });
}
