import type { SearchQuery } from "../../../gen/iam/user/v1/search_pb.js";
import { Type, UserState } from "../../../gen/iam/user/v1/user_pb.js";
import { invalidFields } from "../../domain/decision.ts";
import { streamOf } from "../../domain/noun.ts";
import { user } from "../../domain/user/user.ts";
import type { Filter } from "../../store/query.ts";
import { Refused } from "../call.ts";
import { allOf, oneOf, textFilter, unknownQuery } from "../listing.ts";

/** How far conditions may reach into each other. */
export const queryLimits = {
  /** Conditions of `or`, `and` and `not` within each other; one that holds no other counts too. */
  depth: 5,
  /** Conditions of a request in all. */
  conditions: 20,
} as const;

/** The conditions of a request, which must all hold. Throws `Refused` past a limit. */
export function userFilter(queries: readonly SearchQuery[]): Filter {
  const { depth, conditions } = extentOf(queries);
  if (depth > queryLimits.depth || conditions > queryLimits.conditions) {
    const description =
      `must nest at most ${queryLimits.depth} deep and hold at most ` +
      `${queryLimits.conditions} conditions in all`;
    throw new Refused(invalidFields([{ field: "queries", description }]));
  }
  return allOf(queries.map(filterOf));
}

/** How deep the conditions nest and how many they are, without going further than is allowed. */
function extentOf(queries: readonly SearchQuery[]): { depth: number; conditions: number } {
  let depth = 0;
  let conditions = 0;
  let level = queries;
  while (level.length > 0 && depth <= queryLimits.depth) {
    depth += 1;
    conditions += level.length;
    level = level.flatMap(within);
  }
  return { depth, conditions };
}

function within({ query }: SearchQuery): readonly SearchQuery[] {
  switch (query.case) {
    case "orQuery":
    case "andQuery":
      return query.value.queries;
    case "notQuery":
      return query.value.query === undefined ? [] : [query.value.query];
    default:
      return [];
  }
}

function filterOf({ query }: SearchQuery): Filter {
  switch (query.case) {
    case "userNameQuery":
      return textFilter("userName", query.value.userName, query.value.method);
    case "loginNameQuery":
      return textFilter("userName", query.value.loginName, query.value.method);
    case "firstNameQuery":
      return textFilter("firstName", query.value.firstName, query.value.method);
    case "lastNameQuery":
      return textFilter("lastName", query.value.lastName, query.value.method);
    case "nickNameQuery":
      return textFilter("nickName", query.value.nickName, query.value.method);
    case "displayNameQuery":
      return textFilter("displayName", query.value.displayName, query.value.method);
    case "emailQuery":
      return textFilter("email", query.value.emailAddress, query.value.method);
    case "stateQuery":
      return oneOf("state", [UserState[query.value.state]]);
    case "typeQuery":
      return oneOf("type", [Type[query.value.type]]);
    case "inUserIdsQuery":
      return { kind: "streams", streams: query.value.userIds.map((id) => streamOf(user, id)) };
    case "inUserEmailsQuery":
      return oneOf("email", query.value.userEmails);
    case "orQuery":
      return { kind: "or", filters: query.value.queries.map(filterOf) };
    case "andQuery":
      return allOf(query.value.queries.map(filterOf));
    case "notQuery":
      if (query.value.query === undefined) throw unknownQuery();
      return { kind: "not", filter: filterOf(query.value.query) };
    default:
      throw unknownQuery();
  }
}
