import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  AddGroupRequestSchema,
  GroupSchema,
  UpdateGroupRequestSchema,
} from "../../gen/iam/group/v1/group_pb.js";
import { GroupMemberSchema } from "../../gen/iam/group/v1/member_pb.js";
import { addGroup, type GroupState, group, refuseGroup } from "../domain/group.ts";
import { addMember, removeGroup, removeMember, updateGroup } from "../domain/group-change.ts";
import { streamOf } from "../domain/noun.ts";
import { outranks, type UserDecision } from "../domain/user/state/acting.ts";
import { managersAmong, membersOf } from "../domain/user/state/joined.ts";
import { shownUserName, type UserState, user } from "../domain/user/state/user.ts";
import { findDependants } from "../execute/dependants.ts";
import { type Found, readObject } from "../execute/read-object.ts";
import { callOf, refuse } from "./call.ts";
import { decideWhole } from "./changing.ts";
import { changedDetails, createdDetails, readDetails } from "./details.ts";
import { name, rulesOf } from "./field-rule.ts";
import type { Handlers } from "./handlers.ts";
import { listPage, matchHolders } from "./listing.ts";
import { perform, type Service } from "./service.ts";
import { userTypes } from "./user/grant-view.ts";
import { actingOn } from "./user/user.ts";

/** What the domain asks of the fields of groups: see `fieldRules`. */
export const groupRules = [
  rulesOf(AddGroupRequestSchema, { name }),
  rulesOf(UpdateGroupRequestSchema, { name }),
];

/** The handlers on groups of users. */
export function groupHandlers(service: Service) {
  const { newId, store } = service;

  return {
    async addGroup({ name, description }, context) {
      const { organization } = callOf(context);
      const id = newId();
      return await perform(service, context, {
        writes: { group: { noun: group, id, owner: organization, isNew: true } },
        decide: () => addGroup({ name, description }),
        answer: (written) => ({ id, details: createdDetails(written) }),
      });
    },

    async updateGroup(request, context) {
      const { organization } = callOf(context);
      const { id } = request;
      return await perform(service, context, {
        ...actingOnGroup(id, context),
        writes: { group: { noun: group, id } },
        decide: (states) =>
          decideWhole(request, context, states.group, (whole) =>
            updateGroup(states, { organization }, whole),
          ),
        answer: (written) => ({ id, details: changedDetails(written) }),
      });
    },

    async removeGroup({ id }, context) {
      const { organization } = callOf(context);
      const found = await findDependants(store, { kind: "group", id });
      return await perform(service, context, {
        writes: { group: { noun: group, id }, ...found.writes },
        decide: (states) => removeGroup(states, found.dependants, { organization, groupId: id }),
        answer: (written) => ({ id, details: changedDetails(written) }),
      });
    },

    async getGroupByID({ id }, context) {
      return { group: await showGroup(service, await readGroup(service, id, context)) };
    },

    async listGroups({ query }, context) {
      const list = { parents: [callOf(context).organization] };
      const { details, objects } = await listPage(service, context, group, list, query);
      return { details, result: await showGroups(service, objects) };
    },

    async listUserGroups({ query, userId }, context) {
      const { organization } = callOf(context);
      const person = await readObject(store, user, userId);
      if (person?.state.organization !== organization) refuse("USER_NOT_FOUND");
      const streams = (person.state.groups ?? []).map((id) => streamOf(group, id));
      const list = { parents: [organization], where: { kind: "streams", streams } as const };
      const { details, objects } = await listPage(service, context, group, list, query);
      return { details, result: await showGroups(service, objects) };
    },
  } satisfies Handlers;
}

/** The handlers on the members of groups. */
export function groupMemberHandlers(service: Service) {
  async function change(
    { groupId, userId }: { readonly groupId: string; readonly userId: string },
    context: HandlerContext,
    decide: typeof addMember,
  ) {
    const { organization } = callOf(context);
    const { relies, ...acting } = actingOn(userId, context);
    return await perform(service, context, {
      ...acting,
      relies: { ...relies, group: { noun: group, id: groupId } },
      decide: (states): UserDecision => decide(states, { organization, groupId, userId }),
    });
  }

  return {
    addGroupMember: (request, context) => change(request, context, addMember),
    removeGroupMember: (request, context) => change(request, context, removeMember),

    async listGroupMembers({ query, groupId }, context) {
      await readGroup(service, groupId, context);
      const where = matchHolders(membersOf(groupId));
      const list = { parents: [callOf(context).organization], where };
      const { details, objects } = await listPage(service, context, user, list, query);
      return { details, result: objects.map(showMember) };
    },
  } satisfies Handlers;
}

/** The part of a command on a group that lets what the caller may be decided by its members. */
export function actingOnGroup(groupId: string, context: HandlerContext) {
  const managers = { noun: user, ...managersAmong(groupId) };
  const counts = (state: UserState, { caller }: { readonly caller?: UserState }) =>
    outranks(caller, state);
  return {
    relies: { caller: { noun: user, id: callOf(context).caller.userId } },
    groups: { managers, outranked: { ...managers, counts } },
  };
}

/** Reads a group of the organization that the call acts on. Throws `Refused` where it has none. */
export async function readGroup(
  { store }: Pick<Service, "store">,
  id: string,
  context: HandlerContext,
): Promise<Found<GroupState>> {
  const found = await readObject(store, group, id);
  const refused = refuseGroup(found?.state, callOf(context));
  if (found === undefined || refused !== undefined) return refuse("GROUP_NOT_FOUND");
  return found;
}

/** Groups as they are shown, one after the other: to count members takes time. */
async function showGroups(service: Service, found: readonly Found<GroupState>[]) {
  const shown: Awaited<ReturnType<typeof showGroup>>[] = [];
  for (const one of found) shown.push(await showGroup(service, one));
  return shown;
}

async function showGroup(
  { store }: Pick<Service, "store">,
  { id, stored, state: { name, description } }: Found<GroupState>,
) {
  const { total } = await store.holders(membersOf(id), 1);
  const details = readDetails(stored);
  return create(GroupSchema, { id, details, name, description, members: BigInt(total) });
}

function showMember({ id: userId, stored, state }: Found<UserState>) {
  const userType = userTypes.show(state.human === undefined ? "MACHINE" : "HUMAN");
  const names = { userName: state.userName, displayName: shownUserName(state) };
  return create(GroupMemberSchema, { userId, details: readDetails(stored), ...names, userType });
}
