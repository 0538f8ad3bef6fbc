import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  MemberFieldColumnName,
  MemberSchema,
  type SearchQuery,
} from "../../../gen/iam/member/v1/member_pb.js";
import type { ListQuery } from "../../../gen/iam/v1/search_pb.js";
import { mustExist } from "../../domain/noun.ts";
import { rolesOf, type Scope } from "../../domain/permission.ts";
import { membersFromBeyond } from "../../domain/user/state/beyond.ts";
import { instanceFields, membershipIn, membersIn } from "../../domain/user/state/held-roles.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import { withoutRemoved } from "../../execute/owner.ts";
import type { Found } from "../../execute/read-object.ts";
import type { Filter } from "../../store/query.ts";
import type { Handlers } from "../handlers.ts";
import {
  assertKnownQuery,
  listPage,
  matchAll,
  matchHolders,
  matchIds,
  matchText,
} from "../listing.ts";
import { requireProject } from "../project.ts";
import type { Service } from "../service.ts";
import { namesOf, userTypes } from "./grant-view.ts";
import { onInstance, organizationOf, projectOf } from "./member.ts";
import { membershipDetails } from "./membership.ts";

/** The handlers that tell who has which roles in a place, and which roles there are. */
export function memberReadHandlers(service: Service) {
  const { store } = service;

  async function list(scope: Scope, { query, queries, sortBy }: Asked, context: HandlerContext) {
    const where = matchAll([matchHolders(membersIn(scope)), ...queries.map(readQuery)]);
    const sorted = sortBy === undefined ? {} : { sortBy };
    const members = { ...(await findParents(service, scope)), ...sorted, where };
    const { details, objects } = await listPage(service, context, user, members, query);
    const there = await withoutRemoved(store, objects);
    return { details, result: there.map((found) => showMember(found, scope)) };
  }

  return {
    listIAMMembers: ({ sortingColumn, ...asked }, context) =>
      list(onInstance, { ...asked, sortBy: columns[sortingColumn] }, context),

    listOrgMembers: (asked, context) => list(organizationOf(context), asked, context),

    async listProjectMembers({ projectId, ...asked }, context) {
      await requireProject(service, projectId, context);
      return await list(projectOf(projectId, context), asked, context);
    },

    listIAMMemberRoles: () => {
      const roles = [...rolesOf("instance")];
      return { details: { totalResult: BigInt(roles.length) }, roles };
    },

    listOrgMemberRoles: () => ({ result: [...rolesOf("organization")] }),

    listProjectMemberRoles: () => {
      const result = [...rolesOf("project")];
      return { details: { totalResult: BigInt(result.length) }, result };
    },
  } satisfies Handlers;
}

/** What the requests for members have in common. */
interface Asked {
  readonly query?: ListQuery | undefined;
  readonly queries: readonly SearchQuery[];
  readonly sortBy?: string | undefined;
}

/** The bounds on searches for members. */
export const memberQueryLimits = {
  /** Users of other organizations whose organizations are found out before a search. */
  fromBeyond: 1_000,
} as const;

/**
 * The organizations to which the members of a scope belong, so that those of all others are not
 * searched. Nothing for the instance, and where they are too many to find out.
 */
async function findParents(
  { store }: Pick<Service, "store">,
  scope: Scope,
): Promise<{ readonly parents?: readonly string[] }> {
  if (scope.level === "instance") return {};
  const { organization } = scope;
  const { fromBeyond } = memberQueryLimits;
  const { streams, total } = await store.holders(membersFromBeyond(organization), fromBeyond);
  if (total > streams.length) return {};
  const found = streams.length === 0 ? [] : await store.load(streams);
  return { parents: [...new Set([organization, ...found.map(({ owner }) => owner)])] };
}

function showMember({ id: userId, stored, state }: Found<UserState>, scope: Scope) {
  const { userName, organization, memberships, human } = state;
  const membership = mustExist(membershipIn(memberships, scope));
  const details = membershipDetails(stored, membership);
  return create(MemberSchema, {
    ...{ userId, details, preferredLoginName: userName, ...namesOf(state) },
    roles: [...membership.roles],
    userType: userTypes.show(human === undefined ? "MACHINE" : "HUMAN"),
    userResourceOwner: organization,
  });
}

function readQuery({ query }: SearchQuery): Filter {
  switch (query.case) {
    case "firstNameQuery":
      return matchText("firstName", query.value.firstName, query.value.method);
    case "lastNameQuery":
      return matchText("lastName", query.value.lastName, query.value.method);
    case "emailQuery":
      return matchText("email", query.value.email, query.value.method);
    case "userIdQuery":
      return matchIds(user, [query.value.userId]);
    default:
      return assertKnownQuery();
  }
}

/** The field of a row by which a column sorts; by the creation of the user where there is none. */
const columns: { readonly [column in MemberFieldColumnName]: string | undefined } = {
  [MemberFieldColumnName.MEMBER_FIELD_NAME_UNSPECIFIED]: undefined,
  [MemberFieldColumnName.MEMBER_FIELD_NAME_USER_ID]: undefined,
  [MemberFieldColumnName.MEMBER_FIELD_NAME_CREATION_DATE]: instanceFields.added,
  [MemberFieldColumnName.MEMBER_FIELD_NAME_CHANGE_DATE]: instanceFields.changed,
  [MemberFieldColumnName.MEMBER_FIELD_NAME_USER_RESOURCE_OWNER]: instanceFields.organization,
};
